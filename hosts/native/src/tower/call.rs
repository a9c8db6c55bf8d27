//! One logical request over a service, able to be sent.

use std::{error::Error, fmt, future::poll_fn, mem, sync::Arc};

use http::{Request, Response, request::Parts};
use policy_core::FailureKind;
use tower_service::Service;

use crate::{
    body::Body,
    fresh::{BoxError, Refusal},
    nesting::Nesting,
    stamp::Stamp,
    transport::{Attempt, Attempted, Failure, Transport, kind_of},
};

/// One logical request over a service.
pub(super) struct Call<S, B> {
    pub(super) service: S,
    /// The service was polled ready and not called since.
    pub(super) is_ready: bool,
    pub(super) parts: Parts,
    pub(super) body: Body<B>,
    pub(super) stamp: Stamp,
    pub(super) nesting: Nesting,
    pub(super) classify: Classify,
}

impl<S, B> Call<S, B>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError>,
{
    async fn ready(&mut self) -> Result<(), ServiceError> {
        if !mem::replace(&mut self.is_ready, false) {
            let ready = poll_fn(|cx| self.service.poll_ready(cx)).await;
            ready.map_err(|error| ServiceError::Service(error.into()))?;
        }
        Ok(())
    }

    async fn message(&mut self, attempt: Attempt) -> Result<Request<B>, ServiceError> {
        let body = self.body.for_attempt().ok_or(Refusal::BodySpent).map_err(ServiceError::Refused)?;
        let mut parts = self.parts.clone();
        self.stamp.put(attempt, &parts.method, &parts.uri, &mut parts.headers).await.map_err(ServiceError::Refused)?;
        parts.extensions.insert(attempt);
        parts.extensions.insert(self.nesting.below(attempt));
        Ok(Request::from_parts(parts, body))
    }
}

impl<S, B, R> Transport for Call<S, B>
where
    S: Service<Request<B>, Response = Response<R>> + Send,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Send,
    R: Send,
{
    type Response = Response<R>;
    type Error = ServiceError;

    async fn attempt(&mut self, attempt: Attempt) -> Attempted<Response<R>, ServiceError> {
        let message = match self.message(attempt).await {
            Ok(message) => message,
            Err(error) => return Err(Failure::refused(error)).into(),
        };
        // A service whose readiness failed is not to be used again.
        if let Err(error) = self.ready().await {
            return Err(Failure::refused(error)).into();
        }
        let sent = self.service.call(message).await;
        sent.map_err(|error| {
            let error = error.into();
            Failure::new((self.classify.0)(error.as_ref()), ServiceError::Service(error))
        })
        .into()
    }
}

/// Why an attempt over a service brought no answer.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// use http::{Request, Response};
/// use refrain::tower::{RetryLayer, ServiceError};
/// use refrain::{Body, Last};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use refrain::{DirectEngine, Driver, core::{Policy, Rules, Sample}, testing::{ScriptedEntropy, TestTime}};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// # let layer = RetryLayer::over(Driver::new(engine, TestTime::default(), ScriptedEntropy::new(Sample::ZERO)));
/// let down = service_fn(|_: Request<()>| async { Err::<Response<()>, _>(Error::from(ErrorKind::ConnectionRefused)) });
/// let error = layer.layer(down).oneshot(Request::new(Body::empty())).await.expect_err("no server");
/// let Last::Failure(failure) = error.last else { panic!("no failure") };
/// assert!(matches!(failure.source, Some(ServiceError::Service(_))));
/// assert_eq!(error.attempts, 4);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ServiceError {
    /// What the service reports.
    Service(BoxError),
    /// The attempt was not made.
    Refused(Refusal),
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl Error for ServiceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Service(error) => error.source(),
            Self::Refused(refusal) => refusal.source(),
        }
    }
}

/// What an error proves.
#[derive(Clone)]
pub(super) struct Classify(pub(super) Arc<Classifier>);

type Classifier = dyn Fn(&(dyn Error + 'static)) -> FailureKind + Send + Sync;

impl Default for Classify {
    fn default() -> Self {
        Self(Arc::new(kind_of))
    }
}

impl fmt::Debug for Classify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Classify(..)")
    }
}
