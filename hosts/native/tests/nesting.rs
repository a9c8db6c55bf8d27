//! Layers that retry on top of one another, in one process and across servers: sends never multiply.

mod bench;
mod loopback;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bench::{RULES, engine, join, soon};
use http::header::{HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Request, Response, StatusCode};
use loopback::{Act, BUSY, Server};
use refrain::core::{Backoff, End, Mark, Millis, Rules, Sample};
use refrain::middleware::RetryMiddleware;
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::tower::RetryLayer;
use refrain::{Body, Client, DirectEngine, Driver, Nesting, Options, Reason, Report};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

/// Four attempts without a wait.
const AT_ONCE: Rules =
    Rules { transient: Backoff::doubling(Millis::ZERO), throttled: Backoff::doubling(Millis::ZERO), ..RULES };

type TestDriver = Driver<DirectEngine, TestTime, ScriptedEntropy>;
type TestLayer = RetryLayer<DirectEngine, TestTime, ScriptedEntropy>;
/// What a layer hands to the one below.
type Nested = Body<Body<Body<()>>>;

fn driver(rules: Rules) -> TestDriver {
    Driver::new(engine(rules), TestTime::default(), ScriptedEntropy::new(Sample::ONE))
}

fn layer(rules: Rules) -> TestLayer {
    RetryLayer::over(driver(rules))
}

fn answer(status: u16) -> Response<()> {
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    response
}

/// A server that is told how often it was asked before, and how often it was asked in all.
fn serving(
    reply: impl Fn(u32) -> Response<()> + Clone + Send + 'static,
) -> (
    impl Service<Request<()>, Response = Response<()>, Error = std::io::Error, Future: Send> + Clone + Send + 'static,
    Arc<AtomicU32>,
) {
    let sends = Arc::new(AtomicU32::new(0));
    let count = sends.clone();
    let service = service_fn(move |_| std::future::ready(Ok(reply(count.fetch_add(1, Ordering::Relaxed)))));
    (service, sends)
}

const DEAD: fn(u32) -> Response<()> = |_| answer(503);

/// Busy at first, with this hint.
fn busy_once(said: &'static str) -> impl Fn(u32) -> Response<()> + Clone {
    move |before| {
        let mut response = answer(if before == 0 { 503 } else { 200 });
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(said));
        response
    }
}

fn made_anew<B: Default + 'static>() -> Body<B> {
    Body::from_fn(B::default)
}

fn report(response: &Response<()>) -> &Report {
    response.extensions().get().expect("a report")
}

#[tokio::test]
async fn two_layers_send_as_often_as_one() {
    let (service, sends) = serving(DEAD);
    let stack = layer(AT_ONCE).layer(layer(AT_ONCE).layer(service));
    let response = stack.oneshot(Request::new(made_anew())).await.expect("an answer");
    assert_eq!(sends.load(Ordering::Relaxed), 4);
    assert_eq!((&report(&response).reason, report(&response).attempts), (&Reason::Policy(End::Nested), 4));
}

#[tokio::test]
async fn what_the_lowest_layer_deferred_can_go_on_later() {
    let busy = service_fn(|_: Request<()>| {
        let mut response = answer(503);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("100"));
        std::future::ready(Ok::<_, std::io::Error>(response))
    });
    let stack = ServiceBuilder::new().layer(layer(AT_ONCE)).layer(layer(AT_ONCE)).layer(layer(AT_ONCE)).service(busy);
    let request: Request<Nested> = Request::new(made_anew());
    let response = stack.oneshot(request).await.expect("an answer");
    let Report { reason, attempts, resume, .. } = report(&response);
    let resume = resume.expect("something to go on with");
    assert_eq!((reason, attempts), (&Reason::Policy(End::Nested), &1));
    assert_eq!((resume.delay, resume.attempts_used), (Millis::new(100_000), 1));
}

#[tokio::test]
async fn three_layers_send_as_often_as_one() {
    let (service, sends) = serving(DEAD);
    let stack =
        ServiceBuilder::new().layer(layer(AT_ONCE)).layer(layer(AT_ONCE)).layer(layer(AT_ONCE)).service(service);
    let request: Request<Nested> = Request::new(made_anew());
    let response = stack.oneshot(request).await.expect("an answer");
    assert_eq!(sends.load(Ordering::Relaxed), 4);
    assert_eq!((&report(&response).reason, report(&response).attempts), (&Reason::Policy(End::Nested), 4));
}

