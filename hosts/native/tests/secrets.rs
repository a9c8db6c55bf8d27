//! A run full of secrets, through the client, the tower layer and the middleware, with everything captured that an observer
//! of this crate emits: none of it has a secret in it.

mod bench;
mod capture;
mod loopback;

use std::sync::{Arc, Mutex};

use bench::{RULES, engine, join, soon};
use bytes::Bytes;
use capture::Capture;
use http::{HeaderMap, HeaderValue};
use http_body_util::Full;
use hyper_util::{client::legacy::Client as HyperClient, rt::TokioExecutor};
use loopback::{Act, Server};
use metrics_util::debugging::DebuggingRecorder;
use refrain::core::Sample;
use refrain::middleware::RetryMiddleware;
use refrain::observer::{Call, MetricsObserver, Trace, TracingObserver};
use refrain::record::Recording;
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::tower::RetryLayer;
use refrain::{
    Body, BoxError, Client, DirectEngine, Driver, Engine, Key, KeyField, Observer, Options, Outgoing, SessionHandle,
};
use tower::{Layer, ServiceExt};

/// In each secret, and in nothing else.
const MARK: &str = "s3cr3t";
const KEY: &str = "s3cr3t-key";
const BODY: &str = "s3cr3t-body";

/// What the server says: secrets in the text of a hint, in a field that nobody asks for, in the body and beside the status;
/// then nothing; then a success.
const ACTS: &[Act] = &[
    Act::Say(
        "HTTP/1.1 503 s3cr3t-phrase\r\nretry-after: s3cr3t-hint\r\nset-cookie: s3cr3t-cookie\r\n\
         content-length: 13\r\n\r\ns3cr3t-answer",
    ),
    Act::Reset,
    Act::Say("HTTP/1.1 201 Created\r\nset-cookie: s3cr3t-cookie\r\ncontent-length: 13\r\n\r\ns3cr3t-answer"),
];

fn url(server: &Server, user: &str) -> String {
    let host = server.url.trim_start_matches("http://").trim_end_matches('/');
    format!("http://{user}{host}/s3cr3t-path?token=s3cr3t-query")
}

fn bearer(_: &Outgoing<'_>) -> Result<HeaderMap, BoxError> {
    let fields = [("authorization", "Bearer s3cr3t-bearer"), ("cookie", "id=s3cr3t-id"), ("x-api-key", "s3cr3t-api")];
    let field =
        |(name, value)| Ok::<_, BoxError>((http::HeaderName::from_static(name), HeaderValue::from_static(value)));
    fields.into_iter().map(field).collect()
}

/// Writes down all that an observer is told.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<String>>);

impl Everything {
    fn note(&self, what: &dyn std::fmt::Debug) {
        *self.0.lock().expect("no panic") += &format!("{what:?}\n");
    }
}

impl Observer for Everything {
    fn event(&self, trace: &Trace) {
        self.note(trace);
    }

    fn called(&self, call: &Call<'_>) {
        self.note(call);
    }
}

/// Every observer there is, and what each of them emits.
struct Ears {
    options: Options,
    capture: Capture,
    told: Everything,
    recording: Arc<Recording<Vec<u8>>>,
    metrics: DebuggingRecorder,
    _guard: tracing::subscriber::DefaultGuard,
}

impl Ears {
    fn new(hints: bool) -> Self {
        let (capture, guard) = Capture::start();
        let metrics = DebuggingRecorder::new();
        let counts = metrics::with_local_recorder(&metrics, || MetricsObserver::new(engine(RULES).description()));
        let (told, recording) = (Everything::default(), Recording::new(Vec::new()));
        let recording = Arc::new(if hints { recording.with_hints() } else { recording });
        let observer = ((TracingObserver, counts), (told.clone(), recording.clone()));
        let options = Options {
            session: Some(SessionHandle::new().expect("a system with entropy")),
            observer: Some(Arc::new(observer)),
            ..Options::default()
        };
        Self { options, capture, told, recording, metrics, _guard: guard }
    }

