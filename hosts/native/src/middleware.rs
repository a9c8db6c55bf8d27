//! A middleware for [`reqwest_middleware`].

use std::{error::Error, fmt, sync::Arc};

use ::reqwest::{Request, Response};
use async_trait::async_trait;
use http::Extensions;
use reqwest_middleware::{Middleware, Next};

use crate::{
    adapter::{Prepared, Settings, answer, settings_methods},
    directory::Origin,
    driver::Driver,
    engine::Engine,
    entropy::{Entropy, SystemEntropy},
    fresh::Refusal,
    nesting::Nesting,
    stamp::Stamp,
    time::{SystemTime, Time},
    transport::{Attempt, Attempted, Failure, Transport, kind_of, reqwest::failure_of},
};

/// Retries the requests of a client with middlewares as a policy says.
///
/// Each attempt is one run of the middlewares that follow, and ends with the head of the answer. A body of bytes can be sent
/// again, a stream cannot.
///
/// Every answer is `Ok`, whatever its status, with a [`Report`](crate::Report) in its extensions. An error is
/// [`reqwest_middleware::Error::Middleware`] with a [`NoAnswer`](crate::NoAnswer)`<`[`MiddlewareError`]`>` in it, which says
/// how the request ended. Into a request's extensions go, where they are wanted, its [`Options`](crate::Options),
/// [`Limits`](policy_core::Limits), [`Key`](crate::Key), [`BudgetKey`](crate::BudgetKey) and
/// [`Resume`](policy_core::Resume).
///
/// reqwest retries some requests on its own, unseen; switch that off: `reqwest::Client::builder().retry(reqwest::retry::never())`.
/// A second try of what a kept-alive connection never took, and the hops of a redirect, stay its business.
///
/// ```
/// use refrain::core::{Policy, Rules};
/// use refrain::{DirectEngine, middleware::RetryMiddleware};
///
/// # fn client() -> Result<reqwest_middleware::ClientWithMiddleware, Box<dyn std::error::Error>> {
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let once = reqwest::Client::builder().retry(reqwest::retry::never()).build()?;
/// let client = reqwest_middleware::ClientBuilder::new(once).with(RetryMiddleware::new(engine)).build();
/// # Ok(client)
/// # }
/// ```
#[derive(Debug)]
pub struct RetryMiddleware<E, T = SystemTime, X = SystemEntropy> {
    driver: Arc<Driver<E, T, X>>,
    settings: Settings,
}

impl<E: Engine> RetryMiddleware<E> {
    /// A middleware with the machine's time and randomness.
    #[must_use]
    pub fn new(engine: E) -> Self {
        Self::over(Driver::new(engine, SystemTime, SystemEntropy))
    }
}

impl<E: Engine, T: Time, X: Entropy> RetryMiddleware<E, T, X> {
    /// A middleware over this driver, whose retry budget it shares with all that use it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use refrain::{BudgetScope, Budgets, Driver, Engine, KeyField, SystemEntropy, SystemTime};
    /// use refrain::middleware::RetryMiddleware;
    /// # use refrain::{DirectEngine, core::{Policy, Rules}};
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let per_host = Budgets::new(BudgetScope::Host, engine.description());
    /// let driver = Arc::new(Driver::new(engine, SystemTime, SystemEntropy));
    /// let reading = RetryMiddleware::over(driver.clone()).budgets(per_host.clone());
    /// // This server does a thing once under one key, and is told which attempt it sees.
    /// let ordering = RetryMiddleware::over(driver).budgets(per_host).key_field(KeyField::default()).announce();
    /// # let _ = (reading, ordering);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn over(driver: impl Into<Arc<Driver<E, T, X>>>) -> Self {
        Self { driver: driver.into(), settings: Settings::default() }
    }

    settings_methods! {
        "# fn set_up<E: refrain::Engine>(retry: refrain::middleware::RetryMiddleware<E>, policy: &refrain::Description) {"
    }
}

