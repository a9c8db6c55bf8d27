//! The reqwest transport against a real server on loopback. Only the driver's time is under control.

mod bench;
mod loopback;

use bench::{Bench, RULES, ended, join};
use loopback::{Act, BUSY, OK, Server};
use refrain::core::{End, FailureKind, IdempotencyKey, Millis, Rules};
use refrain::{Last, ReqwestCall, ReqwestTransport, RunResult};
use reqwest::{Body, Method, Request};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

type Result = RunResult<reqwest::Response, reqwest::Error>;

#[tokio::test]
async fn each_attempt_is_one_real_request() {
    let server = Server::start(&[
        BUSY,
        Act::Say("HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n"),
        OK,
    ])
    .await;
    let bench = Bench::new(RULES);
    let running = start(&bench, call(request(&server, Method::GET, None)), IdempotencyKey::Absent);
    assert_eq!(bench.sleep_through().await.get(), 1_000);
    assert_eq!(bench.sleep_through().await.get(), 4_000);
    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.attempts, delivered.response.text().await.expect("a body").as_str()), (3, "hello"));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_buffered_body_and_its_key_go_out_whole_on_every_attempt() {
    let server = Server::start(&[BUSY, Act::Say("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n")]).await;
    let mut request = request(&server, Method::POST, Some("order=1".into()));
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
    let server = Server::start(&[BUSY]).await;
    let stream = Body::wrap(http_body_util::Full::new(&b"once"[..]));
    let bench = Bench::new(RULES);
    let call = call(request(&server, Method::PUT, Some(stream)));
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
    let server = Server::start(&[Act::Say("")]).await;
    assert_eq!(failure(&server.url).await, FailureKind::Ambiguous);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_connection_reset_after_the_request_is_ambiguous() {
    let server = Server::start(&[Act::Reset]).await;
    assert_eq!(failure(&server.url).await, FailureKind::Ambiguous);
    assert_eq!(server.requests().len(), 1);
}

/// The body is more than the sockets hold, so the client is still sending it.
#[tokio::test]
async fn a_connection_reset_before_the_request_was_sent_whole_is_ambiguous() {
    let server = Server::start(&[Act::ResetUnread]).await;
    let request = request(&server, Method::PUT, Some(vec![0; 32 << 20].into()));
    assert_eq!(failure_of(request).await, FailureKind::Ambiguous);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_connection_reset_in_the_head_of_the_answer_is_ambiguous() {
    let server = Server::start(&[Act::SayThenReset("HTTP/1.1 200 OK\r\ncontent-")]).await;
    server.go_on();
    assert_eq!(failure(&server.url).await, FailureKind::Ambiguous);
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_permanent() {
    let server = Server::start(&[Act::Say("SSH-2.0-OpenSSH_9.2\r\n")]).await;
    assert_eq!(failure(&server.url).await, FailureKind::Permanent);
}

#[tokio::test]
async fn a_url_that_cannot_be_requested_is_permanent() {
    assert_eq!(failure("ftp://127.0.0.1/").await, FailureKind::Permanent);
}

#[cfg(feature = "rustls-tls")]
#[tokio::test]
async fn a_broken_tls_handshake_was_not_sent() {
    let server = Server::start(&[Act::Say("HTTP/1.1 400 Bad Request\r\n\r\n")]).await;
    assert_eq!(failure(&server.url.replace("http:", "https:")).await, FailureKind::TlsFailed);
}

#[cfg(feature = "rustls-tls")]
#[tokio::test]
async fn a_connection_that_ends_in_the_tls_handshake_was_not_sent() {
    let server = Server::start(&[Act::Say(""), Act::ResetUnread]).await;
    for _ in 0..2 {
        assert_eq!(failure(&server.url.replace("http:", "https:")).await, FailureKind::TlsFailed);
    }
}

#[cfg(feature = "rustls-tls")]
#[tokio::test]
async fn a_certificate_that_is_refused_is_permanent() {
    assert_eq!(failure(&tls::server_that_nobody_trusts().await).await, FailureKind::Permanent);
}

#[cfg(feature = "rustls-tls")]
mod tls {
    use std::sync::Arc;

    use rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer},
    };
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    /// Made with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost`.
    pub(super) async fn server_that_nobody_trusts() -> String {
        let certificate = CertificateDer::from_slice(include_bytes!("loopback/tls/untrusted.der"));
        let key = PrivateKeyDer::Pkcs8(include_bytes!("loopback/tls/untrusted.key.der").as_slice().into());
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key);
        let acceptor = TlsAcceptor::from(Arc::new(config.expect("a key that fits")));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            // The client breaks the handshake off.
            let _ = acceptor.accept(stream).await;
        });
        format!("https://localhost:{port}/")
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_left_by_the_clock_of_the_driver() {
    let server = Server::start(&[Act::Hang]).await;
    let bench = Bench::new(Rules { max_attempts: 1, attempt_timeout: Some(Millis::new(5_000)), ..RULES });
    let running = start(&bench, call(request(&server, Method::GET, None)), IdempotencyKey::Absent);
    assert_eq!(bench.sleep_through().await.get(), 5_000);
    let ended = ended(join(running).await);
    let Last::Failure(failure) = ended.last else { panic!("expected a failure, not {:?}", ended.last) };
    assert_eq!((failure.kind, failure.timed_out), (FailureKind::Ambiguous, true));
}

/// The kind of failure of a single attempt.
async fn failure(url: &str) -> FailureKind {
    failure_of(Request::new(Method::GET, url.parse().expect("a URL"))).await
}

async fn failure_of(request: Request) -> FailureKind {
    let bench = Bench::new(Rules { max_attempts: 1, ..RULES });
    let ended = ended(join(start(&bench, call(request), IdempotencyKey::Absent)).await);
    match ended.last {
        Last::Failure(failure) => failure.kind,
        other => panic!("expected a failure, not {other:?}"),
    }
}

fn request(server: &Server, method: Method, body: Option<Body>) -> Request {
    let mut request = Request::new(method, server.url.parse().expect("a URL"));
    *request.body_mut() = body;
    request
}

fn call(request: Request) -> ReqwestCall {
    ReqwestTransport::from_builder(reqwest::Client::builder().no_proxy()).expect("a client").call(request)
}

fn start(bench: &Bench, call: ReqwestCall, key: IdempotencyKey) -> JoinHandle<Result> {
    let (driver, options) = (bench.driver.clone(), bench.options.clone());
    tokio::spawn(async move { driver.run(&call.request(key), call, &options).await })
}
