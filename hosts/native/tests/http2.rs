//! A server that refuses HTTP/2 streams: only the policy sends again.

mod bench;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use bench::{Bench, POST, RULES, ended, join};
use refrain::core::{End, FailureKind, IdempotencyKey};
use refrain::{Last, ReqwestTransport};
use reqwest::{Client, Method, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn a_refused_stream_was_not_processed_so_even_a_write_is_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let refused = Arc::new(AtomicU32::new(0));
    tokio::spawn(serve(listener, refused.clone()));

    let client = Client::builder().no_proxy().http2_prior_knowledge();
    let transport = ReqwestTransport::from_builder(client).expect("a client");
    let call = transport.call(Request::new(Method::POST, url.parse().expect("a URL")));
    assert_eq!(call.request(IdempotencyKey::Absent), POST);

    let bench = Bench::new(RULES);
    let (driver, options) = (bench.driver.clone(), bench.options.clone());
    let running = tokio::spawn(async move { driver.run(&POST, call, &options).await });
    for sends in 1..4 {
        bench.wait_entered().await;
        assert_eq!(refused.load(Ordering::SeqCst), sends, "the client must not send again by itself");
        bench.time.set_mark(bench.waits()[sends as usize - 1].until);
    }
    let ended = ended(join(running).await);
    let Last::Failure(failure) = &ended.last else { panic!("expected a failure, not {:?}", ended.last) };
    assert_eq!((failure.kind, ended.end()), (FailureKind::Unprocessed, Some(End::AttemptsUsed)));
    assert!(!ended.maybe_applied);
    assert_eq!(refused.load(Ordering::SeqCst), 4);
}

async fn serve(listener: TcpListener, refused: Arc<AtomicU32>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        tokio::spawn(refuse_streams(stream, refused.clone()));
    }
}

/// RFC 9113: empty settings first, then a reset with REFUSED_STREAM for every HEADERS frame, until the client leaves.
async fn refuse_streams(mut stream: TcpStream, refused: Arc<AtomicU32>) -> std::io::Result<()> {
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
        if kind == HEADERS {
            refused.fetch_add(1, Ordering::SeqCst);
            stream.write_all(&[0, 0, 4, 3, 0, id_3, id_2, id_1, id_0, 0, 0, 0, 7]).await?;
        }
    }
}
