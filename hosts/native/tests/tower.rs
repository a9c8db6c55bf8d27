//! The tower layer over services under control.

mod bench;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bench::{RULES, engine, join, soon};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use refrain::core::{End, FailureKind, Limits, Millis, Rules, Sample};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::tower::{RetryLayer, ServiceError};
use refrain::{
    Attempt, Body, BoxError, CancellationToken, DirectEngine, Driver, Key, KeyField, Last, NoAnswer, Options, Outgoing,
    Reason, Report,
};
use tower::{Layer, Service, ServiceExt};

type TestLayer = RetryLayer<DirectEngine, TestTime, ScriptedEntropy>;
type Answer = Result<Response<String>, std::io::Error>;

fn layer(rules: Rules) -> (TestLayer, TestTime) {
    let time = TestTime::default();
    (RetryLayer::over(Driver::new(engine(rules), time.clone(), ScriptedEntropy::new(Sample::ONE))), time)
}

/// Answers as scripted. It has to be polled ready before each call, like every service; a clone is not ready.
struct Scripted {
    shared: Arc<Shared>,
    is_ready: bool,
}

#[derive(Default)]
struct Shared {
    script: Mutex<VecDeque<Answer>>,
    seen: Mutex<Vec<Request<Full<Bytes>>>>,
    polled: AtomicU32,
    is_dead: AtomicBool,
}

impl Clone for Scripted {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), is_ready: false }
    }
}

impl Service<Request<Full<Bytes>>> for Scripted {
    type Response = Response<String>;
    type Error = std::io::Error;
    type Future = std::future::Ready<Answer>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), std::io::Error>> {
        self.shared.polled.fetch_add(1, Ordering::Relaxed);
        self.is_ready = true;
        match self.shared.is_dead.load(Ordering::Relaxed) {
            true => Poll::Ready(Err(std::io::Error::other("dead"))),
            false => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        assert!(std::mem::take(&mut self.is_ready), "called without having been polled ready");
        self.shared.seen.lock().expect("no panic").push(request);
        std::future::ready(self.shared.script.lock().expect("no panic").pop_front().expect("an answer"))
    }
}

impl Scripted {
    fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let shared = Shared { script: Mutex::new(answers.into_iter().collect()), ..Shared::default() };
        Self { shared: Arc::new(shared), is_ready: false }
    }

    fn seen(&self) -> Vec<Request<Full<Bytes>>> {
        self.shared.seen.lock().expect("no panic").clone()
    }
}

fn status(status: u16) -> Answer {
    let mut response = Response::new(status.to_string());
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    Ok(response)
}

fn request(method: Method) -> Request<Body<Full<Bytes>>> {
    let mut request = Request::new(Body::bytes("order=1"));
    *request.method_mut() = method;
    request
}

fn report(response: &Response<String>) -> Report {
    response.extensions().get::<Report>().expect("a report").clone()
}

