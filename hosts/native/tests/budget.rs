//! Many requests share one budget, and never spend a token more than there is.

mod bench;

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use bench::{GET, RULES, engine};
use refrain::core::{Backoff, BudgetRules, End, Millis, Rules, Sample, Tokens};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::{Driver, Failure, Options, RetryBudget, transport};
use tokio::sync::Barrier;

const REQUESTS: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_requests_spend_exactly_what_there_is() {
    let at_once = Backoff::doubling(Millis::ZERO);
    let budget = Some(BudgetRules::aws_standard());
    let rules = Rules { max_attempts: 1_000, transient: at_once, budget, ..RULES };
    let driver = Arc::new(Driver::new(engine(rules), TestTime::default(), ScriptedEntropy::new(Sample::ONE)));
    let (sends, start) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(REQUESTS)));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..REQUESTS {
        let (driver, sends, start) = (driver.clone(), sends.clone(), start.clone());
        running.spawn(async move {
            start.wait().await;
            let dead = transport::from_fn(|_| async {
                sends.fetch_add(1, Ordering::Relaxed);
                let mut response = http::Response::new(());
                *response.status_mut() = http::StatusCode::BAD_GATEWAY;
                Ok::<_, Failure<std::io::Error>>(response)
            });
            bench::end(driver.run(&GET, dead, &Options::default()).await)
        });
    }
    let ends = running.join_all().await;
    assert!(ends.iter().all(|end| *end == End::BudgetEmpty));
    let retries = sends.load(Ordering::Relaxed) - REQUESTS as u32;
    assert_eq!((retries, driver.budget().tokens()), (100, Tokens::ZERO), "500 tokens, 5 a retry");
}

#[tokio::test]
async fn a_request_may_bring_the_budget_of_its_server() {
    let bench = bench::Bench::new(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES });
    let empty = RetryBudget::new(Tokens::ZERO);
    bench.server.respond(503, &[]);
    let options = Options { budget: Some(empty.clone()), ..bench.options.clone() };
    let result = bench.driver.run(&GET, bench.server.clone(), &options).await;
    assert_eq!(bench::end(result), End::BudgetEmpty);
    assert_eq!((empty.tokens(), bench.driver.budget().tokens()), (Tokens::ZERO, Tokens::new(500)));
}
