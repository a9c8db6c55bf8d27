//! What is counted of requests.

mod bench;

use std::collections::BTreeMap;
use std::sync::Arc;

use bench::{Bench, GET, RULES, ended, join};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use refrain::core::{End, FailureKind, Millis, Rules};
use refrain::observer::MetricsObserver;
use refrain::testing::ScriptedError;
use refrain::{Engine, Failure};

/// A bench whose requests are counted.
fn bench(rules: Rules) -> (Bench, Snapshotter) {
    let recorder = DebuggingRecorder::new();
    let mut bench = Bench::new(rules);
    let observer =
        metrics::with_local_recorder(&recorder, || MetricsObserver::new(bench.driver.engine().description()));
    bench.options.observer = Some(Arc::new((observer, bench.seen.clone())));
    (bench, recorder.snapshotter())
}

/// What is not zero, by name and labels; of a histogram its values.
fn counted(snapshotter: &Snapshotter) -> BTreeMap<String, Vec<u64>> {
    let entry = |(key, _, _, value): (metrics_util::CompositeKey, _, _, _)| {
        let labels: Vec<_> =
            key.key().labels().filter(|label| label.key() != "policy").map(|label| label.value().to_owned()).collect();
        let policy = key.key().labels().find(|label| label.key() == "policy").map(|label| label.value().to_owned());
        assert_eq!(policy.as_deref(), Some("test"));
        let values: Vec<u64> = match value {
            DebugValue::Counter(0) => Vec::new(),
            DebugValue::Counter(count) => vec![count],
            DebugValue::Histogram(values) => values.into_iter().map(|value| value.into_inner() as u64).collect(),
            DebugValue::Gauge(gauge) => panic!("expected no gauge, found {gauge}"),
        };
        ([&[key.key().name().to_owned()], labels.as_slice()].concat().join(" "), values)
    };
    let all = snapshotter.snapshot().into_vec().into_iter().map(entry);
    all.filter(|(_, values)| !values.is_empty()).collect()
}

fn expected<const N: usize>(entries: [(&str, &[u64]); N]) -> BTreeMap<String, Vec<u64>> {
    entries.into_iter().map(|(name, values)| (name.to_owned(), values.to_vec())).collect()
}

#[tokio::test]
async fn requests_sends_retries_ends_and_delays_are_counted() {
    let (bench, snapshotter) = bench(RULES);
    bench.server.respond(503, &[]);
    bench.server.respond(429, &[("retry-after", "7")]);
    bench.server.fail(FailureKind::Ambiguous);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    for _ in 0..3 {
        bench.sleep_through().await;
    }
    join(running).await.expect("a success");
    assert_eq!(
        counted(&snapshotter),
        expected([
            ("refrain.requests", &[1]),
            ("refrain.attempts answered", &[3]),
            ("refrain.attempts failed", &[1]),
            ("refrain.retries", &[3]),
            ("refrain.ends success", &[1]),
            ("refrain.planned_delay backoff", &[1_000, 4_000]),
            ("refrain.planned_delay hint", &[7_000]),
        ])
    );
}

#[tokio::test]
async fn what_is_deferred_timed_out_aborted_or_dropped_is_counted_as_that() {
    let (bench, snapshotter) = bench(Rules { attempt_timeout: Some(Millis::new(5_000)), max_attempts: 1, ..RULES });
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.sleep_through().await;
    ended(join(running).await);
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    bench.server.sent().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    assert_eq!(
        counted(&snapshotter),
        expected([
            ("refrain.requests", &[2]),
            ("refrain.attempts timed-out", &[1]),
            ("refrain.attempts aborted", &[1]),
            ("refrain.ends attempts-used", &[1]),
            ("refrain.ends dropped", &[1]),
        ])
    );

    let (bench, snapshotter) = self::bench(RULES);
    bench.server.respond(503, &[("retry-after", "3600")]);
    assert_eq!(ended(bench.run(GET).await).end(), Some(End::Deferred));
    let counts = counted(&snapshotter);
    assert_eq!((&counts["refrain.deferred"], &counts["refrain.ends deferred"]), (&vec![1], &vec![1]));
}

#[tokio::test]
async fn an_end_that_is_not_the_policys_is_counted_under_its_name() {
    let (bench, snapshotter) = bench(RULES);
    bench.server.push(Err(Failure::refused(ScriptedError)).into());
    ended(bench.run(GET).await);
    bench.entropy.fail();
    ended(bench.run(GET).await);
    assert_eq!(
        counted(&snapshotter),
        expected([("refrain.requests", &[2]), ("refrain.ends refused", &[1]), ("refrain.ends no-entropy", &[1]),])
    );
}

#[test]
fn each_metric_is_described_with_its_unit() {
    let (_bench, snapshotter) = bench(RULES);
    for (key, unit, description, _) in snapshotter.snapshot().into_vec() {
        let name = key.key().name();
        let milliseconds = name == "refrain.planned_delay";
        let expected = if milliseconds { metrics::Unit::Milliseconds } else { metrics::Unit::Count };
        assert!(unit == Some(expected) && description.is_some(), "`{name}`");
    }
}
