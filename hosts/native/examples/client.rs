//! The small client: the data, or a typed error.
//!
//! `cargo run -p refrain --example client -- http://localhost:8080/`

use std::error::Error;

use refrain::core::{Policy, Rules};
use refrain::{Client, DirectEngine, Key};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL, such as `http://localhost:8080/`")?;
    println!("{}", run(&url, Rules::DEFAULT).await?);
    Ok(())
}

/// Places an order, and asks for one that does not exist.
pub(crate) async fn run(url: &str, rules: Rules) -> Result<String, Box<dyn Error>> {
    let engine = DirectEngine::new("example", "1.0.0", Policy::new(rules)?)?;
    let client = Client::new(engine)?;

    // Under one key the server does this once, however often it is sent.
    let placed = client.post(url).body("order=1").key(Key::random()?).send().await?;
    let text = String::from_utf8_lossy(placed.response.body()).into_owned();

    let missing = match client.get(url).send().await {
        Ok(found) => format!("{} bytes", found.response.body().len()),
        Err(error) => format!("status {:?} after {} sends", error.status(), error.attempts()),
    };
    Ok(format!("{text} after {} sends; {missing}", placed.attempts))
}
