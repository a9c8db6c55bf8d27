//! One request of the client.

use std::future::Future;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use policy_core::{Limits, Resume};

use super::{
    ClientError, Shared,
    prepare::Prepared,
    read::{Whole, whole, with_body},
};
use crate::{
    body::Body, directory::BudgetKey, engine::Engine, entropy::Entropy, key::Key, options::Options, outcome::Delivered,
    run::unexpected, time::Time,
};

/// A request that is being put together.
///
/// ```
/// use refrain::{Client, Engine, Key};
/// # async fn order<E: Engine>(client: &Client<E>) -> Result<(), Box<dyn std::error::Error>> {
/// let request = client.post("https://example.com/orders").header("content-type", "application/json");
/// let created = request.body(r#"{"sku":4711}"#).key(Key::random()?).send().await?;
/// println!("{}", created.response.status());
/// # Ok(())
/// # }
/// ```
#[must_use = "a request does nothing until it is sent"]
#[derive(Debug)]
pub struct RequestBuilder<'a, E, T, X> {
    pub(super) shared: &'a Shared<E, T, X>,
    pub(super) method: Method,
    pub(super) url: &'a str,
    pub(super) body: Body<::reqwest::Body>,
    /// In a box, as what the simplest requests do without: they are smaller for it, and are moved several times.
    pub(super) special: Option<Box<Special>>,
}

/// What the simplest requests do without.
#[derive(Debug, Default)]
pub(super) struct Special {
    pub(super) headers: HeaderMap,
    /// The first header that HTTP does not allow.
    pub(super) refused: Option<http::Error>,
    pub(super) key: Option<Key>,
    pub(super) limits: Option<Limits>,
    pub(super) options: Option<Options>,
    pub(super) budget_key: Option<BudgetKey>,
    pub(super) resume: Option<Resume>,
}

impl<'a, E: Engine, T: Time, X: Entropy> RequestBuilder<'a, E, T, X> {
    pub(super) fn new(shared: &'a Shared<E, T, X>, method: Method, url: &'a str) -> Self {
        Self { shared, method, url, body: Body::empty(), special: None }
    }

    fn special(mut self, set: impl FnOnce(&mut Special)) -> Self {
        set(self.special.get_or_insert_default());
        self
    }

    /// Adds a line of a header field. One that HTTP does not allow is told by [`RequestBuilder::send`].
    pub fn header<N, V>(self, name: N, value: V) -> Self
    where
        HeaderName: TryFrom<N>,
        HeaderValue: TryFrom<V>,
        http::Error: From<<HeaderName as TryFrom<N>>::Error> + From<<HeaderValue as TryFrom<V>>::Error>,
    {
        self.special(|Special { headers, refused, .. }| {
            let append = || Ok(headers.try_append(HeaderName::try_from(name)?, HeaderValue::try_from(value)?)?);
            *refused = refused.take().or(append().err());
        })
    }

    /// The body. Its kind says whether the request can be repeated.
    pub fn body(self, body: impl Into<Body<::reqwest::Body>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Sends this key on every attempt. The caller knows by it that the server does a thing only once under one key, so a
    /// write may be repeated where the policy lists its method for keys.
    pub fn key(self, key: Key) -> Self {
        self.special(|special| special.key = Some(key))
    }

    /// Limits that are tighter than the policy's.
    ///
    /// ```
    /// use refrain::core::{Limits, Millis};
    /// # fn about(client: &refrain::Client) {
    /// let at_most_two_seconds = Limits { deadline: Some(Millis::from_secs(2)), ..Limits::NONE };
    /// let request = client.get("http://localhost:8080/report").limits(at_most_two_seconds);
    /// # let _ = request;
    /// # }
    /// ```
    pub fn limits(self, limits: Limits) -> Self {
        self.special(|special| special.limits = Some(limits))
    }

    /// Handles of its own, all of them, where the client's would be used.
    ///
    /// ```
    /// use refrain::{CancellationToken, Client, Options, Reason, core::End};
    /// # use refrain::{DirectEngine, core::{Policy, Rules}};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let (client, cancel) = (Client::new(engine)?, CancellationToken::new());
    /// let options = Options { cancel: Some(cancel.clone()), ..Options::default() };
    /// cancel.cancel();
    /// let error = client.get("http://localhost/").options(options).send().await.expect_err("a cancel");
    /// assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Policy(End::Cancelled)), 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn options(self, options: Options) -> Self {
        self.special(|special| special.options = Some(options))
    }

