//! The examples do what they say, against a real server on loopback.

#[path = "../examples/client.rs"]
#[allow(dead_code, reason = "an example has a `main`")]
mod client;
mod loopback;
#[path = "../examples/middleware.rs"]
#[allow(dead_code, reason = "an example has a `main`")]
mod middleware;
#[path = "../examples/tower.rs"]
#[allow(dead_code, reason = "an example has a `main`")]
mod tower;

use loopback::{Act, BUSY, Server};
use refrain::core::{Backoff, Millis, Rules};

const PLACED: Act = Act::Say("HTTP/1.1 201 Created\r\ncontent-length: 6\r\n\r\nplaced");
const MISSING: Act = Act::Say("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
const ACTS: &[Act] = &[BUSY, PLACED, MISSING];
const EXPECTED: &str = "placed after 2 sends; status Some(404) after 1 sends";

/// The example's own, but for the wait, which is real.
const RULES: Rules = Rules { transient: Backoff::doubling(Millis::new(1)), ..Rules::DEFAULT };

#[tokio::test]
async fn the_client_repeats_what_may_be_repeated() {
    let server = Server::start(ACTS).await;
    assert_eq!(client::run(&server.url, RULES).await.expect("a success"), EXPECTED);
    assert_one_key(&server);
}

#[tokio::test]
async fn the_middleware_repeats_what_may_be_repeated() {
    let server = Server::start(ACTS).await;
    assert_eq!(middleware::run(&server.url, RULES).await.expect("a success"), EXPECTED);
    assert_one_key(&server);
}

#[tokio::test]
async fn the_tower_layer_repeats_what_may_be_repeated() {
    let server = Server::start(ACTS).await;
    assert_eq!(tower::run(&server.url, RULES).await.expect("a success"), EXPECTED);
    assert_one_key(&server);
}

/// Both sends of the order had the same key, and the read had none.
fn assert_one_key(server: &Server) {
    let key = |request: &String| request.lines().find(|line| line.starts_with("idempotency-key: ")).map(str::to_owned);
    let keys: Vec<_> = server.requests().iter().map(key).collect();
    assert!(keys.len() == 3 && keys[0].is_some() && keys[0] == keys[1] && keys[2].is_none(), "{keys:?}");
}
