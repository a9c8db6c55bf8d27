//! A layer for any [`Service<http::Request<B>>`](Service).

mod call;

use std::{
    error::Error,
    future::Future,
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use policy_core::{Bound, FailureKind, HintReport};
use tower_layer::Layer;
use tower_service::Service;

use self::call::{Call, Classify};
use crate::{
    adapter::{NoAnswer, Prepared, Settings, answer, settings_methods},
    body::Body,
    directory::Origin,
    driver::Driver,
    engine::Engine,
    entropy::{Entropy, SystemEntropy},
    fresh::BoxError,
    options::Options,
    outcome::{Ended, Last, Reason},
    session::SessionTag,
    time::{SystemTime, Time},
    transport::Failure,
};

pub use self::call::ServiceError;

/// Retries the requests of a service as a policy says.
///
/// The layer takes requests with a [`Body`], whose kind says whether they can be sent again, and calls the service with its
/// own body. Each attempt is one call of the very service that was polled ready. An attempt ends with the head of the
/// answer: reading the body is the caller's.
///
/// Every answer is `Ok`, whatever its status, with a [`Report`](crate::Report) in its extensions. The error says how a request
/// ended that has no answer. Into a request's extensions go, where they are wanted, its [`Options`],
/// [`Limits`](policy_core::Limits), [`Key`](crate::Key), [`BudgetKey`](crate::BudgetKey) and
/// [`Resume`](policy_core::Resume).
///
/// The service's own retries must be off, or attempts are miscounted. hyper-util's client repeats, on its own and unseen, what a
/// kept-alive connection never took: its builder's `retry_canceled_requests(false)` ends that. Redirects of a layer below
/// are not counted either.
///
/// ```
/// use bytes::Bytes;
/// use http::{Request, Response};
/// use http_body_util::Full;
/// use refrain::core::{Policy, Rules};
/// use refrain::tower::RetryLayer;
/// use refrain::{Body, DirectEngine, Report};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let echo = service_fn(|request: Request<Full<Bytes>>| async { Ok::<_, std::io::Error>(Response::new(request.into_body())) });
/// let service = ServiceBuilder::new().layer(RetryLayer::new(engine)).service(echo);
/// let answer = service.oneshot(Request::put("/orders/1").body(Body::bytes("two"))?).await?;
/// assert_eq!(answer.extensions().get::<Report>().map(|report| report.attempts), Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RetryLayer<E, T = SystemTime, X = SystemEntropy> {
    driver: Arc<Driver<E, T, X>>,
    settings: Settings,
    classify: Classify,
}

impl<E, T, X> Clone for RetryLayer<E, T, X> {
    fn clone(&self) -> Self {
        Self { driver: self.driver.clone(), settings: self.settings.clone(), classify: self.classify.clone() }
    }
}

impl<E: Engine> RetryLayer<E> {
    /// A layer with the machine's time and randomness.
    #[must_use]
    pub fn new(engine: E) -> Self {
        Self::over(Driver::new(engine, SystemTime, SystemEntropy))
    }
}