#[tokio::test]
async fn the_lowest_limit_of_all_layers_holds() {
    for limits in [[2, 9, 9], [9, 2, 9], [9, 9, 2]] {
        let (service, sends) = serving(DEAD);
        let [upper, middle, lower] = limits.map(|max_attempts| layer(Rules { max_attempts, ..AT_ONCE }));
        let stack = ServiceBuilder::new().layer(upper).layer(middle).layer(lower).service(service);
        let request: Request<Nested> = Request::new(made_anew());
        let response = stack.oneshot(request).await.expect("an answer");
        assert_eq!((sends.load(Ordering::Relaxed), report(&response).attempts), (2, 2), "{limits:?}");
    }
}

#[tokio::test]
async fn a_layer_that_retries_what_the_one_below_does_not_counts_on() {
    let (service, sends) = serving(DEAD);
    let deaf =
        Rules { retry: refrain::core::StatusSet::of(&[502]), throttle: refrain::core::StatusSet::EMPTY, ..AT_ONCE };
    let stack = layer(AT_ONCE).layer(layer(deaf).layer(service));
    let response = stack.oneshot(Request::new(made_anew())).await.expect("an answer");
    assert_eq!(sends.load(Ordering::Relaxed), 4);
    assert_eq!((&report(&response).reason, report(&response).attempts), (&Reason::Policy(End::AttemptsUsed), 4));
}

/// The upper layer gives up its first attempt while the lowest, after two sends, waits to send again.
#[tokio::test]
async fn sends_of_an_attempt_that_was_cut_short_count() {
    let (service, sends) = serving(DEAD);
    let upper = driver(Rules { attempt_timeout: Some(Millis::new(2_500)), ..AT_ONCE });
    let time = upper.time().clone();
    let slow = Driver::new(engine(RULES), time.clone(), ScriptedEntropy::new(Sample::ONE));
    let stack = ServiceBuilder::new()
        .layer(RetryLayer::over(upper))
        .layer(layer(AT_ONCE))
        .layer(RetryLayer::over(slow))
        .service(service);
    let request: Request<Nested> = Request::new(made_anew());
    let running = tokio::spawn(stack.oneshot(request));
    wait_until(&time, 1_000).await;
    time.set_mark(Mark::new(1_000));
    wait_until(&time, 3_000).await;
    assert_eq!(sends.load(Ordering::Relaxed), 2);
    time.set_mark(Mark::new(2_500));
    // The second attempt of the upper layer joins a request of two sends, which has two left.
    wait_until(&time, 6_500).await;
    time.set_mark(Mark::new(6_500));
    let response = join(running).await;
    assert_eq!(sends.load(Ordering::Relaxed), 4, "{response:?}");
}

/// The upper layer gives up its first attempt while the lower waits as long as the server asked.
async fn holds_above(said: &'static str) {
    let (busy, sends) = serving(busy_once(said));
    let upper = driver(Rules { attempt_timeout: Some(Millis::new(2_500)), ..AT_ONCE });
    let time = upper.time().clone();
    let lower = Driver::new(engine(RULES), time.clone(), ScriptedEntropy::new(Sample::ONE));
    let stack = RetryLayer::over(upper).layer(RetryLayer::over(lower).layer(busy));
    let running = tokio::spawn(stack.oneshot(Request::new(made_anew())));
    wait_until(&time, 10_000).await;
    time.set_mark(Mark::new(2_500));
    wait_until(&time, 10_000).await;
    time.set_mark(Mark::new(9_999));
    time.wake_early();
    wait_until(&time, 10_000).await;
    assert_eq!(sends.load(Ordering::Relaxed), 1);
    time.set_mark(Mark::new(10_000));
    let response = join(running).await.expect("an answer");
    assert_eq!((response.status(), sends.load(Ordering::Relaxed)), (StatusCode::OK, 2));
}

#[tokio::test]
async fn what_a_lower_layer_was_asked_holds_for_those_above() {
    holds_above("10").await;
}

#[tokio::test]
async fn the_longer_of_two_values_that_a_lower_layer_was_sent_holds_for_those_above() {
    holds_above("3, 10").await;
}

/// What stands between the layers sends again what the lower one has deferred.
#[tokio::test]
async fn what_was_deferred_with_or_without_an_end_holds_for_what_is_sent_again_in_the_same_attempt() {
    for said in ["120", "9007199254741", "99999999999999999999", "120, 99999999999999999999"] {
        let (busy, sends) = serving(busy_once(said));
        let lower = layer(AT_ONCE).layer(busy);
        let again = service_fn(move |request: Request<Body<()>>| {
            let (first, second) = (lower.clone(), lower.clone());
            let mut repeated = Request::new(made_anew());
            *repeated.extensions_mut() = request.extensions().clone();
            async move {
                let _ = first.oneshot(request).await;
                second.oneshot(repeated).await
            }
        });
        let ended = layer(AT_ONCE).layer(again).oneshot(Request::new(made_anew())).await;
        assert_eq!(sends.load(Ordering::Relaxed), 1, "{said}: {ended:?}");
    }
}

