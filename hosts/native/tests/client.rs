//! The small client against a real server on loopback. Only its time is under control.

mod bench;
mod loopback;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bench::{RULES, engine, join, soon};
use http::{HeaderMap, HeaderName, HeaderValue};
use loopback::{Act, BUSY, OK, Server};
use refrain::core::{BudgetRules, DeadlineScope, End, FailureKind, Limits, Mark, Millis, Rules, Sample, Tokens};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{
    Body, BoxError, CancellationToken, Client, ClientBuilder, ClientError, DirectEngine, Key, KeyField, KeyForm, Last,
    Options, Outgoing, Reason, Refusal, SendError, SessionHandle,
};

type TestClient = Client<DirectEngine, TestTime, ScriptedEntropy>;

const PUT_RULES: Rules = Rules { attempt_timeout: Some(Millis::new(5_000)), ..RULES };
const CREATED: Act = Act::Say("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");
/// Half of the announced body, until the test goes on.
const HALF: &str = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello";

#[tokio::test]
async fn the_data_comes_after_as_many_real_requests_as_there_were_attempts() {
    let server = Server::start(&[BUSY, BUSY, OK]).await;
    let (client, time) = client(RULES);
    let (url, sender) = (server.url.clone(), client.clone());
    let running = tokio::spawn(async move { sender.get(&url).send().await });
    assert_eq!(sleep_through(&time).await, 1_000);
    assert_eq!(sleep_through(&time).await, 3_000);
    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.response.body().as_ref(), delivered.attempts), (&b"hello"[..], 3));
    let requests = server.requests();
    assert!(requests.len() == 3 && requests[0].starts_with("GET / HTTP/1.1\r\n"), "{requests:?}");
    assert!(!requests[0].contains("content-length"), "a GET announces no body: {requests:?}");
}

#[tokio::test]
async fn the_error_has_status_delay_count_and_body() {
    const TOLD: Act = Act::Say(
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: 90\r\nx-kept: yes\r\ncontent-length: 9\r\n\r\ntoo much!",
    );
    let server = Server::start(&[TOLD]).await;
    let limits = Limits { max_attempts: Some(1), ..Limits::NONE };
    let used = client(RULES).0.get(&server.url).limits(limits).send().await.expect_err("no success");
    assert_eq!((used.status(), used.delay(), used.attempts()), (Some(429), Some(Millis::from_secs(90)), 1));
    assert_eq!(used.to_string(), "the request ended: attempts-used; attempts: 1");
    assert!(!used.maybe_applied() && used.resume().is_none());
    let Last::Response(answer) = used.ended().map(|ended| &ended.last).expect("it was sent") else {
        panic!("expected an answer, not {used:?}")
    };
    assert_eq!((answer.headers()["x-kept"].as_bytes(), answer.body().as_ref()), (&b"yes"[..], &b"too much!"[..]));

    let deferred = client(RULES).0.get(&server.url).send().await.expect_err("no success");
    assert_eq!(deferred.reason(), Some(&Reason::Policy(End::Deferred)));
    assert_eq!(deferred.resume().map(|resume| resume.delay), Some(Millis::from_secs(90)));
}

#[tokio::test]
async fn an_answer_that_is_no_success_has_its_status_even_if_its_body_breaks_off() {
    const CUT: Act = Act::Say("HTTP/1.1 404 Not Found\r\ncontent-length: 10\r\n\r\nno");
    let server = Server::start(&[CUT]).await;
    let error = client(RULES).0.get(&server.url).send().await.expect_err("no success");
    assert_eq!((error.status(), error.attempts()), (Some(404), 1));
    assert!(matches!(error.ended().map(|ended| &ended.last), Some(Last::Status(404))), "{error:?}");
}

#[tokio::test]
async fn one_made_key_goes_out_on_every_attempt_in_the_form_of_its_field() {
    let server = Server::start(&[BUSY, BUSY, CREATED]).await;
    let name = HeaderName::from_static("x-operation");
    let field = KeyField { name, form: KeyForm::Quoted };
    let (client, time) = build(RULES, |builder| builder.key_field(field));
    let key = Key::random().expect("a system with entropy");
    let (url, sent) = (server.url.clone(), key.clone());
    let running = tokio::spawn(async move { client.post(&url).body("order=1").key(sent).send().await });
    sleep_through(&time).await;
    sleep_through(&time).await;
    assert_eq!(join(running).await.expect("a success").attempts, 3);
    let requests = server.requests();
    let line = format!("x-operation: \"{}\"\r\n", key.as_str());
    assert!(requests.iter().all(|request| request.contains(&line) && request.ends_with("\r\n\r\norder=1")));
}

