//! The component decides under every adapter of the native host as the core linked in does.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
};

use http::{Request, Response, StatusCode};
use policy_core::{Rules, Sample};
use refrain::{
    Body, Client, Driver, Engine, Report,
    middleware::RetryMiddleware,
    testing::{ScriptedEntropy, TestTime},
    tower::RetryLayer,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tower::{Layer, ServiceExt, service_fn};

use crate::real;

/// What the server says, in order, and when a request is sent under it: the whole backoff, then 2 s as told and a tenth.
const ANSWERS: [u16; 3] = [503, 429, 200];
const SENDS: [u64; 3] = [0, 500, 2_700];

#[tokio::test]
async fn under_the_tower_layer() {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    assert_eq!((layered(engine).await, layered(direct).await), (SENDS.to_vec(), SENDS.to_vec()));
}

async fn layered(engine: impl Engine + 'static) -> Vec<u64> {
    let (driver, time) = driver(engine);
    let answers = Arc::new(AtomicU16::new(0));
    let service = service_fn(move |_: Request<()>| {
        let status = ANSWERS[usize::from(answers.fetch_add(1, Ordering::Relaxed))];
        let response = Response::builder().status(StatusCode::from_u16(status).unwrap());
        ready(response.header("retry-after", if status == 429 { "2" } else { "0" }).body(()))
    });
    let answer = RetryLayer::over(driver).layer(service).oneshot(Request::new(Body::empty()));
    let (answer, sends) = tokio::join!(answer, sleep_through(&time));
    assert_eq!(answer.unwrap().extensions().get::<Report>().unwrap().attempts, 3);
    sends
}

#[tokio::test]
async fn under_the_client() {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    assert_eq!((fetched(engine).await, fetched(direct).await), (SENDS.to_vec(), SENDS.to_vec()));
}

async fn fetched(engine: impl Engine) -> Vec<u64> {
    let (url, time) = (server().await, TestTime::default());
    let builder = Client::builder(engine).time(time.clone()).entropy(ScriptedEntropy::new(Sample::ONE));
    let client = builder.http(reqwest::Client::builder().no_proxy()).build().unwrap();
    let (delivered, sends) = tokio::join!(client.get(&url).send(), sleep_through(&time));
    assert_eq!(delivered.unwrap().attempts, 3);
    sends
}

#[tokio::test]
async fn under_the_middleware() {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    assert_eq!((passed(engine).await, passed(direct).await), (SENDS.to_vec(), SENDS.to_vec()));
}

async fn passed(engine: impl Engine + 'static) -> Vec<u64> {
    let (url, (driver, time)) = (server().await, driver(engine));
    let once = reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build().unwrap();
    let client = reqwest_middleware::ClientBuilder::new(once).with(RetryMiddleware::over(driver)).build();
    let (answer, sends) = tokio::join!(client.get(&url).send(), sleep_through(&time));
    assert_eq!(answer.unwrap().extensions().get::<Report>().unwrap().attempts, 3);
    sends
}

fn driver<E: Engine>(engine: E) -> (Driver<E, TestTime, ScriptedEntropy>, TestTime) {
    let time = TestTime::default();
    (Driver::new(engine, time.clone(), ScriptedEntropy::new(Sample::ONE)), time)
}

/// The first send and the ends of both waits.
async fn sleep_through(time: &TestTime) -> Vec<u64> {
    let mut sends = vec![0];
    for _ in 0..2 {
        let until = time.wait_entered().await;
        time.set_mark(until);
        sends.push(until.get());
    }
    sends
}

async fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for status in ANSWERS {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                stream.read_buf(&mut request).await.unwrap();
            }
            let hint = if status == 429 { "retry-after: 2\r\n" } else { "" };
            let answer = format!("HTTP/1.1 {status} Said\r\n{hint}connection: close\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    url
}
