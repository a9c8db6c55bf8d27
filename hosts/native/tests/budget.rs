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

const REQUESTS: usize = 100_000;

/// Requests all at once against a dead server, each of which would retry for ever: the retries that the budget let through,
/// and what is left of it.
async fn storm(budget: BudgetRules) -> (u32, Tokens) {
    let at_once = Backoff::doubling(Millis::ZERO);
    let rules = Rules { max_attempts: u32::MAX, transient: at_once, budget: Some(budget), ..RULES };
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
    (sends.load(Ordering::Relaxed) - REQUESTS as u32, driver.budget().tokens())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_thousand_requests_at_once_spend_exactly_what_there_is() {
    assert_eq!(storm(BudgetRules::aws_standard()).await, (100, Tokens::ZERO), "500 tokens, 5 a retry");
    let odd = BudgetRules { capacity: Tokens::new(502), ..BudgetRules::aws_standard() };
    assert_eq!(storm(odd).await, (100, Tokens::new(2)), "2 tokens are not enough for a retry");
}

/// A failure takes a token and a retry none, so the retries are those of the failures that found more than half.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_thousand_requests_at_once_retry_while_more_than_half_is_there() {
    let grpc = BudgetRules::grpc_throttling(Tokens::new(1_000), Tokens::from_thousandths(100));
    assert_eq!(storm(grpc).await, (499, Tokens::ZERO));
}

#[tokio::test]
async fn a_budget_refills_as_its_model_says() {
    let budget = Some(BudgetRules::aws_standard());
    let bench = bench::Bench::new(Rules { budget, transient: Backoff::doubling(Millis::ZERO), ..RULES });
    let tokens = || bench.driver.budget().tokens();
    for _ in 0..4 {
        bench.server.respond(503, &[]);
    }
    bench::ended(bench.run(GET).await);
    assert_eq!(tokens(), Tokens::new(485), "three retries, 5 each");
    bench.server.respond(200, &[]);
    bench.run(GET).await.expect("a success");
    assert_eq!(tokens(), Tokens::new(486), "a success at the first attempt gives 1");
    bench.server.respond(503, &[]);
    bench.server.respond(200, &[]);
    bench.run(GET).await.expect("a success");
    assert_eq!(tokens(), Tokens::new(486), "a success after a retry gives back what it took");

    let grpc = BudgetRules::grpc_throttling(Tokens::new(10), Tokens::from_thousandths(100));
    let bench = bench::Bench::new(Rules { budget: Some(grpc), ..RULES });
    bench.server.respond(503, &[]);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    bench.sleep_through().await;
    bench::join(running).await.expect("a success");
    assert_eq!(
        bench.driver.budget().tokens(),
        Tokens::from_thousandths(9_100),
        "a failure takes 1, a success gives 0.1"
    );
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