    /// Everything that was emitted, by the name of what emitted it.
    fn heard(self) -> [(&'static str, String); 4] {
        drop(self.options);
        let recorded = Arc::into_inner(self.recording).expect("no other owner").finish().expect("memory");
        let metrics = self.metrics.snapshotter().snapshot().into_vec();
        [
            ("tracing", self.capture.text()),
            ("observer", self.told.0.lock().expect("no panic").clone()),
            ("recording", String::from_utf8(recorded).expect("JSON is text")),
            ("metrics", format!("{metrics:?}")),
        ]
    }
}

/// A run of three attempts, of which the first two failed, was heard, and no secret with it.
fn assert_silent(heard: [(&'static str, String); 4]) {
    let proofs = [
        ("tracing", r#""http.request.resend_count":2"#),
        ("observer", "WaitPlanned"),
        ("recording", r#""status":503"#),
        ("metrics", "refrain.retries"),
    ];
    for ((what, text), (name, proof)) in heard.into_iter().zip(proofs) {
        assert!(what == name && text.contains(proof), "{what} heard nothing: {text}");
        assert!(!text.contains(MARK), "{what}: {text}");
    }
}

/// The server saw each secret in all three attempts, so that there was something to be heard.
fn assert_sent(server: &Server) {
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for secret in ["s3cr3t-path", "s3cr3t-query", "s3cr3t-bearer", "s3cr3t-id", "s3cr3t-api", KEY, BODY] {
        assert!(requests.iter().all(|request| request.contains(secret)), "{secret} was not sent: {requests:?}");
    }
}

fn driver(time: &TestTime) -> Driver<DirectEngine, TestTime, ScriptedEntropy> {
    Driver::new(engine(RULES), time.clone(), ScriptedEntropy::new(Sample::ONE))
}

async fn sleep_through(time: &TestTime) {
    let until = soon(time.wait_entered()).await;
    time.set_mark(until);
}

fn key() -> Key {
    KEY.parse().expect("a key")
}

async fn run_the_client(server: &Server, options: Options) {
    let time = TestTime::default();
    let builder = Client::builder(engine(RULES)).time(time.clone()).entropy(ScriptedEntropy::new(Sample::ONE));
    let http = reqwest::Client::builder().no_proxy();
    let client = builder.http(http).options(options).fresh_headers(bearer).build().expect("a client");
    let url = url(server, "user:s3cr3t-password@");
    let running = tokio::spawn(async move { client.post(&url).body(BODY).key(key()).send().await });
    sleep_through(&time).await;
    sleep_through(&time).await;
    assert_eq!(join(running).await.expect("a success").response.body().as_ref(), b"s3cr3t-answer");
}

#[tokio::test]
async fn no_observer_of_the_client_lets_a_secret_out() {
    let (server, ears) = (Server::start(ACTS).await, Ears::new(false));
    run_the_client(&server, ears.options.clone()).await;
    assert_sent(&server);
    assert_silent(ears.heard());
}

#[tokio::test]
async fn no_observer_of_the_tower_layer_lets_a_secret_out() {
    let (server, ears, time) = (Server::start(ACTS).await, Ears::new(false), TestTime::default());
    let client = HyperClient::builder(TokioExecutor::new()).retry_canceled_requests(false).build_http::<Full<Bytes>>();
    let layer = RetryLayer::over(driver(&time)).options(ears.options.clone()).fresh_headers(bearer);
    let request = http::Request::post(url(&server, "")).extension(key()).body(Body::bytes(BODY)).expect("a request");
    let running = tokio::spawn(layer.layer(client).oneshot(request));
    sleep_through(&time).await;
    sleep_through(&time).await;
    assert_eq!(join(running).await.expect("an answer").status(), 201);
    drop(layer);
    assert_sent(&server);
    assert_silent(ears.heard());
}

#[tokio::test]
async fn no_observer_of_the_middleware_lets_a_secret_out() {
    let (server, ears, time) = (Server::start(ACTS).await, Ears::new(false), TestTime::default());
    let once = reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build().expect("a client");
    let middleware = RetryMiddleware::over(driver(&time)).options(ears.options.clone()).fresh_headers(bearer);
    let client = reqwest_middleware::ClientBuilder::new(once).with(middleware.key_field(KeyField::default())).build();
    let request = client.post(url(&server, "user:s3cr3t-password@")).body(BODY).with_extension(key());
    drop(client);
    let running = tokio::spawn(request.send());
    sleep_through(&time).await;
    sleep_through(&time).await;
    assert_eq!(join(running).await.expect("an answer").status(), 201);
    assert_sent(&server);
    assert_silent(ears.heard());
}

#[tokio::test]
async fn a_hints_text_is_heard_where_it_was_asked_for_and_nothing_else() {
    let (server, ears) = (Server::start(ACTS).await, Ears::new(true));
    run_the_client(&server, ears.options.clone()).await;
    let [tracing, observer, (_, recorded), metrics] = ears.heard();
    assert_eq!(recorded.matches(MARK).count(), 1);
    assert!(recorded.contains(r#""retry-after":"s3cr3t-hint""#), "{recorded}");
    for (what, text) in [tracing, observer, metrics] {
        assert!(!text.contains(MARK), "{what}: {text}");
    }
}

#[tokio::test]
async fn a_secret_that_is_let_out_is_heard() {
    let ears = Ears::new(false);
    tracing::trace!(secret = "s3cr3t-let-out", "of another target");
    let _span = tracing::trace_span!("span", secret = "s3cr3t-in-a-span");
    metrics::with_local_recorder(&ears.metrics, || metrics::counter!("leak", "of" => "s3cr3t-let-out").increment(1));
    ears.told.note(&"s3cr3t-let-out");
    let [(_, tracing), (_, observer), _, (_, metrics)] = ears.heard();
    for secret in ["s3cr3t-let-out", "s3cr3t-in-a-span"] {
        assert!(tracing.contains(secret), "{tracing}");
    }
    assert!(observer.contains(MARK) && metrics.contains(MARK), "{observer} {metrics}");
}