    /// Goes on with a request that was deferred, here or in another process: not before it may, and with its sends counted.
    /// The key it had must be given again.
    ///
    /// ```
    /// use refrain::{Client, Saved};
    ///
    /// # async fn go_on(client: &Client, saved: Saved<String>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut order = client.post("https://example.com/orders").body(saved.payload).resume(saved.resume);
    /// if let Some(key) = saved.key {
    ///     order = order.key(key);
    /// }
    /// order.send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume(self, resume: Resume) -> Self {
        self.special(|special| special.resume = Some(resume))
    }

    /// Names the retry budget, under [`BudgetScope::Key`](crate::BudgetScope::Key).
    pub fn budget_key(self, key: BudgetKey) -> Self {
        self.special(|special| special.budget_key = Some(key))
    }

    /// Runs the request, and reads the body of the answer. An attempt ends with the body read, so a connection that is lost
    /// in its middle is a failure that may be retried.
    ///
    /// The body of an answer that is no success, such as a 404, is in the error; if it cannot be read, its status alone.
    /// The request belongs to the session of this call.
    ///
    /// # Errors
    /// [`ClientError::Invalid`] for a URL or a header that is none; [`ClientError::Ended`] for every end but a success.
    pub fn send(mut self) -> impl Future<Output = Result<Delivered<Whole>, ClientError<Whole>>> + Send {
        let session = self.handles().session();
        async move {
            let shared = self.shared;
            let (mut url, mut data) = (None, None);
            // Without `map_err` and `?`, which move it twice more.
            let Prepared { request, mut call, options } = match self.prepare(&mut url) {
                Ok(prepared) => prepared,
                Err(invalid) => return Err(ClientError::Invalid(invalid)),
            };
            call.data = Some(&mut data);
            let ended = match shared.driver.run_in(session, request, call, options).await {
                Ok(Delivered { ref mut response, session, attempts, maybe_applied })
                    if let Some(body) = data.take() =>
                {
                    return Ok(Delivered { response: whole(response, body), session, attempts, maybe_applied });
                }
                Ok(delivered) => delivered.into_ended(unexpected("a success with a status that is none")),
                Err(ended) => ended,
            };
            // In a box, so that a success does not pay for its size.
            let reading = with_body(ended, data, &shared.settings, shared.driver.time(), (options, session));
            Err(ClientError::Ended(Box::new(Box::pin(reading).await)))
        }
    }

    /// Runs the request up to the head of the answer, and leaves the body to the caller: a connection that is lost in its
    /// middle is not retried. Ask [`Delivered::is_current`] after the body was read.
    ///
    /// ```
    /// # async fn show(client: &refrain::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut delivered = client.get("https://example.com/export").stream().await?;
    /// while let Some(piece) = delivered.response.chunk().await? {
    ///     println!("{} bytes", piece.len());
    /// }
    /// if delivered.is_current() {
    ///     println!("whole, and still wanted");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As those of [`RequestBuilder::send`]; the body of an answer that is no success is left to the caller too.
    pub fn stream(
        mut self,
    ) -> impl Future<Output = Result<Delivered<::reqwest::Response>, ClientError<::reqwest::Response>>> + Send {
        let session = self.handles().session();
        async move {
            let shared = self.shared;
            let mut url = None;
            let Prepared { request, call, options } = self.prepare(&mut url).map_err(ClientError::Invalid)?;
            let result = shared.driver.run_in(session, request, call, options).await;
            result.map_err(|ended| ClientError::Ended(Box::new(ended)))
        }
    }
}
