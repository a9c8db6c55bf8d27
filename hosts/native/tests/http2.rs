//! HTTP/2 servers that refuse streams or go away: what that proves, and that only the policy sends again.

mod bench;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use bench::{Bench, POST, RULES, ended, join};
use refrain::core::{End, FailureKind, IdempotencyKey, Rules};
use refrain::{Ended, Last, ReqwestCall, ReqwestTransport};
use reqwest::{Client, Method, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn a_refused_stream_was_not_processed_so_even_a_write_is_sent_again() {
    let server = Server::start(Answer::RefuseStream).await;
    let call = server.call();
    assert_eq!(call.request(IdempotencyKey::Absent), POST);

    let bench = Bench::new(RULES);
    let (driver, options) = (bench.driver.clone(), bench.options.clone());
    let running = tokio::spawn(async move { driver.run(&POST, call, &options).await });
    for sends in 1..4 {
        bench.wait_entered().await;
        assert_eq!(server.streams(), sends, "the client must not send again by itself");
        bench.time.set_mark(bench.waits()[sends as usize - 1].until);
    }
    let ended = ended(join(running).await);
    assert_eq!((kind(&ended), ended.end()), (FailureKind::Unprocessed, Some(End::AttemptsUsed)));
    assert!(!ended.maybe_applied);
    assert_eq!(server.streams(), 4);
}

#[tokio::test]
async fn a_stream_above_the_last_of_a_goaway_was_not_processed() {
    for error in [NO_ERROR, INTERNAL_ERROR, ENHANCE_YOUR_CALM] {
        for end in [Then::Close, Then::Reset, Then::Garbage, Then::Stay] {
            let server = Server::start(Answer::GoAway { last: 0, error, end }).await;
            let ended = once(&server).await;
            assert_eq!((kind(&ended), ended.maybe_applied), (FailureKind::Unprocessed, false), "{error}, {end:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_a_goaway_covers_may_have_been_processed() {
    for error in [NO_ERROR, INTERNAL_ERROR, ENHANCE_YOUR_CALM] {
        for end in [Then::Close, Then::Reset, Then::Garbage] {
            let server = Server::start(Answer::GoAway { last: 1, error, end }).await;
            let ended = once(&server).await;
            assert_eq!((kind(&ended), ended.maybe_applied), (FailureKind::Ambiguous, true), "{error}, {end:?}");
        }
    }
}

type Failed = Ended<reqwest::Response, reqwest::Error>;

/// A single attempt.
async fn once(server: &Server) -> Failed {
    let bench = Bench::new(Rules { max_attempts: 1, ..RULES });
    ended(bench.driver.run(&POST, server.call(), &bench.options).await)
}

fn kind(ended: &Failed) -> FailureKind {
    let Last::Failure(failure) = &ended.last else { panic!("expected a failure, not {:?}", ended.last) };
    failure.kind
}

/// What a server does with each stream.
#[derive(Clone, Copy)]
enum Answer {
    RefuseStream,
    GoAway { last: u8, error: u8, end: Then },
}

/// What follows a GOAWAY.
#[derive(Clone, Copy, Debug)]
enum Then {
    Close,
    Reset,
    /// A frame that breaks the protocol: settings of five bytes.
    Garbage,
    Stay,
}

const NO_ERROR: u8 = 0;
const INTERNAL_ERROR: u8 = 2;
const REFUSED_STREAM: u8 = 7;
const ENHANCE_YOUR_CALM: u8 = 11;

struct Server {
    url: String,
    streams: Arc<AtomicU32>,
}

impl Server {
    async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let streams = Arc::new(AtomicU32::new(0));
        let seen = streams.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                tokio::spawn(serve(stream, answer, seen.clone()));
            }
        });
        Self { url, streams }
    }

    fn call(&self) -> ReqwestCall {
        let client = Client::builder().no_proxy().http2_prior_knowledge();
        let transport = ReqwestTransport::from_builder(client).expect("a client");
        transport.call(Request::new(Method::POST, self.url.parse().expect("a URL")))
    }

    fn streams(&self) -> u32 {
        self.streams.load(Ordering::SeqCst)
    }
}

/// RFC 9113: empty settings first, then the answer to every HEADERS frame, until either side leaves.
async fn serve(mut stream: TcpStream, answer: Answer, streams: Arc<AtomicU32>) -> std::io::Result<()> {
    const PREFACE: usize = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
    const HEADERS: u8 = 1;
    stream.read_exact(&mut [0; PREFACE]).await?;
    stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [length_2, length_1, length_0, kind, _flags, id_3, id_2, id_1, id_0] = head;
        let length = u32::from_be_bytes([0, length_2, length_1, length_0]);
        stream.read_exact(&mut vec![0; length as usize]).await?;
        if kind != HEADERS {
            continue;
        }
        streams.fetch_add(1, Ordering::SeqCst);
        match answer {
            Answer::RefuseStream => {
                stream.write_all(&[0, 0, 4, 3, 0, id_3, id_2, id_1, id_0, 0, 0, 0, REFUSED_STREAM]).await?;
            }
            Answer::GoAway { last, error, end } => {
                stream.write_all(&[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, last, 0, 0, 0, error]).await?;
                match end {
                    Then::Close => return stream.shutdown().await,
                    Then::Reset => return stream.set_zero_linger(),
                    Then::Garbage => stream.write_all(&[0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]).await?,
                    Then::Stay => {}
                }
            }
        }
    }
}