#[tokio::test]
async fn a_write_without_a_key_is_sent_once() {
    let server = Server::start(&[BUSY]).await;
    let error = client(RULES).0.post(&server.url).body("order=1").send().await.expect_err("no success");
    assert_eq!(error.reason(), Some(&Reason::Policy(End::NotIdempotent)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_body_is_sent_again_as_its_kind_says() {
    let server = Server::start(&[BUSY, OK, BUSY]).await;
    let (client, time) = client(RULES);
    let made = Arc::new(AtomicU32::new(0));
    let (url, count, sender) = (server.url.clone(), made.clone(), client.clone());
    let running = tokio::spawn(async move {
        let body = Body::from_fn(move || {
            count.fetch_add(1, Ordering::Relaxed);
            reqwest::Body::wrap(http_body_util::Full::new(&b"made anew"[..]))
        });
        sender.put(&url).body(body).send().await
    });
    sleep_through(&time).await;
    join(running).await.expect("a success");
    assert_eq!(made.load(Ordering::Relaxed), 2);
    assert!(server.requests().iter().all(|request| request.contains("made anew")));

    let once = Body::once(reqwest::Body::wrap(http_body_util::Full::new(&b"once"[..])));
    let error = client.put(&server.url).body(once).send().await.expect_err("no success");
    assert_eq!(error.reason(), Some(&Reason::Policy(End::BodyNotReplayable)));
    assert!(server.requests().len() == 3 && server.requests()[2].contains("once"));
}

#[tokio::test]
async fn fresh_headers_are_made_for_each_attempt_and_see_the_key_and_the_time_that_is_left() {
    let server = Server::start(&[BUSY, CREATED]).await;
    let rules = Rules {
        deadline: Some(Millis::new(9_000)),
        deadline_scope: DeadlineScope::Attempts,
        attempt_timeout: Some(Millis::new(20_000)),
        ..RULES
    };
    let (client, time) = build(rules, |builder| {
        builder.fresh_headers(|outgoing: &Outgoing<'_>| -> Result<HeaderMap, BoxError> {
            let attempt = outgoing.attempt;
            let left = attempt.timeout.map_or(0, Millis::get);
            let key = outgoing.headers["idempotency-key"].to_str()?;
            let bearer = format!("{} {} {left} of {:?}, {key}", outgoing.method, attempt.number, attempt.max);
            Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, HeaderValue::try_from(bearer)?)]))
        })
    });
    let url = server.url.clone();
    let running = tokio::spawn(async move {
        let key = "k-1".parse::<Key>().expect("a key");
        client.post(&url).header("authorization", "stale").key(key).send().await
    });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(9_000), "the attempt's own limit");
    sleep_through(&time).await;
    join(running).await.expect("a success");
    let requests = server.requests();
    let bearers: Vec<_> = requests.iter().map(|request| field(request, "authorization")).collect();
    assert_eq!(bearers, [["POST 1 9000 of Some(4), k-1"], ["POST 2 8000 of Some(4), k-1"]]);
}

#[tokio::test]
async fn a_key_changed_under_way_ends_the_request_and_the_token_is_back() {
    let server = Server::start(&[BUSY, OK]).await;
    let rules = Rules { budget: Some(BudgetRules::aws_standard()), ..RULES };
    let (client, time) = build(rules, |builder| {
        builder.fresh_headers(|outgoing: &Outgoing<'_>| -> Result<HeaderMap, BoxError> {
            let key = (HeaderName::from_static("idempotency-key"), HeaderValue::from_static("another"));
            Ok(HeaderMap::from_iter((outgoing.attempt.number > 1).then_some(key)))
        })
    });
    let (url, sender) = (server.url.clone(), client.clone());
    let running = tokio::spawn(async move {
        let key = "k-1".parse::<Key>().expect("a key");
        sender.post(&url).key(key).send().await
    });
    sleep_through(&time).await;
    let error = join(running).await.expect_err("no success");
    assert_eq!((error.reason(), error.attempts(), error.status()), (Some(&Reason::Refused), 1, None));
    let Some(Last::Failure(failure)) = error.ended().map(|ended| &ended.last) else { panic!("{error:?}") };
    assert!(matches!(failure.source, Some(SendError::Refused(Refusal::KeyChanged))));
    assert_eq!((server.requests().len(), client.driver().budget().tokens()), (1, Tokens::new(500)));
}