impl<E: Engine, T: Time, X: Entropy> RetryLayer<E, T, X> {
    /// A layer over this driver, whose retry budget it shares with all that use it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use refrain::{Driver, Holds, KeyField, SystemEntropy, SystemTime, tower::RetryLayer};
    /// # use refrain::{DirectEngine, core::{Policy, Rules}};
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let driver = Arc::new(Driver::new(engine, SystemTime, SystemEntropy));
    /// let reading = RetryLayer::over(driver.clone()).holds(Holds::default());
    /// // This server does a thing once under one key, and is told which attempt it sees.
    /// let ordering = RetryLayer::over(driver).key_field(KeyField::default()).announce();
    /// # let _ = (reading, ordering);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn over(driver: impl Into<Arc<Driver<E, T, X>>>) -> Self {
        Self { driver: driver.into(), settings: Settings::default(), classify: Classify::default() }
    }

    settings_methods! {
        "# fn set_up<E: refrain::Engine>(retry: refrain::tower::RetryLayer<E>, policy: &refrain::Description) {"
    }

    /// What the service's errors prove, where [`kind_of`](crate::transport::kind_of) does not know them. A wrong answer may repeat a write.
    ///
    /// ```
    /// use refrain::{core::FailureKind, tower::RetryLayer, transport::kind_of};
    /// use tokio::sync::TryAcquireError;
    /// # use refrain::{DirectEngine, core::{Policy, Rules}};
    /// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
    /// let layer = RetryLayer::new(engine).classify(|error| match error.is::<TryAcquireError>() {
    ///     // The service has a limit of its own, and sent nothing.
    ///     true => FailureKind::ConnectFailed,
    ///     false => kind_of(error),
    /// });
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn classify(
        mut self,
        classify: impl Fn(&(dyn Error + 'static)) -> FailureKind + Send + Sync + 'static,
    ) -> Self {
        self.classify = Classify(Arc::new(classify));
        self
    }
}

impl<S, E, T, X> Layer<S> for RetryLayer<E, T, X> {
    type Service = Retry<S, E, T, X>;

    fn layer(&self, inner: S) -> Self::Service {
        Retry { inner, layer: self.clone() }
    }
}

/// The service that [`RetryLayer`] makes.
///
/// ```
/// use http::{Request, Response, StatusCode};
/// use refrain::{Body, tower::RetryLayer};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use refrain::{DirectEngine, core::{Policy, Rules}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let empty = service_fn(|_: Request<String>| async {
///     let mut answer = Response::new(());
///     *answer.status_mut() = StatusCode::NOT_FOUND;
///     Ok::<_, std::io::Error>(answer)
/// });
/// let service = RetryLayer::new(engine).layer(empty);
/// let answer = service.oneshot(Request::new(Body::empty())).await?;
/// assert_eq!(answer.status(), StatusCode::NOT_FOUND, "an answer, and no error");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Retry<S, E, T = SystemTime, X = SystemEntropy> {
    inner: S,
    layer: RetryLayer<E, T, X>,
}

impl<S: Clone, E, T, X> Clone for Retry<S, E, T, X> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: self.layer.clone() }
    }
}

impl<S, B, R, E, T, X> Service<Request<Body<B>>> for Retry<S, E, T, X>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Send + 'static,
    R: Send + 'static,
    E: Engine + 'static,
    T: Time + 'static,
    X: Entropy + 'static,
{
    type Response = Response<R>;
    type Error = NoAnswer<ServiceError>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, NoAnswer<ServiceError>>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(|error| {
            let failure = Failure::refused(ServiceError::Service(error.into()));
            not_begun(failure, &self.layer.settings.options)
        })
    }

    fn call(&mut self, request: Request<Body<B>>) -> Self::Future {
        let spare = self.inner.clone();
        let service = mem::replace(&mut self.inner, spare);
        let RetryLayer { driver, settings, classify } = self.layer.clone();
        let (parts, body) = request.into_parts();
        let Prepared { request, stamp, options, nesting } = settings.prepare(
            &parts.method,
            &parts.headers,
            &parts.extensions,
            body.is_replayable(),
            (|| Origin::of(&parts.uri, &parts.headers), driver.time()),
        );
        let call = Call { service, is_ready: true, parts, body, stamp, nesting, classify };
        let session = options.session();
        Box::pin(async move {
            let (mut response, report) = answer(driver.run_in(session, request, call, &options).await)?;
            let report = report.over(response.extensions());
            response.extensions_mut().insert(report);
            Ok(response)
        })
    }
}

/// Of a request whose service cannot be used.
fn not_begun(failure: Failure<ServiceError>, options: &Options) -> NoAnswer<ServiceError> {
    let session = SessionTag::new(options.session(), options.session.clone());
    let (bound, hint, last) = (Bound::None, HintReport::Absent, Last::Failure(failure));
    let (reason, attempts, maybe_applied) = (Reason::Refused, 0, false);
    Ended { reason, bound, hint, asked: None, attempts, maybe_applied, resume: None, last, session }
}
