//! Offline and back.

mod bench;

use bench::{Bench, GET, RULES, ended, join, last};
use refrain::core::{End, FailureKind, Mark, Millis, Network};
use refrain::{Last, TraceEvent};

#[tokio::test]
async fn offline_before_the_first_send_waits_for_the_network() {
    let bench = Bench::new(RULES);
    bench.network.set(Network::Down);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    assert_eq!(bench.wait_entered().await, Mark::new(60_000), "no longer than the longest wait");
    bench.time.advance(Millis::new(10_000));
    bench.network.set(Network::Up);
    assert_eq!(bench.sleep_through().await, Mark::new(11_000), "back online means one backoff");
    assert_eq!(join(running).await.expect("a success").attempts, 1);
    assert_eq!(bench.sent_at(), [11_000]);
    assert!(
        bench.seen.traces().iter().any(|trace| trace.event == TraceEvent::NetworkAwaited { until: Mark::new(60_000) })
    );
}

#[tokio::test]
async fn an_attempt_that_found_no_network_gives_its_number_back() {
    let bench = Bench::new(RULES);
    let attempt = bench.server.later();
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    bench.server.sent().await;
    bench.network.set(Network::Down);
    attempt.fail(FailureKind::Offline);
    assert_eq!(bench.wait_entered().await, Mark::new(60_000));
    bench.network.set(Network::Up);
    bench.sleep_through().await;
    assert_eq!(join(running).await.expect("a success").attempts, 1);
    let numbers: Vec<_> = bench.server.sends().iter().map(|send| send.attempt).collect();
    assert_eq!(numbers, [1, 1]);
}

#[tokio::test]
async fn a_network_that_stays_away_ends_the_request_with_a_resume() {
    let bench = Bench::new(RULES);
    bench.network.set(Network::Down);
    let running = bench.start(GET);
    bench.sleep_through().await;
    let ended = ended(join(running).await);
    assert_eq!((ended.end(), last(&ended)), (Some(End::Offline), Last::Nothing));
    assert_eq!(ended.resume.map(|resume| resume.attempts_used), Some(0));
}

#[tokio::test]
async fn the_same_news_twice_wakes_once() {
    let bench = Bench::new(RULES);
    bench.network.set(Network::Down);
    let running = bench.start(GET);
    bench.wait_entered().await;
    bench.network.set(Network::Down);
    tokio::task::yield_now().await;
    bench.cancel.cancel();
    assert_eq!(bench::end(join(running).await), End::Cancelled);
    let traces = bench.seen.traces();
    assert_eq!(traces.iter().filter(|trace| matches!(trace.event, TraceEvent::NetworkAwaited { .. })).count(), 1);
}
