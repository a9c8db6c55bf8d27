//! The reqwest transport against a real server on loopback. Only the driver's time is under control.

mod bench;

use std::sync::{Arc, Mutex};

use bench::{Bench, RULES, ended, join};
use refrain::core::{End, FailureKind, IdempotencyKey, Millis, Rules};
use refrain::{Last, ReqwestCall, ReqwestTransport, RunResult};
use reqwest::{Body, Method, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

type Result = RunResult<reqwest::Response, reqwest::Error>;

#[tokio::test]
async fn each_attempt_is_one_real_request() {
    let server = Server::start(&[
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy",
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    ])
    .await;
    let bench = Bench::new(RULES);
    let running = start(&bench, call(server.get()), IdempotencyKey::Absent);
    assert_eq!(bench.sleep_through().await.get(), 1_000);
    assert_eq!(bench.sleep_through().await.get(), 4_000);
    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.attempts, delivered.response.text().await.expect("a body").as_str()), (3, "hello"));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_buffered_body_and_its_key_go_out_whole_on_every_attempt() {
    let server = Server::start(&[
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n",
    ])
    .await;
    let mut request = server.request(Method::POST, Some("order=1".into()));
    request.headers_mut().insert("idempotency-key", "k-1".parse().expect("a legal value"));
    let bench = Bench::new(RULES);
    let running = start(&bench, call(request), IdempotencyKey::Honoured);
    bench.sleep_through().await;
    join(running).await.expect("a success");
    let requests = server.requests();
    assert_eq!((requests.len(), &requests[0]), (2, &requests[1]));
    assert!(requests[0].contains("idempotency-key: k-1\r\n") && requests[0].ends_with("\r\n\r\norder=1"));
}

#[tokio::test]
async fn a_streamed_body_is_sent_once() {
    let server = Server::start(&["HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"]).await;
    let stream = Body::wrap(http_body_util::Full::new(&b"once"[..]));
    let bench = Bench::new(RULES);
    let call = call(server.request(Method::PUT, Some(stream)));
    let ended = ended(join(start(&bench, call, IdempotencyKey::Absent)).await);
    assert_eq!((ended.end(), ended.last.status()), (Some(End::BodyNotReplayable), Some(503)));
    assert!(server.requests()[0].ends_with("once"));
}

#[tokio::test]
async fn a_refused_connection_was_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    assert_eq!(failure(&format!("http://127.0.0.1:{port}/")).await, FailureKind::ConnectFailed);
}

#[tokio::test]
async fn a_name_that_cannot_exist_was_not_found() {
    let label = "a".repeat(64);
    assert_eq!(failure(&format!("http://{label}/")).await, FailureKind::DnsFailed);
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_is_ambiguous() {
    let server = Server::start(&[""]).await;
    assert_eq!(failure(&server.url).await, FailureKind::Ambiguous);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_permanent() {
    let server = Server::start(&["SSH-2.0-OpenSSH_9.2\r\n"]).await;
    assert_eq!(failure(&server.url).await, FailureKind::Permanent);
}

#[tokio::test]
async fn a_url_that_cannot_be_requested_is_permanent() {
    assert_eq!(failure("ftp://127.0.0.1/").await, FailureKind::Permanent);
}

#[cfg(feature = "rustls-tls")]
#[tokio::test]
async fn a_broken_tls_handshake_was_not_sent() {
    let server = Server::start(&["HTTP/1.1 400 Bad Request\r\n\r\n"]).await;
    assert_eq!(failure(&server.url.replace("http:", "https:")).await, FailureKind::TlsFailed);
}

#[tokio::test]
async fn a_server_that_hangs_is_left_by_the_clock_of_the_driver() {
    let server = Server::start(&[HANG]).await;
    let bench = Bench::new(Rules { max_attempts: 1, attempt_timeout: Some(Millis::new(5_000)), ..RULES });
    let running = start(&bench, call(server.get()), IdempotencyKey::Absent);
    assert_eq!(bench.sleep_through().await.get(), 5_000);
    let ended = ended(join(running).await);
    let Last::Failure(failure) = ended.last else { panic!("expected a failure, not {:?}", ended.last) };
    assert_eq!((failure.kind, failure.timed_out), (FailureKind::Ambiguous, true));
}

/// The kind of failure of a single attempt.
async fn failure(url: &str) -> FailureKind {
    let bench = Bench::new(Rules { max_attempts: 1, ..RULES });
    let request = Request::new(Method::GET, url.parse().expect("a URL"));
    let ended = ended(join(start(&bench, call(request), IdempotencyKey::Absent)).await);
    match ended.last {
        Last::Failure(failure) => failure.kind,
        other => panic!("expected a failure, not {other:?}"),
    }
}

fn call(request: Request) -> ReqwestCall {
    ReqwestTransport::from_builder(reqwest::Client::builder().no_proxy()).expect("a client").call(request)
}

fn start(bench: &Bench, call: ReqwestCall, key: IdempotencyKey) -> JoinHandle<Result> {
    let (driver, options) = (bench.driver.clone(), bench.options.clone());
    tokio::spawn(async move { driver.run(&call.request(key), call, &options).await })
}

/// The server neither answers nor closes.
const HANG: &str = "hang";

/// Gives one answer a connection, in order, and closes it.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answers: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        tokio::spawn(async move {
            let mut hanging = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let request = read_request(&mut stream).await;
                seen.lock().expect("no panic").push(request);
                if *answer == HANG {
                    hanging.push(stream);
                } else {
                    stream.write_all(answer.as_bytes()).await.expect("an open connection");
                }
            }
            std::future::pending::<()>().await;
        });
        Self { url, requests }
    }

    fn get(&self) -> Request {
        self.request(Method::GET, None)
    }

    fn request(&self, method: Method, body: Option<Body>) -> Request {
        let mut request = Request::new(method, self.url.parse().expect("a URL"));
        *request.body_mut() = body;
        request
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }
}

/// Reads a head, and the body that it announces; what is no HTTP is taken as it comes.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let read = stream.read_buf(&mut bytes).await.expect("an open connection");
        let text = String::from_utf8_lossy(&bytes);
        let is_http = bytes.first().is_some_and(u8::is_ascii_alphabetic);
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| body.len() >= content_length(head));
        if read == 0 || !is_http || whole {
            return text.into_owned();
        }
    }
}

fn content_length(head: &str) -> usize {
    let value = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    value.map_or(0, |value| value.parse().expect("a length"))
}
