//! The middleware for reqwest-middleware.
//!
//! `cargo run -p refrain --features middleware --example middleware -- http://localhost:8080/`

use std::error::Error;

use refrain::core::{Policy, Rules};
use refrain::middleware::RetryMiddleware;
use refrain::{DirectEngine, Key, Report};
use reqwest_middleware::ClientBuilder;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL, such as `http://localhost:8080/`")?;
    println!("{}", run(&url, Rules::DEFAULT).await?);
    Ok(())
}

/// Places an order, and asks for one that does not exist.
pub(crate) async fn run(url: &str, rules: Rules) -> Result<String, Box<dyn Error>> {
    let engine = DirectEngine::new("example", "1.0.0", Policy::new(rules)?)?;
    // reqwest's own retries are switched off, or attempts would be miscounted.
    let once = reqwest::Client::builder().retry(reqwest::retry::never()).build()?;
    let client = ClientBuilder::new(once).with(RetryMiddleware::new(engine)).build();

    let placed = client.post(url).body("order=1").with_extension(Key::random()?).send().await?;
    let sends = attempts(&placed);
    let text = placed.text().await?;

    let missing = client.get(url).send().await?;
    let status = missing.status().as_u16();
    Ok(format!("{text} after {sends} sends; status Some({status}) after {} sends", attempts(&missing)))
}

fn attempts(response: &reqwest::Response) -> u32 {
    response.extensions().get::<Report>().map_or(0, |report| report.attempts)
}