#[tokio::test]
async fn each_attempt_calls_the_service_that_was_polled_ready() {
    let (layer, time) = layer(RULES);
    let scripted = Scripted::new([status(503), Err(std::io::ErrorKind::ConnectionRefused.into()), status(200)]);
    let mut service = layer.layer(scripted.clone());
    service.ready().await.expect("a service that lives");
    let running = tokio::spawn(service.call(request(Method::PUT)));
    sleep_through(&time).await;
    sleep_through(&time).await;
    let response = join(running).await.expect("an answer");
    assert_eq!((response.status().as_u16(), report(&response).attempts), (200, 3));
    assert_eq!(scripted.shared.polled.load(Ordering::Relaxed), 3, "the first call has what the caller polled");
    for seen in scripted.seen() {
        assert_eq!(seen.into_body().collect().await.expect("bytes").to_bytes(), "order=1");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_success_is_handed_over_with_a_report() {
    for (code, end, attempts) in [(404, End::NotRetryable, 1), (503, End::AttemptsUsed, 1)] {
        let (layer, _) = layer(Rules { max_attempts: 1, ..RULES });
        let response =
            layer.layer(Scripted::new([status(code)])).oneshot(request(Method::GET)).await.expect("an answer");
        let report = report(&response);
        assert_eq!((response.status().as_u16(), report.attempts), (code, attempts));
        assert_eq!(report.reason, Reason::Policy(end));
        assert!(report.is_current() && !report.maybe_applied);
    }
}

#[tokio::test]
async fn the_error_says_how_a_request_ended_that_has_no_answer() {
    let (layer, _) = layer(Rules { max_attempts: 1, ..RULES });
    let reset = Scripted::new([Err(std::io::ErrorKind::ConnectionReset.into())]);
    let error = layer.layer(reset).oneshot(request(Method::POST)).await.expect_err("no answer");
    assert_eq!((error.end(), error.attempts, error.maybe_applied), (Some(End::AttemptsUsed), 1, true));
    assert_eq!(error.last.status(), None);
    let boxed: BoxError = error.into();
    assert!(boxed.downcast_ref::<NoAnswer<ServiceError>>().is_some());
    assert_eq!(boxed.to_string(), "the request ended: attempts-used; attempts: 1");
}

#[tokio::test]
async fn a_body_that_can_be_sent_once_is_sent_once() {
    let (layer, _) = layer(RULES);
    let scripted = Scripted::new([status(503)]);
    let once = request(Method::PUT).map(|_| Body::once(Full::new(Bytes::from_static(b"once"))));
    let response = layer.layer(scripted.clone()).oneshot(once).await.expect("an answer");
    assert_eq!(report(&response).reason, Reason::Policy(End::BodyNotReplayable));
    assert_eq!(scripted.seen().len(), 1);
}

#[tokio::test]
async fn a_key_opens_the_gate_only_where_the_server_is_said_to_honour_it() {
    let brought = || {
        let mut request = request(Method::POST);
        request.headers_mut().insert("idempotency-key", HeaderValue::from_static("k-1"));
        request
    };
    let (unsaid, _) = layer(RULES);
    let response = unsaid.layer(Scripted::new([status(503)])).oneshot(brought()).await.expect("an answer");
    assert_eq!(report(&response).reason, Reason::Policy(End::NotIdempotent));

    let mut in_extensions = request(Method::POST);
    in_extensions.extensions_mut().insert("k-1".parse::<Key>().expect("a key"));
    for request in [brought(), in_extensions] {
        let (layer, time) = layer(RULES);
        let scripted = Scripted::new([status(503), status(201)]);
        let running = tokio::spawn(layer.key_field(KeyField::default()).layer(scripted.clone()).oneshot(request));
        sleep_through(&time).await;
        assert_eq!(join(running).await.expect("an answer").status(), 201);
        let keys: Vec<_> = scripted.seen().iter().map(|seen| seen.headers()["idempotency-key"].clone()).collect();
        assert_eq!(keys, ["k-1", "k-1"]);
    }
}

#[tokio::test]
async fn layers_below_see_which_attempt_it_is_and_fresh_headers() {
    let (layer, time) = layer(Rules { attempt_timeout: Some(Millis::new(5_000)), ..RULES });
    let layer = layer.fresh_headers(|outgoing: &Outgoing<'_>| -> Result<HeaderMap, BoxError> {
        let value = HeaderValue::try_from(format!("{} {}", outgoing.attempt.number, outgoing.url))?;
        Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]))
    });
    let scripted = Scripted::new([status(503), status(200)]);
    let mut message = request(Method::GET);
    *message.uri_mut() = "http://a.example/b?c".parse().expect("a URI");
    let running = tokio::spawn(layer.layer(scripted.clone()).oneshot(message));
    sleep_through(&time).await;
    join(running).await.expect("an answer");
    let seen = scripted.seen();
    let attempts: Vec<_> = seen.iter().filter_map(|seen| seen.extensions().get::<Attempt>()).collect();
    let attempt = |number| Attempt { number, timeout: Some(Millis::new(5_000)), max: Some(4) };
    assert_eq!(attempts, [&attempt(1), &attempt(2)]);
    let signed: Vec<_> = seen.iter().map(|seen| seen.headers()["authorization"].to_str().expect("text")).collect();
    assert_eq!(signed, ["1 http://a.example/b?c", "2 http://a.example/b?c"]);
}

#[tokio::test]
async fn limits_and_handles_come_with_the_request() {
    let (layer, _) = layer(RULES);
    let mut limited = request(Method::GET);
    limited.extensions_mut().insert(Limits { max_attempts: Some(1), ..Limits::NONE });
    let response = layer.layer(Scripted::new([status(503)])).oneshot(limited).await.expect("an answer");
    assert_eq!(report(&response).reason, Reason::Policy(End::AttemptsUsed));

    let mut cancelled = request(Method::GET);
    let cancel = CancellationToken::new();
    cancel.cancel();
    cancelled.extensions_mut().insert(Options { cancel: Some(cancel), ..Options::default() });
    let error = layer.layer(Scripted::new([])).oneshot(cancelled).await.expect_err("no answer");
    assert_eq!((error.end(), error.attempts), (Some(End::Cancelled), 0));
}

#[tokio::test]
async fn a_service_whose_readiness_failed_is_not_called() {
    let (layer, time) = layer(RULES);
    let dead = Scripted::new([]);
    dead.shared.is_dead.store(true, Ordering::Relaxed);
    let error = layer.layer(dead).oneshot(request(Method::GET)).await.expect_err("dead");
    assert_eq!((&error.reason, error.attempts), (&Reason::Refused, 0));

    let dies = Scripted::new([status(503)]);
    let running = tokio::spawn(layer.layer(dies.clone()).oneshot(request(Method::GET)));
    let until = soon(time.wait_entered()).await;
    dies.shared.is_dead.store(true, Ordering::Relaxed);
    time.set_mark(until);
    let error = join(running).await.expect_err("dead");
    assert_eq!((&error.reason, error.attempts, dies.seen().len()), (&Reason::Refused, 1, 1));
    let Last::Failure(failure) = error.last else { panic!("expected a failure, not {:?}", error.last) };
    assert_eq!(failure.source.map(|error| error.to_string()).as_deref(), Some("dead"));
}

#[tokio::test]
async fn what_an_error_proves_may_be_told() {
    let (layer, time) = layer(RULES);
    let layer = layer.classify(|error| match error.to_string().as_str() {
        "shed" => FailureKind::Unprocessed,
        _ => FailureKind::Ambiguous,
    });
    let scripted = Scripted::new([Err(std::io::Error::other("shed")), status(201)]);
    let running = tokio::spawn(layer.layer(scripted).oneshot(request(Method::POST)));
    sleep_through(&time).await;
    let response = join(running).await.expect("an answer");
    assert_eq!((response.status().as_u16(), report(&response).maybe_applied), (201, false));
}

async fn sleep_through(time: &TestTime) {
    let until = soon(time.wait_entered()).await;
    // A limit of an attempt that has ended is no wait.
    time.set_mark(until);
}
