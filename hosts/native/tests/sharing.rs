//! What requests to one origin share: tokens, and a hold, where the settings say so.

mod bench;
mod loopback;

use bench::{RULES, engine, join, soon};
use http::{Request, Response, StatusCode};
use loopback::{Act, OK, Server};
use refrain::core::{Backoff, BudgetRules, End, Mark, Millis, Rules, Sample, UnixMillis};
use refrain::testing::{ScriptedEntropy, TestTime};
use refrain::tower::RetryLayer;
use refrain::{
    Body, BudgetKey, BudgetScope, Budgets, Client, ClientBuilder, DirectEngine, Driver, Engine, Holds, Reason, Report,
};
use tower::{Layer, ServiceExt, service_fn};

type TestClient = Client<DirectEngine, TestTime, ScriptedEntropy>;
type TestBuilder = ClientBuilder<DirectEngine, TestTime, ScriptedEntropy>;

const TOLD_60_S: Act = Act::Say("HTTP/1.1 503 Busy\r\nretry-after: 60\r\ncontent-length: 0\r\n\r\n");
const TOLD_FOR_EVER: Act =
    Act::Say("HTTP/1.1 503 Busy\r\nretry-after: 99999999999999999999\r\ncontent-length: 0\r\n\r\n");
const TOLD_AN_HOUR: Act = Act::Say("HTTP/1.1 503 Busy\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n");
const TOLD_AT_ONCE: Act = Act::Say("HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n");

fn build(rules: Rules, with: impl FnOnce(TestBuilder) -> TestBuilder) -> (TestClient, TestTime) {
    let time = TestTime::default();
    let builder = Client::builder(engine(rules)).time(time.clone()).entropy(ScriptedEntropy::new(Sample::ONE));
    let http = reqwest::Client::builder().no_proxy();
    (with(builder.http(http)).build().expect("a client"), time)
}

#[tokio::test]
async fn when_one_is_told_60_s_its_siblings_do_not_send_either() {
    let server = Server::start(&[TOLD_60_S, OK]).await;
    let other = Server::start(&[OK]).await;
    let (client, time) = build(RULES, |builder| builder.holds(Holds::default()));
    let (told, sibling) = (start(&client, &server), start(&client, &server));
    // Whichever was first is told, and the other may have been on its way.
    assert_eq!(soon(time.wait_entered()).await, Mark::new(60_000));
    let late = start(&client, &server);
    assert_eq!(soon(time.wait_entered()).await, Mark::new(60_000));
    let sent = server.requests().len();
    client.get(&other.url).send().await.expect("another origin is not held");
    time.set_mark(Mark::new(59_999));
    tokio::task::yield_now().await;
    assert_eq!(server.requests().len(), sent);
    time.set_mark(Mark::new(60_000));
    for running in [told, sibling, late] {
        join(running).await.expect("a success");
    }
}

#[tokio::test]
async fn without_holds_siblings_are_sent() {
    let server = Server::start(&[TOLD_60_S, OK]).await;
    let (client, time) = build(RULES, |builder| builder);
    let _told = start(&client, &server);
    soon(time.wait_entered()).await;
    client.get(&server.url).send().await.expect("a success");
}

#[tokio::test]
async fn what_is_deferred_holds_its_siblings_too() {
    let server = Server::start(&[TOLD_AN_HOUR]).await;
    let (client, time) = build(RULES, |builder| builder.holds(Holds::default()));
    time.set_wall(Some(UnixMillis::new(1_700_000_000_000)));
    // The second is deferred as it starts, and says when it may go on all the same.
    for sends in [1, 0] {
        let error = client.get(&server.url).send().await.expect_err("later");
        assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Policy(End::Deferred)), sends));
        let resume = error.resume().expect("it can go on later");
        assert_eq!(resume.delay, Millis::from_secs(3_600));
        assert_eq!(resume.not_before, Some(UnixMillis::new(1_700_003_600_000)));
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_is_deferred_without_an_end_holds_no_siblings() {
    let server = Server::start(&[TOLD_FOR_EVER, OK]).await;
    let (client, _) = build(RULES, |builder| builder.holds(Holds::default()));
    let error = client.get(&server.url).send().await.expect_err("never");
    assert_eq!(error.reason(), Some(&Reason::Policy(End::Deferred)));
    client.get(&server.url).send().await.expect("a success");
}

#[tokio::test]
async fn a_hint_of_nothing_holds_nobody_whatever_the_backoff() {
    let server = Server::start(&[TOLD_AT_ONCE, OK]).await;
    let (client, time) = build(RULES, |builder| builder.holds(Holds::default()));
    let _told = start(&client, &server);
    assert_eq!(soon(time.wait_entered()).await, Mark::new(1_000), "the backoff");
    client.get(&server.url).send().await.expect("a success");
}

fn start(client: &TestClient, server: &Server) -> tokio::task::JoinHandle<Result<(), String>> {
    let (client, url) = (client.clone(), server.url.clone());
    tokio::spawn(async move { client.get(&url).send().await.map(drop).map_err(|error| error.to_string()) })
}

/// One retry for each budget.
fn scarce() -> Rules {
    let budget = BudgetRules { capacity: refrain::core::Tokens::new(5), ..BudgetRules::aws_standard() };
    Rules { budget: Some(budget), transient: Backoff::doubling(Millis::ZERO), ..RULES }
}

#[tokio::test]
async fn a_dead_host_does_not_empty_the_budget_of_another() {
    let (dead, other) = (Server::start(&[loopback::BUSY]).await, Server::start(&[loopback::BUSY]).await);
    let budgets = Budgets::new(BudgetScope::Host, engine(scarce()).description());
    let (client, _) = build(scarce(), |builder| builder.budgets(budgets));
    for (server, sends) in [(&dead, 2), (&dead, 1), (&other, 2)] {
        let error = client.get(&server.url).send().await.expect_err("no success");
        assert_eq!((error.reason(), error.attempts()), (Some(&Reason::Policy(End::BudgetEmpty)), sends));
    }
}

#[tokio::test]
async fn a_key_of_the_caller_has_a_budget_of_its_own() {
    let dead = Server::start(&[loopback::BUSY]).await;
    let budgets = Budgets::new(BudgetScope::Key, engine(scarce()).description());
    let (client, _) = build(scarce(), |builder| builder.budgets(budgets));
    for (key, sends) in [("one", 2), ("one", 1), ("other", 2)] {
        let request = client.get(&dead.url).budget_key(BudgetKey::new(key));
        assert_eq!(request.send().await.expect_err("no success").attempts(), sends, "{key}");
    }
}

#[tokio::test]
async fn the_layer_shares_budgets_and_holds_too() {
    let dead = service_fn(|_: Request<()>| async {
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        Ok::<_, std::io::Error>(response)
    });
    let budgets = Budgets::new(BudgetScope::Host, engine(scarce()).description());
    let driver = Driver::new(engine(scarce()), TestTime::default(), ScriptedEntropy::new(Sample::ONE));
    let service = RetryLayer::over(driver).budgets(budgets).holds(Holds::default()).layer(dead);
    for (uri, sends) in [("http://a/", 2), ("http://a/x", 1), ("http://b/", 2)] {
        let request = Request::get(uri).body(Body::empty()).expect("a request");
        let answer = service.clone().oneshot(request).await.expect("an answer");
        assert_eq!(answer.extensions().get::<Report>().map(|report| report.attempts), Some(sends), "{uri}");
    }
}
