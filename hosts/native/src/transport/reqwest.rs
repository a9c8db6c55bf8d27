//! A transport over [`reqwest`].

use std::{net::SocketAddr, sync::Arc};

use ::reqwest::{
    Client, ClientBuilder, Request, Response,
    dns::{Addrs, Name, Resolve, Resolving},
};
use http::HeaderMap;
use policy_core::{FailureKind, IdempotencyKey, Method};

use super::{
    Attempt, Attempted, Failure, Head, Transport,
    failure::{NameNotFound, kind_of, of_connect},
};

/// A [`reqwest`] client whose own retries are switched off.
///
/// A send is one call of the client. What the client does inside a call is not counted: hops of a redirect, which it
/// follows up to ten times unless its builder says otherwise, and a second try of a request that a kept-alive
/// connection, closed by the server meanwhile, never took.
///
/// ```no_run
/// use refrain::core::{IdempotencyKey, Policy, Rules};
/// use refrain::{DirectEngine, Driver, Options, ReqwestTransport, SystemEntropy, SystemTime};
///
/// # async fn fetch() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let driver = Driver::new(engine, SystemTime, SystemEntropy);
/// let transport = ReqwestTransport::new()?;
///
/// let call = transport.call(reqwest::Request::new(reqwest::Method::GET, "http://localhost:8080/".parse()?));
/// let delivered = driver.run(&call.request(IdempotencyKey::Absent), call, &Options::default()).await?;
/// println!("{}", delivered.response.text().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReqwestTransport {
    client: Client,
}

impl ReqwestTransport {
    /// Over a client with reqwest's defaults.
    ///
    /// # Errors
    /// When the client cannot be built, for example without a TLS backend that works.
    pub fn new() -> Result<Self, ::reqwest::Error> {
        Self::from_builder(Client::builder())
    }

    /// Over a client of this builder, with two settings replaced: its retries, which are switched off, and its resolver,
    /// which is one that tells "no such name" from other failures to connect.
    ///
    /// ```
    /// use refrain::ReqwestTransport;
    /// // Without hops and kept-alive connections a send is one request on the wire.
    /// let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).pool_max_idle_per_host(0);
    /// let transport = ReqwestTransport::from_builder(builder)?;
    /// # let _ = transport;
    /// # Ok::<(), reqwest::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the client cannot be built.
    pub fn from_builder(builder: ClientBuilder) -> Result<Self, ::reqwest::Error> {
        without_retries(builder).map(|client| Self { client })
    }

    /// A logical request, ready to be run.
    #[must_use]
    pub fn call(&self, request: Request) -> ReqwestCall {
        let replayable = request.try_clone().is_some();
        let method = Method::from_name(request.method().as_str());
        ReqwestCall { client: self.client.clone(), request: Some(request), method, replayable }
    }
}

/// What this error of an attempt proves.
pub(crate) fn failure_of(error: ::reqwest::Error) -> Failure<::reqwest::Error> {
    let kind = match () {
        () if error.is_builder() || error.is_redirect() => FailureKind::Permanent,
        () if error.is_connect() => of_connect(&error),
        () => kind_of(&error),
    };
    let timed_out = error.is_timeout() && !error.is_connect();
    Failure { timed_out, ..Failure::new(kind, error) }
}

/// A client that sends once where it is told to send once, and whose resolver tells what it did not find.
pub(crate) fn without_retries(builder: ClientBuilder) -> Result<Client, ::reqwest::Error> {
    builder.retry(::reqwest::retry::never()).dns_resolver(Arc::new(Resolver)).build()
}

/// One logical request over reqwest.
///
/// ```
/// use refrain::{ReqwestTransport, core::{IdempotencyKey, Method}};
/// let order = reqwest::Request::new(reqwest::Method::POST, "http://localhost:8080/orders".parse()?);
/// let call = ReqwestTransport::new()?.call(order);
/// let request = call.request(IdempotencyKey::Honoured);
/// assert_eq!((request.method, request.replayable), (Method::Post, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReqwestCall {
    client: Client,
    /// Taken by the first attempt if the body can be sent only once.
    request: Option<Request>,
    method: Method,
    replayable: bool,
}

impl ReqwestCall {
    /// What the policy may know about this request: its method, and whether its body can be sent again, which an empty
    /// and a buffered one can and a stream cannot. What is known about an idempotency key only the caller can say.
    #[must_use]
    pub fn request(&self, key: IdempotencyKey) -> policy_core::Request {
        policy_core::Request { key, replayable: self.replayable, ..policy_core::Request::new(self.method) }
    }
}

impl Transport for ReqwestCall {
    type Response = Response;
    type Error = ::reqwest::Error;

    async fn attempt(&mut self, _attempt: Attempt) -> Attempted<Response, ::reqwest::Error> {
        let request = match self.replayable {
            true => self.request.as_ref().and_then(Request::try_clone),
            false => self.request.take(),
        };
        let Some(request) = request else {
            let kind = FailureKind::Permanent;
            return Err(Failure { kind, timed_out: false, refused: true, source: None }).into();
        };
        self.client.execute(request).await.map_err(failure_of).into()
    }
}

impl Head for Response {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }
}

/// The system's resolver; its failures can be told from those of a connection.
#[derive(Debug)]
struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await.map_err(NameNotFound)?;
            Ok(Box::new(found.collect::<Vec<SocketAddr>>().into_iter()) as Addrs)
        })
    }
}