#[tokio::test]
async fn fresh_headers_that_cannot_be_had_send_nothing() {
    let server = Server::start(&[OK]).await;
    let (client, _) = build(RULES, |builder| {
        builder.fresh_headers(|_: &Outgoing<'_>| -> Result<HeaderMap, BoxError> { Err("no token".into()) })
    });
    let error = client.get(&server.url).send().await.expect_err("no success");
    assert_eq!((error.reason(), error.attempts(), error.maybe_applied()), (Some(&Reason::Refused), 0, false));
    let causes: Vec<_> = causes(&error).collect();
    assert_eq!(causes, ["the attempt was not made", "the headers of this attempt could not be made", "no token"]);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn data_ends_with_the_body_so_one_that_breaks_off_is_asked_for_again() {
    let server = Server::start(&[Act::Say(HALF), Act::SayThenReset(HALF), OK]).await;
    server.go_on();
    let (client, time) = client(RULES);
    let url = server.url.clone();
    let running = tokio::spawn(async move { client.get(&url).send().await });
    sleep_through(&time).await;
    sleep_through(&time).await;
    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.response.body().as_ref(), delivered.attempts), (&b"hello"[..], 3));
    assert!(delivered.maybe_applied, "the answer that broke off was one");
}

#[tokio::test]
async fn a_stream_ends_with_the_head_so_its_body_is_not_asked_for_again() {
    let server = Server::start(&[Act::SayThen(HALF, "")]).await;
    let delivered = client(RULES).0.get(&server.url).stream().await.expect("a head");
    server.go_on();
    assert!(delivered.response.bytes().await.is_err());
    assert_eq!((delivered.attempts, server.requests().len()), (1, 1));
}

#[tokio::test]
async fn the_attempt_timeout_ends_with_the_head_and_the_body_has_its_own() {
    let server = Server::start(&[Act::SayThen(HALF, "world"), Act::SayThen(HALF, "world")]).await;
    let (client, time) = build(PUT_RULES, |builder| builder.body_timeout(Millis::new(60_000)));
    let (url, sender) = (server.url.clone(), client.clone());
    let running = tokio::spawn(async move { sender.get(&url).send().await });
    assert_eq!(soon(time.wait_entered()).await, Mark::new(5_000));
    assert_eq!(soon(time.wait_entered()).await, Mark::new(60_000), "the head is here");
    time.set_mark(Mark::new(59_999));
    server.go_on();
    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.response.body().as_ref(), delivered.attempts), (&b"helloworld"[..], 1));

    let limits = Limits { max_attempts: Some(1), ..Limits::NONE };
    let url = server.url.clone();
    let running = tokio::spawn(async move { client.get(&url).limits(limits).send().await });
    soon(time.wait_entered()).await;
    let until = soon(time.wait_entered()).await;
    time.set_mark(until);
    let error = join(running).await.expect_err("no success");
    let Some(Last::Failure(failure)) = error.ended().map(|ended| &ended.last) else { panic!("{error:?}") };
    assert_eq!((failure.kind, failure.timed_out, error.maybe_applied()), (FailureKind::Ambiguous, true, true));
}

#[tokio::test]
async fn a_body_longer_than_allowed_is_not_read_to_its_end() {
    let server = Server::start(&[OK]).await;
    let fits = build(RULES, |builder| builder.max_body(5)).0.get(&server.url).send().await;
    assert_eq!(fits.expect("a success").response.body().as_ref(), b"hello");
    let (client, _) = build(RULES, |builder| builder.max_body(4));
    let error = client.get(&server.url).send().await.expect_err("no success");
    assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Policy(End::NotRetryable)), 1));
    assert!(causes(&error).any(|cause| cause == "the body is longer than the client's `max_body`"));
}

#[tokio::test]
async fn interrupted_in_the_body_nothing_is_delivered_and_the_connection_is_closed() {
    const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 10\r\n\r\nhello";
    for (head, left) in [(HALF, None), (NOT_FOUND, Some(404))] {
        for end in [End::Cancelled, End::SessionChanged] {
            let acts: &'static [Act] =
                if head == HALF { &[Act::SayThen(HALF, "")] } else { &[Act::SayThen(NOT_FOUND, "")] };
            let server = Server::start(acts).await;
            let (cancel, session) = (CancellationToken::new(), SessionHandle::new().expect("entropy"));
            let options =
                Options { cancel: Some(cancel.clone()), session: Some(session.clone()), ..Options::default() };
            let (client, time) = build(RULES, |builder| builder.options(options).body_timeout(Millis::new(60_000)));
            let (url, sender) = (server.url.clone(), client.clone());
            let running = tokio::spawn(async move { sender.get(&url).send().await });
            soon(time.wait_entered()).await;
            match end {
                End::Cancelled => cancel.cancel(),
                _ => drop(session.raise()),
            }
            let error = join(running).await.expect_err("no success");
            assert_eq!(error.reason(), Some(&Reason::Policy(end)));
            let expected = if end == End::SessionChanged { None } else { left };
            assert_eq!(error.status(), expected);
            drop(client);
            server.go_on();
            assert_eq!(soon(server.all_closed()).await, 1);
        }
    }
}

