//! One logical request of the client, able to be sent.

use bytes::Bytes;
use http::{HeaderMap, Method};
use reqwest::Url;

use super::{SendError, Settings, address, read::whole};
use crate::{
    body::Body,
    fresh::Refusal,
    stamp::Stamp,
    time::Time,
    transport::{Attempt, Attempted, Failure, Head, Transport, reqwest::failure_of},
};

/// What is sent, and how an attempt ends.
pub(super) struct Call<'a, T> {
    pub(super) http: &'a ::reqwest::Client,
    pub(super) settings: &'a Settings,
    pub(super) time: &'a T,
    pub(super) method: Method,
    pub(super) text: &'a str,
    /// What the text says, until the first attempt takes it: most requests need no second.
    pub(super) url: Option<Url>,
    pub(super) headers: HeaderMap,
    pub(super) body: Body<::reqwest::Body>,
    pub(super) stamp: Stamp,
}

/// An answer, as far as it was read.
#[derive(Debug)]
pub(super) enum Reply {
    Head(::reqwest::Response),
    Whole(http::Response<Bytes>),
}

impl<T> Call<'_, T> {
    async fn message(&mut self, attempt: Attempt) -> Result<::reqwest::Request, Refusal> {
        let body = self.body.for_attempt().ok_or(Refusal::BodySpent)?;
        let mut headers = self.headers.clone();
        let again = || address::read(self.http, self.text).expect("a text that was read before").0;
        let url = self.url.take().unwrap_or_else(again);
        self.stamp.put(attempt, &self.method, &url, &mut headers).await?;
        let mut message = ::reqwest::Request::new(self.method.clone(), url);
        *message.headers_mut() = headers;
        // An empty body would announce a length of 0, which a GET does not have.
        *message.body_mut() = (body.as_bytes() != Some(&[])).then_some(body);
        Ok(message)
    }
}

/// An attempt ends with the head.
impl<T: Time> Transport for Call<'_, T> {
    type Response = ::reqwest::Response;
    type Error = SendError;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<::reqwest::Response, SendError> {
        let message = match self.message(attempt).await {
            Ok(message) => message,
            Err(refusal) => return Err(Failure::refused(SendError::Refused(refusal))).into(),
        };
        let sent = self.http.execute(message).await;
        sent.map_err(|error| failure_of(error.without_url()).map(SendError::Http)).into()
    }
}

/// An attempt ends with the body read, if the answer is a success; whether another one is the last is not known before
/// the policy was told of it.
pub(super) struct Reading<'a, T>(pub(super) Call<'a, T>);

impl<T: Time> Transport for Reading<'_, T> {
    type Response = Reply;
    type Error = SendError;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<Reply, SendError> {
        let Attempted { result, sends, exhausted } = self.0.attempt(attempt).await;
        Attempted { result: result.map(Reply::Head), sends, exhausted }
    }

    async fn complete(&mut self, reply: Reply) -> Result<Reply, Failure<SendError>> {
        match reply {
            Reply::Head(head) if head.status().is_success() => {
                whole(head, self.0.settings, self.0.time).await.map(Reply::Whole)
            }
            reply => Ok(reply),
        }
    }
}

impl Head for Reply {
    fn status(&self) -> u16 {
        match self {
            Self::Head(head) => Head::status(head),
            Self::Whole(whole) => Head::status(whole),
        }
    }

    fn headers(&self) -> &HeaderMap {
        match self {
            Self::Head(head) => head.headers(),
            Self::Whole(whole) => whole.headers(),
        }
    }
}
