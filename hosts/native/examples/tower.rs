//! The tower layer, over hyper-util's client.
//!
//! `cargo run -p refrain --features tower --example tower -- http://localhost:8080/`

use std::error::Error;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use refrain::core::{Policy, Rules};
use refrain::tower::RetryLayer;
use refrain::{Body, DirectEngine, Key, Report};
use tower::{ServiceBuilder, ServiceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL, such as `http://localhost:8080/`")?;
    println!("{}", run(&url, Rules::DEFAULT).await?);
    Ok(())
}

/// Places an order, and asks for one that does not exist.
pub(crate) async fn run(url: &str, rules: Rules) -> Result<String, Box<dyn Error>> {
    let engine = DirectEngine::new("example", "1.0.0", Policy::new(rules)?)?;
    // What hyper-util would send again on its own is left to the policy, so that it is counted.
    let client = Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build_http::<Full<Bytes>>();
    let service = ServiceBuilder::new().layer(RetryLayer::new(engine)).service(client);

    let order = Request::post(url).extension(Key::random()?).body(Body::bytes("order=1"))?;
    let placed = service.clone().oneshot(order).await?;
    let sends = attempts(&placed);
    let text = placed.into_body().collect().await?.to_bytes();

    let missing = service.oneshot(Request::get(url).body(Body::empty())?).await?;
    let (status, text) = (missing.status().as_u16(), String::from_utf8_lossy(&text));
    Ok(format!("{text} after {sends} sends; status Some({status}) after {} sends", attempts(&missing)))
}

fn attempts(response: &Response<Incoming>) -> u32 {
    response.extensions().get::<Report>().map_or(0, |report| report.attempts)
}