#[async_trait]
impl<E: Engine + 'static, T: Time + 'static, X: Entropy + 'static> Middleware for RetryMiddleware<E, T, X> {
    async fn handle(
        &self,
        message: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let replayable = message.body().is_none_or(|body| body.as_bytes().is_some());
        // Both are absolute URLs; what one has and the other not does not name another origin.
        let origin = || Origin::of(&message.url().as_str().parse().unwrap_or_default(), message.headers());
        let Prepared { request, stamp, options, nesting } = self.settings.prepare(
            message.method(),
            message.headers(),
            extensions,
            replayable,
            (origin, self.driver.time()),
        );
        let call = Call { message: Some(message), replayable, extensions, next, stamp, nesting };
        let session = options.session();
        let result = self.driver.run_in(session, request, call, &options).await;
        let (mut response, report) = answer(result).map_err(reqwest_middleware::Error::middleware)?;
        let report = report.over(response.extensions());
        response.extensions_mut().insert(report);
        Ok(response)
    }
}

/// One logical request through the middlewares that follow.
struct Call<'a> {
    /// Taken by the first attempt if the body can be sent only once.
    message: Option<Request>,
    replayable: bool,
    extensions: &'a mut Extensions,
    next: Next<'a>,
    stamp: Stamp,
    nesting: Nesting,
}

impl Call<'_> {
    async fn message(&mut self, attempt: Attempt) -> Result<Request, Refusal> {
        let message = match self.replayable {
            true => self.message.as_ref().and_then(Request::try_clone),
            false => self.message.take(),
        };
        let mut message = message.ok_or(Refusal::BodySpent)?;
        let mut headers = std::mem::take(message.headers_mut());
        self.stamp.put(attempt, message.method(), message.url(), &mut headers).await?;
        *message.headers_mut() = headers;
        Ok(message)
    }
}

impl Transport for Call<'_> {
    type Response = Response;
    type Error = MiddlewareError;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<Response, MiddlewareError> {
        let message = match self.message(attempt).await {
            Ok(message) => message,
            Err(refusal) => return Err(Failure::refused(MiddlewareError::Refused(refusal))).into(),
        };
        self.extensions.insert(attempt);
        self.extensions.insert(self.nesting.below(attempt));
        let sent = self.next.clone().run(message, self.extensions).await;
        sent.map_err(failure).into()
    }
}

/// What an error of the middlewares that follow proves.
fn failure(error: reqwest_middleware::Error) -> Failure<MiddlewareError> {
    match error {
        reqwest_middleware::Error::Reqwest(error) => {
            failure_of(error).map(|error| MiddlewareError::Inner(error.into()))
        }
        reqwest_middleware::Error::Middleware(error) => {
            let kind = kind_of(error.as_ref());
            Failure::new(kind, MiddlewareError::Inner(reqwest_middleware::Error::Middleware(error)))
        }
    }
}

/// Why an attempt through the middlewares brought no answer.
///
/// ```
/// use http::HeaderMap;
/// use refrain::middleware::{MiddlewareError, RetryMiddleware};
/// use refrain::{BoxError, NoAnswer, Outgoing, Reason};
/// use reqwest_middleware::{ClientBuilder, Error};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// fn signed_out(_: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
///     Err("nobody is signed in".into())
/// }
/// let retry = RetryMiddleware::new(engine).fresh_headers(signed_out);
/// let client = ClientBuilder::new(reqwest::Client::new()).with(retry).build();
///
/// let Err(Error::Middleware(error)) = client.get("http://localhost/").send().await else { panic!("an answer") };
/// let ended = error.downcast_ref::<NoAnswer<MiddlewareError>>().expect("an error of this middleware");
/// assert_eq!((&ended.reason, ended.attempts), (&Reason::Refused, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum MiddlewareError {
    /// What the middlewares that follow, or the client, report.
    Inner(reqwest_middleware::Error),
    /// The attempt was not made.
    Refused(Refusal),
}

impl fmt::Display for MiddlewareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inner(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl Error for MiddlewareError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Inner(error) => error.source(),
            Self::Refused(refusal) => refusal.source(),
        }
    }
}
