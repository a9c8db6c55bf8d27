//! Offline and back.

mod bench;

use bench::{Bench, GET, RULES, ended, join, last};
use std::sync::Arc;

use refrain::core::{Backoff, End, FailureKind, Jitter, Mark, Millis, Network, Rules, Sample};
use refrain::{Driver, Last, TraceEvent};

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

/// Another sample at each call.
#[derive(Default)]
struct Spread(std::sync::atomic::AtomicU32);

impl refrain::Entropy for Spread {
    fn sample(&self) -> std::result::Result<Sample, refrain::EntropyError> {
        Ok(Sample::new(self.0.fetch_add(u32::MAX / 64, std::sync::atomic::Ordering::Relaxed)))
    }
}

#[tokio::test]
async fn back_online_each_waits_once_by_a_share_of_its_own() {
    const REQUESTS: usize = 20;
    let rules = Rules { transient: Backoff { jitter: Jitter::Full, ..RULES.transient }, ..RULES };
    let bench = Bench::new(rules);
    bench.network.set(Network::Down);
    let driver = Arc::new(Driver::new(bench::engine(rules), bench.time.clone(), Spread::default()));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..REQUESTS {
        bench.server.respond(200, &[]);
        let (driver, server, options) = (driver.clone(), bench.server.clone(), bench.options.clone());
        running.spawn(async move { driver.run(&GET, server, &options).await.is_ok() });
    }
    for _ in 0..REQUESTS {
        assert_eq!(bench.wait_entered().await, Mark::new(60_000));
    }
    bench.network.set(Network::Up);
    let mut ends = Vec::new();
    for _ in 0..REQUESTS {
        ends.push(bench.wait_entered().await);
    }
    ends.sort_unstable();
    for end in &ends {
        bench.time.set_mark(*end);
        tokio::task::yield_now().await;
    }
    assert!(running.join_all().await.into_iter().all(|is_ok| is_ok));
    let waits = bench.waits().len();
    ends.dedup();
    assert_eq!((ends.len(), waits), (REQUESTS, REQUESTS), "all apart, and one wait each");
}