/// Completes when a wait until this mark is entered; the limits of attempts enter waits too.
async fn wait_until(time: &TestTime, mark: u64) {
    while soon(time.wait_entered()).await != Mark::new(mark) {}
}

#[tokio::test]
async fn middlewares_on_top_of_one_another_send_as_often_as_one() {
    let server = Server::start(&[BUSY]).await;
    for layers in [2, 3] {
        let once = reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build().expect("a client");
        let builder = (0..layers).fold(reqwest_middleware::ClientBuilder::new(once), |builder, _| {
            builder.with(RetryMiddleware::over(driver(AT_ONCE)))
        });
        let before = server.requests().len();
        let response = builder.build().get(&server.url).send().await.expect("an answer");
        let report = response.extensions().get::<Report>().expect("a report");
        assert_eq!((server.requests().len() - before, report.attempts), (4, 4));
        assert_eq!(report.reason, Reason::Policy(End::Nested));
    }
}

#[tokio::test]
async fn an_attempt_is_announced_only_where_the_settings_say_so() {
    let server = Server::start(&[BUSY]).await;
    let silent = client(AT_ONCE, false);
    silent.get(&server.url).send().await.expect_err("no success");
    assert!(server.requests().iter().all(|request| !request.contains("refrain-attempt")));
    let telling = client(AT_ONCE, true);
    telling.get(&server.url).send().await.expect_err("no success");
    for (number, request) in (1..=4).zip(&server.requests()[4..]) {
        assert!(request.contains(&format!("refrain-attempt: {number};max=4\r\n")), "{request}");
    }
}

#[tokio::test]
async fn across_servers_the_outermost_layer_alone_retries() {
    let dead = Server::start(&[BUSY]).await;
    let middle = relay(dead.url.clone()).await;
    let outer = relay(middle.clone()).await;
    for (entrance, expected) in [(&middle, 4), (&outer, 4)] {
        let before = dead.requests().len();
        let error = client(AT_ONCE, true).get(entrance).send().await.expect_err("no success");
        assert_eq!((error.status(), error.attempts()), (Some(503), 4));
        assert_eq!(dead.requests().len() - before, expected);
    }
    let before = dead.requests().len();
    let error = client(AT_ONCE, false).get(&middle).send().await.expect_err("no success");
    assert_eq!(
        (error.attempts(), dead.requests().len() - before),
        (4, 16),
        "this is what happens where nobody says so"
    );
}

#[tokio::test]
async fn what_a_caller_said_is_true_of_each_request_that_its_server_makes() {
    let server = Server::start(&[BUSY]).await;
    let told = HeaderMap::from_iter([(Nesting::FIELD, http::HeaderValue::from_static("1;max=4"))]);
    let options = Options { nesting: Nesting::from_headers(&told), ..Options::default() };
    let client = client(AT_ONCE, true);
    let (service, sends) = serving(DEAD);
    let service = layer(AT_ONCE).options(options.clone()).layer(service);
    for number in 1..=6 {
        let error = client.get(&server.url).options(options.clone()).send().await.expect_err("no success");
        assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Policy(End::Nested)), 1));
        let answer = service.clone().oneshot(Request::new(made_anew())).await.expect("an answer");
        assert_eq!((&report(&answer).reason, report(&answer).attempts), (&Reason::Policy(End::Nested), 1));
        assert_eq!((server.requests().len(), sends.load(Ordering::Relaxed)), (number as usize, number));
    }
    assert!(server.requests().iter().all(|request| request.contains("refrain-attempt: 1;max=4\r\n")), "passed on");
}

fn client(rules: Rules, announces: bool) -> Client<DirectEngine, TestTime, ScriptedEntropy> {
    let builder = Client::builder(engine(rules)).time(TestTime::default()).entropy(ScriptedEntropy::new(Sample::ONE));
    let builder = builder.http(reqwest::Client::builder().no_proxy());
    if announces { builder.announce() } else { builder }.build().expect("a client")
}

/// A server that asks another with retries of its own, and says 503 if that brings no success.
async fn relay(to: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let client = client(AT_ONCE, true);
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let (client, to) = (client.clone(), to.clone());
            tokio::spawn(async move {
                let request = loopback::read_request(&mut stream).await.expect("a request");
                let fields = request.lines().filter_map(|line| line.split_once(": "));
                let fields = fields.map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
                let headers: HeaderMap = fields.collect::<Option<_>>().expect("headers");
                let options = Options { nesting: Nesting::from_headers(&headers), ..Options::default() };
                let answer = client.get(&to).options(options).send().await;
                let Act::Say(said) = (if answer.is_ok() { loopback::OK } else { BUSY }) else { unreachable!() };
                stream.write_all(said.as_bytes()).await.expect("an open connection");
            });
        }
    });
    url
}
