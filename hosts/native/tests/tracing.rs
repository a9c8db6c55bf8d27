//! The spans and events of requests, as a subscriber writes them.

mod bench;
mod capture;

use std::sync::Arc;

use bench::{Bench, GET, RULES, ended, join};
use capture::Capture;
use refrain::core::{FailureKind, Mark, Millis, Network, Rules};
use refrain::observer::TracingObserver;
use refrain::{Failure, transport};
use serde_json::{Value, json};

fn bench(rules: Rules) -> Bench {
    let mut bench = Bench::new(rules);
    bench.options.observer = Some(Arc::new(TracingObserver));
    bench
}

/// What was emitted, without the numbers of requests, which other tests of the process take too.
fn emitted(capture: &Capture) -> Vec<Value> {
    let numbered = |mut line: Value| {
        for part in ["fields", "span"] {
            assert!(line[part]["request"].as_u64().is_some_and(|request| request > 0), "{line}");
            line[part].as_object_mut().expect("an object").remove("request");
        }
        assert_eq!(line["target"], "refrain");
        let Value::Array(outer) = &line["spans"] else { panic!("no list of spans: {line}") };
        let within: Vec<_> = outer.iter().map(|span| span["name"].clone()).collect();
        json!({"level": line["level"], "fields": line["fields"], "span": line["span"], "within": within})
    };
    capture.events().into_iter().map(numbered).collect()
}

#[tokio::test]
async fn a_request_that_is_retried_emits_these_events_and_nothing_else() {
    let (capture, _guard) = Capture::start();
    let bench = bench(RULES);
    bench.server.respond(503, &[("retry-after", "-5")]);
    bench.server.fail(FailureKind::Ambiguous);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    bench.sleep_through().await;
    bench.sleep_through().await;
    join(running).await.expect("a success");

    let (outer, both) = (json!(["request"]), json!(["request", "attempt"]));
    let attempt = |more: Value| {
        let mut span = json!({"name": "attempt"});
        span.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        span
    };
    let (status, resends) = ("http.response.status_code", "http.request.resend_count");
    assert_eq!(
        emitted(&capture),
        [
            json!({"level": "DEBUG", "fields": {"message": "answered", status: 503},
                "span": attempt(json!({status: 503})), "within": both}),
            json!({"level": "INFO", "fields":
                {"message": "waiting", "retry_index": 0, "planned_delay_ms": 1_000, "hint": "signed"},
                "span": {"name": "request"}, "within": outer}),
            json!({"level": "DEBUG", "fields": {"message": "failed"},
                "span": attempt(json!({resends: 1})), "within": both}),
            json!({"level": "INFO", "fields": {"message": "waiting", "retry_index": 1, "planned_delay_ms": 2_000},
                "span": {"name": "request"}, "within": outer}),
            json!({"level": "DEBUG", "fields": {"message": "answered", status: 200},
                "span": attempt(json!({resends: 2, status: 200})), "within": both}),
            json!({"level": "DEBUG", "fields": {"message": "ended", "end": "success"},
                "span": {"name": "request"}, "within": outer}),
        ]
    );
}

#[tokio::test]
async fn a_resumed_request_counts_the_resends_of_all_processes() {
    let (capture, _guard) = Capture::start();
    let bench = bench(RULES);
    bench.server.respond(200, &[]);
    let request = refrain::core::Request { attempts_used: 2, ..GET };
    bench.run(request).await.expect("a success");
    assert_eq!(capture.events()[0]["span"]["http.request.resend_count"], 2);
}

#[tokio::test]
async fn an_end_without_success_and_a_wait_for_the_network_are_told_at_info() {
    let (capture, _guard) = Capture::start();
    let bench = bench(Rules { max_wait: Some(Millis::new(60_000)), ..RULES });
    bench.network.set(Network::Down);
    let running = bench.start(GET);
    bench.wait_entered().await;
    bench.time.set_mark(Mark::new(60_000));
    ended(join(running).await);
    let told: Vec<_> =
        emitted(&capture).into_iter().map(|line| (line["level"].clone(), line["fields"].clone())).collect();
    let waiting = json!({"message": "waiting for the network"});
    let offline = json!({"message": "ended", "end": "offline"});
    assert_eq!(told, [("INFO".into(), waiting), ("INFO".into(), offline)]);
}

#[tokio::test]
async fn a_dropped_request_ends_its_spans_and_says_so() {
    let (capture, _guard) = Capture::start();
    let bench = bench(RULES);
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    assert_eq!(capture.events()[0]["fields"]["end"], "dropped");
    assert_eq!(capture.closed(), ["attempt", "request"]);
}

#[tokio::test]
async fn what_happens_in_an_attempt_happens_in_its_span_and_the_request_in_that_of_its_caller() {
    let (capture, _guard) = Capture::start();
    let bench = bench(RULES);
    let send = transport::from_fn(|_| async {
        tokio::task::yield_now().await;
        tracing::warn!("from below");
        Ok::<_, Failure<std::io::Error>>(http::Response::new(()))
    });
    let caller = tracing::info_span!("caller");
    let request = bench.driver.run(&GET, send, &bench.options);
    tracing::Instrument::instrument(request, caller).await.expect("a success");
    let below = &capture.events()[0];
    assert_eq!(below["fields"]["message"], "from below");
    let spans: Vec<_> = below["spans"].as_array().expect("a list").iter().map(|span| span["name"].clone()).collect();
    assert_eq!(spans, ["caller", "request", "attempt"]);
}