#[tokio::test]
async fn a_delivered_answer_knows_whether_its_session_is_still_signed_in() {
    let server = Server::start(&[OK, Act::SayThen(HALF, "world")]).await;
    let session = SessionHandle::new().expect("entropy");
    let options = Options { session: Some(session.clone()), ..Options::default() };
    let (client, _) = build(RULES, |builder| builder.options(options));
    let read = client.get(&server.url).send().await.expect("a success");
    let streamed = client.get(&server.url).stream().await.expect("a head");
    assert!(read.is_current() && streamed.is_current());
    session.raise();
    server.go_on();
    let tag = streamed.session;
    assert_eq!(streamed.response.bytes().await.expect("a body").as_ref(), b"helloworld");
    assert!(!read.is_current() && !tag.is_current(), "asked after the body was read");
}

#[tokio::test]
async fn a_request_belongs_to_the_session_in_which_it_was_made() {
    let server = Server::start(&[OK]).await;
    let session = SessionHandle::new().expect("entropy");
    let options = Options { session: Some(session.clone()), ..Options::default() };
    let (client, _) = build(RULES, |builder| builder.options(options));
    let (read, streamed) = (client.get(&server.url).send(), client.get(&server.url).stream());
    session.raise();
    assert_eq!(read.await.expect_err("of another session").reason(), Some(&Reason::Policy(End::SessionChanged)));
    assert_eq!(streamed.await.expect_err("of another session").reason(), Some(&Reason::Policy(End::SessionChanged)));
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn what_is_no_request_is_told_before_anything_is_sent() {
    let (client, _) = client(RULES);
    let no_url = client.get("no url").send().await.expect_err("no URL");
    assert!(matches!(no_url, ClientError::Invalid(_)) && no_url.attempts() == 0);
    assert_eq!(no_url.to_string(), "expected an absolute URL, such as `https://example.com/`");
    let no_header = client.get("http://127.0.0.1:1/").header("a b", "c").send().await.expect_err("no header");
    assert_eq!(no_header.to_string(), "expected a header name and value that HTTP allows");
}

#[tokio::test]
async fn name_and_password_in_the_url_are_sent_on_every_attempt_unless_a_header_says_who_asks() {
    let server = Server::start(&[BUSY, OK]).await;
    let (client, time) = client(RULES);
    let url = server.url.replace("http://", "http://user:p%40ss@");
    let (sender, address) = (client.clone(), url.clone());
    let running = tokio::spawn(async move { sender.get(&address).send().await });
    sleep_through(&time).await;
    join(running).await.expect("a success");
    client.get(&url).header("authorization", "Bearer b").send().await.expect("a success");
    let requests = server.requests();
    let said: Vec<_> = requests.iter().map(|request| field(request, "authorization")).collect();
    assert_eq!(said, [["Basic dXNlcjpwQHNz"], ["Basic dXNlcjpwQHNz"], ["Bearer b"]]);
}

#[tokio::test]
async fn no_error_shows_the_url() {
    let (client, _) = client(Rules { max_attempts: 1, ..RULES });
    for url in ["http://user:secret@127.0.0.1:1/secret?token=secret", "ftp://user:secret@127.0.0.1/"] {
        let error = client.get(url).send().await.expect_err("nobody listens");
        let told = format!("{error} {error:?} {:?}", causes(&error).collect::<Vec<_>>());
        assert!(!told.contains("secret"), "{told}");
    }
}

fn client(rules: Rules) -> (TestClient, TestTime) {
    build(rules, |builder| builder)
}

type TestBuilder = ClientBuilder<DirectEngine, TestTime, ScriptedEntropy>;

fn build(rules: Rules, with: impl FnOnce(TestBuilder) -> TestBuilder) -> (TestClient, TestTime) {
    let time = TestTime::default();
    let builder = Client::builder(engine(rules)).time(time.clone()).entropy(ScriptedEntropy::new(Sample::ONE));
    let http = reqwest::Client::builder().no_proxy();
    (with(builder.http(http)).build().expect("a client"), time)
}

async fn sleep_through(time: &TestTime) -> u64 {
    let until = soon(time.wait_entered()).await;
    time.set_mark(until);
    until.get()
}

/// The lines of a field in a request.
fn field<'a>(request: &'a str, name: &str) -> Vec<&'a str> {
    let head = request.split("\r\n\r\n").next().unwrap_or_default();
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(found, _)| *found == name)
        .map(|(_, value)| value)
        .collect()
}

/// What each cause of an error says.
fn causes(error: &dyn std::error::Error) -> impl Iterator<Item = String> {
    std::iter::successors(error.source(), |cause| cause.source()).map(ToString::to_string)
}
