//! The middleware for reqwest-middleware, against a real server on loopback. Only its time is under control.

mod bench;
mod loopback;

use bench::{RULES, engine, join, soon};
use http::{HeaderMap, HeaderValue};
use loopback::{Act, BUSY, OK, Server};
use refrain::core::{End, FailureKind, Limits, Rules, Sample};
use refrain::middleware::{MiddlewareError, RetryMiddleware};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{
    Attempt, BoxError, DirectEngine, Driver, Key, KeyField, KeyForm, Last, NoAnswer, Outgoing, Reason, Refusal, Report,
};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Next};

type TestMiddleware = RetryMiddleware<DirectEngine, TestTime, ScriptedEntropy>;

fn build(rules: Rules, with: impl FnOnce(TestMiddleware) -> TestMiddleware) -> (ClientWithMiddleware, TestTime) {
    let time = TestTime::default();
    let middleware = RetryMiddleware::over(Driver::new(engine(rules), time.clone(), ScriptedEntropy::new(Sample::ONE)));
    let once = reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build().expect("a client");
    (ClientBuilder::new(once).with(with(middleware)).with(seen).build(), time)
}

/// Tells the server which attempt it saw.
fn seen<'a>(
    mut request: reqwest::Request,
    extensions: &'a mut http::Extensions,
    next: Next<'a>,
) -> std::pin::Pin<Box<dyn Future<Output = reqwest_middleware::Result<reqwest::Response>> + Send + 'a>> {
    let number = extensions.get::<Attempt>().map_or(0, |attempt| attempt.number);
    request.headers_mut().insert("x-attempt", number.into());
    next.run(request, extensions)
}

#[tokio::test]
async fn middlewares_below_run_once_an_attempt_and_see_its_number() {
    let server = Server::start(&[BUSY, BUSY, OK]).await;
    let (client, time) = build(RULES, |middleware| middleware);
    let running = tokio::spawn(client.get(&server.url).send());
    sleep_through(&time).await;
    sleep_through(&time).await;
    let response = join(running).await.expect("an answer");
    assert_eq!(response.extensions().get::<Report>().map(|report| report.attempts), Some(3));
    assert_eq!(response.text().await.expect("a body"), "hello");
    for (number, request) in (1..).zip(server.requests()) {
        assert!(request.contains(&format!("x-attempt: {number}\r\n")), "{request}");
    }
}

#[tokio::test]
async fn one_key_goes_out_on_every_attempt_in_the_form_of_its_field() {
    let server = Server::start(&[BUSY, OK]).await;
    let field = KeyField { form: KeyForm::Quoted, ..KeyField::default() };
    let (client, time) = build(RULES, |middleware| middleware.key_field(field));
    let request = client.post(&server.url).body("order=1").with_extension("k-1".parse::<Key>().expect("a key"));
    let running = tokio::spawn(request.send());
    sleep_through(&time).await;
    assert!(join(running).await.expect("an answer").status().is_success());
    let requests = server.requests();
    assert!(
        requests.iter().all(|request| request.contains("idempotency-key: \"k-1\"\r\n") && request.ends_with("order=1"))
    );
}

#[tokio::test]
async fn an_answer_that_is_no_success_is_handed_over_with_a_report() {
    let server = Server::start(&[BUSY]).await;
    let (client, _) = build(RULES, |middleware| middleware);
    let limits = Limits { max_attempts: Some(1), ..Limits::NONE };
    let response = client.get(&server.url).with_extension(limits).send().await.expect("an answer");
    let report = response.extensions().get::<Report>().expect("a report").clone();
    assert_eq!((response.status().as_u16(), report.reason), (503, Reason::Policy(End::AttemptsUsed)));

    let stream = reqwest::Body::wrap(http_body_util::Full::new(&b"once"[..]));
    let response = client.put(&server.url).body(stream).send().await.expect("an answer");
    let report = response.extensions().get::<Report>().expect("a report");
    assert_eq!(report.reason, Reason::Policy(End::BodyNotReplayable));
}

#[tokio::test]
async fn the_error_says_how_a_request_ended_that_has_no_answer() {
    let server = Server::start(&[Act::Reset]).await;
    let (client, _) = build(Rules { max_attempts: 1, ..RULES }, |middleware| middleware);
    let ended = no_answer(client.post(&server.url).send().await);
    assert_eq!((ended.end(), ended.attempts, ended.maybe_applied), (Some(End::AttemptsUsed), 1, true));
    assert!(matches!(&ended.last, Last::Failure(failure) if failure.kind == FailureKind::Ambiguous));
}

#[tokio::test]
async fn a_key_changed_under_way_ends_the_request() {
    let server = Server::start(&[OK]).await;
    let (client, _) = build(RULES, |middleware| {
        middleware.fresh_headers(|_: &Outgoing<'_>| -> Result<HeaderMap, BoxError> {
            Ok(HeaderMap::from_iter([(KeyField::default().name, HeaderValue::from_static("another"))]))
        })
    });
    let ended = no_answer(client.post(&server.url).header("idempotency-key", "k-1").send().await);
    assert_eq!((&ended.reason, ended.attempts, server.requests().len()), (&Reason::Refused, 0, 0));
    let Last::Failure(failure) = ended.last else { panic!("expected a failure, not {:?}", ended.last) };
    assert!(matches!(failure.source, Some(MiddlewareError::Refused(Refusal::KeyChanged))));
}

fn no_answer(result: reqwest_middleware::Result<reqwest::Response>) -> NoAnswer<MiddlewareError> {
    match result {
        Err(reqwest_middleware::Error::Middleware(error)) => error.downcast().expect("how it ended"),
        other => panic!("expected no answer, not {other:?}"),
    }
}

async fn sleep_through(time: &TestTime) {
    let until = soon(time.wait_entered()).await;
    time.set_mark(until);
}
