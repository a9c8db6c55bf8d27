//! One logical request of the client, able to be sent.

use std::mem;

use bytes::Bytes;
use http::{HeaderMap, Method};
use policy_core::Millis;
use reqwest::Url;

use super::{SendError, Settings, address, read::body};
use crate::{
    body::Body,
    fresh::Refusal,
    stamp::Stamp,
    transport::{Attempt, Attempted, Failure, Transport, reqwest::failure_of},
};

/// What is sent, and how an attempt ends.
pub(super) struct Call<'a> {
    pub(super) http: &'a ::reqwest::Client,
    pub(super) settings: &'a Settings,
    pub(super) method: &'a Method,
    pub(super) text: &'a str,
    /// What the text says, until the first attempt takes it: most requests need no second.
    pub(super) url: &'a mut Option<Url>,
    pub(super) headers: Option<&'a HeaderMap>,
    pub(super) body: &'a mut Body<::reqwest::Body>,
    /// In a box, as what few requests have: the others do not pay for its size.
    pub(super) stamp: Option<Box<Stamp>>,
    /// Where the body of the answer goes, if an attempt ends with the body read and not with the head.
    pub(super) data: Option<&'a mut Data>,
}

/// The body of an answer, if it is a success; whether another one is the last is not known before the policy was told of it.
pub(super) type Data = Option<Bytes>;

impl Transport for Call<'_> {
    type Response = ::reqwest::Response;
    type Error = SendError;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<::reqwest::Response, SendError> {
        let Some(body) = self.body.for_attempt() else { return refused(Refusal::BodySpent) };
        // A block, so that nothing of the message is kept while the answer is awaited.
        let sent = {
            let message = match &self.stamp {
                None => self.message(body),
                Some(_) => match Box::pin(self.stamped(attempt, body)).await {
                    Ok(message) => *message,
                    Err(refusal) => return refused(refusal),
                },
            };
            self.http.execute(message)
        };
        sent.await.map_err(|error| failure_of(error.without_url()).map(SendError::Http)).into()
    }

    async fn complete(&mut self, head: &mut ::reqwest::Response) -> Result<(), Failure<SendError>> {
        if let Some(data) = &mut self.data {
            **data = if head.status().is_success() { Some(body(head, self.settings.max_body).await?) } else { None };
        }
        Ok(())
    }

    fn completion_timeout(&self) -> Option<Millis> {
        self.settings.body_timeout.filter(|_| self.data.is_some())
    }
}

impl Call<'_> {
    /// What is the same on every attempt.
    fn message(&mut self, body: ::reqwest::Body) -> ::reqwest::Request {
        let again = || address::read(self.http, self.text).expect("a text that was read before").0;
        let mut message = ::reqwest::Request::new(self.method.clone(), self.url.take().unwrap_or_else(again));
        if let Some(headers) = self.headers {
            message.headers_mut().clone_from(headers);
        }
        // An empty body would announce a length of 0, which a GET does not have.
        *message.body_mut() = (body.as_bytes() != Some(&[])).then_some(body);
        message
    }

    /// With what is written onto this attempt.
    async fn stamped(&mut self, attempt: Attempt, body: ::reqwest::Body) -> Result<Box<::reqwest::Request>, Refusal> {
        let mut message = Box::new(self.message(body));
        if let Some(stamp) = &self.stamp {
            let mut headers = mem::take(message.headers_mut());
            stamp.put(attempt, message.method(), message.url(), &mut headers).await?;
            *message.headers_mut() = headers;
        }
        Ok(message)
    }
}

fn refused<R>(refusal: Refusal) -> Attempted<R, SendError> {
    Err(Failure::refused(SendError::Refused(refusal))).into()
}
