//! The ready-made policies do what their descriptions say, decided by the core.

use policy_core::{End, FailureKind, IdempotencyKey, Method, Millis, Request, Rules, Sample, Tokens};
use refrain_document::{BudgetScope, Document, Format, ready};

use crate::run::{Reply, Story, run, run_with};

const LONGEST: Sample = Sample::ONE;
const SHORTEST: Sample = Sample::ZERO;

fn policy(name: &str) -> Document {
    ready::find(name).unwrap_or_else(|| panic!("{name}")).document()
}

fn get() -> Request {
    Request::new(Method::Get)
}

fn keyed(method: Method) -> Request {
    Request { key: IdempotencyKey::Honoured, ..Request::new(method) }
}

fn waits(document: &Document, sample: Sample, status: u16) -> Vec<u64> {
    run(document, &get(), sample, &[Reply::Status(status)]).waits
}

fn hinted(document: &Document, sample: Sample, status: u16, name: &str, value: &str) -> Story {
    run(document, &get(), sample, &[Reply::Says(status, name, value), Reply::Status(200)])
}

/// That a status or failure is retried, or handed over.
fn is_retried(document: &Document, reply: Reply<'_>) -> bool {
    run(document, &get(), LONGEST, &[reply, Reply::Status(200)]).sends == 2
}

fn retried_statuses(document: &Document) -> Vec<u16> {
    (200..=599).filter(|status| is_retried(document, Reply::Status(*status))).collect()
}

fn retried_failures(document: &Document) -> Vec<FailureKind> {
    FailureKind::ALL.into_iter().filter(|kind| is_retried(document, Reply::Fails(*kind))).collect()
}

fn repeatable(document: &Document, key: IdempotencyKey) -> Vec<Method> {
    let is_repeated = |method: &Method| {
        let request = Request { key, ..Request::new(*method) };
        run(document, &request, LONGEST, &[Reply::Status(503), Reply::Status(200)]).sends == 2
    };
    Method::ALL.into_iter().filter(is_repeated).collect()
}

#[test]
fn every_one_is_accepted_without_a_doubt_under_its_own_name() {
    for name in ready::names() {
        let document = Document::parse(ready::find(name).unwrap().toml, Format::Toml).unwrap();
        assert_eq!(document.name(), name);
        assert!(document.warnings().is_empty(), "{}", document.warnings());
        assert!(document.description().len() > 80 && !document.description().contains("  "), "{name}");
    }
    assert_eq!(ready::names().count(), 11);
}

#[test]
fn every_one_defers_a_long_hint_and_stays_above_a_short_one() {
    for name in ready::names() {
        let document = policy(name);
        let field = document.policy().rules().hint.fields;
        assert!(field.iter().any(|field| field.name == "retry-after"), "{name}");
        let story = hinted(&document, SHORTEST, 503, "retry-after", "3600");
        assert!(matches!(story.end, End::Deferred | End::Deadline), "{name}: {story:?}");
        assert_eq!((story.sends, story.resume), (1, Some(3_600_000)), "{name}");
        let story = hinted(&document, SHORTEST, 503, "retry-after", "4");
        assert!(story.waits[0] >= 4_000, "{name}: {story:?}");
    }
}

#[test]
fn polite_default_is_the_default_of_the_core() {
    let document = policy("polite-default");
    assert_eq!(document.policy().rules(), Rules::DEFAULT);
    let least = "schema = 1\nname = \"polite-default\"\nversion = \"1.0.0\"";
    assert_eq!(document.slot(), Document::parse(least, Format::Toml).unwrap().slot());
}

#[test]
fn read_only_strict_is_the_retry_check_of_its_model() {
    let document = policy("read-only-strict");
    assert_eq!(retried_statuses(&document), [429, 503]);
    assert_eq!(retried_failures(&document), []);
    assert_eq!(repeatable(&document, IdempotencyKey::Honoured), [Method::Get]);
    for status in [429, 503] {
        assert_eq!(waits(&document, SHORTEST, status), [500, 1_000, 2_000]);
        assert_eq!(waits(&document, LONGEST, status), [1_000, 2_000, 4_000]);
    }
    // Its published results.
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "10").waits, [10_000]);
    assert_eq!(hinted(&document, SHORTEST, 503, "retry-after", "30").waits, [30_000]);
    let deferred = hinted(&document, SHORTEST, 429, "retry-after", "60");
    assert_eq!((deferred.end, deferred.resume), (End::Deferred, Some(60_000)));
    // Unreadable values, overflow and the older forms of a date included, mean the local backoff.
    let unread = [
        "99999999999999999999",
        "-5",
        "1.5",
        "Tuesday, 14-Nov-23 22:14:00 GMT",
        "60, 90",
        "Tue, 14 Nov 2023 23:59:60 GMT",
    ];
    for value in unread {
        assert_eq!(hinted(&document, LONGEST, 503, "retry-after", value).waits, [1_000], "{value}");
    }
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "Tue, 14 Nov 2023 22:13:40 GMT").waits, [20_000]);
    assert_eq!(document.policy().budget(), None);
    assert_eq!(document.host().key, None);
}

#[test]
fn api_client_is_the_client_of_its_model() {
    let document = policy("api-client");
    assert_eq!(retried_statuses(&document), [429, 500, 502, 503, 504]);
    assert_eq!(
        retried_failures(&document),
        // Offline without a report that the network is down is a failed connection.
        [FailureKind::DnsFailed, FailureKind::ConnectFailed, FailureKind::Ambiguous, FailureKind::Offline]
    );
    assert!(is_retried(&document, Reply::TimesOut));
    assert_eq!(repeatable(&document, IdempotencyKey::Sent), [Method::Get, Method::Put, Method::Delete]);
    assert_eq!(
        repeatable(&document, IdempotencyKey::Honoured),
        [Method::Get, Method::Put, Method::Delete, Method::Post]
    );
    assert_eq!(waits(&document, LONGEST, 503), [500, 1_000, 2_000]);
    assert_eq!(waits(&document, SHORTEST, 503), [0, 0, 0]);
    // The hint in the place of the backoff, zero at once, and no separate limit: 40 s reach the deadline of 30.
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "1").waits, [1_000]);
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "0").waits, [0]);
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "29").waits, [29_000]);
    for seconds in ["30", "40"] {
        assert_eq!(hinted(&document, LONGEST, 503, "retry-after", seconds).end, End::Deadline);
    }
    assert_eq!(document.policy().rules().offline, policy_core::Offline::Await);
    assert_eq!(document.policy().budget(), None);
    let far = Document::parse(
        &ready::find("api-client")
            .unwrap()
            .toml
            .replace("max_attempts = 4", "max_attempts = 9")
            .replace("\"30s\"\ndeadline_bounds", "\"10m\"\ndeadline_bounds"),
        Format::Toml,
    )
    .unwrap();
    assert_eq!(waits(&far, LONGEST, 503), [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
}

#[test]
fn browser_interactive_answers_a_person_within_ten_seconds() {
    let document = policy("browser-interactive");
    let story = run(&document, &get(), LONGEST, &[Reply::Status(503)]);
    assert_eq!((story.sends, &*story.waits), (3, &[300, 600][..]));
    assert_eq!(waits(&document, LONGEST, 429), [1_000, 2_000]);
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "5").waits, [5_500]);
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "6").end, End::Deferred);
    assert_eq!(document.host().budget, BudgetScope::Host);
}

#[test]
fn background_sync_waits_minutes_and_defers_hours() {
    let document = policy("background-sync");
    let minutes = [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000];
    assert_eq!(waits(&document, LONGEST, 503), minutes);
    assert_eq!(waits(&document, LONGEST, 429)[..3], [10_000, 20_000, 40_000]);
    assert_eq!(hinted(&document, LONGEST, 503, "retry-after", "300").waits, [360_000]);
    let deferred = hinted(&document, LONGEST, 503, "retry-after", "301");
    assert_eq!((deferred.end, deferred.resume), (End::Deferred, Some(301_000)));
}

#[test]
fn aws_2_0_takes_5_from_500_or_10_after_a_time_out() {
    let document = policy("aws-standard-2-0");
    let fails = run(&document, &get(), LONGEST, &[Reply::Status(500)]);
    assert_eq!((fails.sends, &*fails.waits, fails.end), (3, &[1_000, 2_000][..], End::AttemptsUsed));
    assert_eq!(fails.tokens, [495, 490, 490].map(Tokens::new));
    let throttled = run(&document, &get(), LONGEST, &[Reply::Status(429), Reply::Status(200)]);
    assert_eq!((throttled.waits, throttled.tokens), (vec![1_000], [495, 500].map(Tokens::new).to_vec()));
    let slow = run(&document, &get(), LONGEST, &[Reply::TimesOut, Reply::Status(200)]);
    assert_eq!(slow.tokens, [490, 500].map(Tokens::new));
    let plain = run_with(document.policy(), &get(), LONGEST, Tokens::new(400), &[Reply::Status(200)]);
    assert_eq!(plain.tokens, [Tokens::new(401)]);
    let empty = run_with(document.policy(), &get(), LONGEST, Tokens::new(4), &[Reply::Status(500)]);
    assert_eq!((empty.sends, empty.end), (1, End::BudgetEmpty));
    assert_eq!(retried_statuses(&document), [429, 500, 502, 503, 504]);
    assert!(!repeatable(&document, IdempotencyKey::Absent).contains(&Method::Post));
}

#[test]
fn aws_2_1_begins_at_50_ms_or_at_1_s_after_throttling() {
    let document = policy("aws-standard-2-1");
    let fails = run(&document, &get(), LONGEST, &[Reply::Status(500), Reply::Status(500), Reply::Status(200)]);
    assert_eq!((fails.waits, fails.tokens), (vec![50, 100], [486, 472, 486].map(Tokens::new).to_vec()));
    let throttled = run(&document, &get(), LONGEST, &[Reply::Status(429)]);
    assert_eq!((throttled.waits, throttled.tokens), (vec![1_000, 2_000], [495, 490, 490].map(Tokens::new).to_vec()));
    let mixed = run(&document, &get(), LONGEST, &[Reply::Status(500), Reply::Status(429)]);
    assert_eq!(mixed.waits, [50, 2_000]);
    // Milliseconds, not shorter than the backoff, and not cut at five seconds beyond it.
    for (value, wait) in [("1500", 1_500), ("10", 50), ("10000", 10_000), ("invalid", 50), ("60000", 60_000)] {
        assert_eq!(hinted(&document, LONGEST, 500, "x-amz-retry-after", value).waits, [wait], "{value}");
    }
    assert_eq!(hinted(&document, LONGEST, 500, "x-amz-retry-after", "60001").end, End::Deferred);
}

#[test]
fn grpc_a6_draws_around_the_bound_and_obeys_the_pushback() {
    let document = policy("grpc-a6");
    assert_eq!(retried_statuses(&document), [429, 502, 503, 504]);
    assert_eq!(waits(&document, SHORTEST, 503), [80, 160, 320]);
    assert_eq!(waits(&document, LONGEST, 503), [120, 240, 480]);
    let pushback = |value| hinted(&document, LONGEST, 503, "grpc-retry-pushback-ms", value);
    assert_eq!(pushback("1000").waits, [1_000]);
    assert_eq!(pushback("0").waits, [0]);
    for value in ["-1", "100, 10", "2147483648", "1.5", "x"] {
        assert_eq!((pushback(value).sends, pushback(value).end), (1, End::NotRetryable), "{value}");
    }
    assert_eq!(pushback("2147483647").end, End::Deferred);
    let restarted = [Reply::Status(503), Reply::Says(503, "grpc-retry-pushback-ms", "5"), Reply::Status(503)];
    assert_eq!(run(&document, &get(), LONGEST, &restarted).waits, [120, 5, 120]);
    // Ten tokens, one for each failure, and none may be retried at five.
    let many = run_with(document.policy(), &get(), LONGEST, Tokens::new(7), &[Reply::Status(503)]);
    assert_eq!((many.sends, many.end), (2, End::BudgetEmpty));
    let one = run_with(document.policy(), &get(), LONGEST, Tokens::new(6), &[Reply::Status(200)]);
    assert_eq!(one.tokens, [Tokens::from_thousandths(6_100)]);
    // A call that was not processed goes out again without a key, another one does not.
    let call = Request::new(Method::Post);
    assert_eq!(run(&document, &call, LONGEST, &[Reply::Fails(FailureKind::Unprocessed), Reply::Status(200)]).sends, 2);
    assert_eq!(run(&document, &call, LONGEST, &[Reply::Status(503)]).end, End::NotIdempotent);
    assert_eq!(run(&document, &keyed(Method::Post), LONGEST, &[Reply::Status(503)]).sends, 4);
    assert_eq!(document.host().budget, BudgetScope::Host);
}

#[test]
fn envoy_rate_limited_takes_the_reset_and_up_to_half_more() {
    let document = policy("envoy-rate-limited");
    assert_eq!(waits(&document, LONGEST, 429), [25]);
    assert_eq!(hinted(&document, SHORTEST, 429, "retry-after", "10").waits, [10_000]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "10").waits, [15_000]);
    assert_eq!(hinted(&document, LONGEST, 429, "x-ratelimit-reset", "1700000020").waits, [30_000]);
    assert_eq!(hinted(&document, LONGEST, 429, "x-ratelimit-reset", "1699999999").waits, [25]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "300").waits, [450_000]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "301").end, End::Deferred);
}

#[test]
fn stripe_obeys_its_verdict_and_never_repeats_a_post_without_a_key() {
    let document = policy("stripe");
    assert_eq!(retried_statuses(&document), [409].into_iter().chain(500..=599).collect::<Vec<_>>());
    assert_eq!(waits(&document, SHORTEST, 500), [500, 1_000]);
    assert_eq!(waits(&document, LONGEST, 500), [1_000, 2_000]);
    assert_eq!(hinted(&document, LONGEST, 500, "stripe-should-retry", "false").end, End::NotRetryable);
    assert_eq!(hinted(&document, LONGEST, 429, "stripe-should-retry", "true").sends, 2);
    let post = |request: &Request| run(&document, request, LONGEST, &[Reply::Says(500, "stripe-should-retry", "true")]);
    assert_eq!(post(&Request::new(Method::Post)).end, End::NotIdempotent);
    assert_eq!(post(&keyed(Method::Post)).sends, 3);
    assert_eq!(document.host().key.as_ref().map(|key| &*key.name), Some("idempotency-key"));
    assert_eq!(document.policy().rules().attempt_timeout, Some(Millis::from_secs(80)));
}

#[test]
fn openai_anthropic_prefers_the_verdict_then_milliseconds_then_seconds() {
    let document = policy("openai-anthropic");
    assert_eq!(retried_statuses(&document), [408, 409, 429].into_iter().chain(500..=599).collect::<Vec<_>>());
    assert_eq!(waits(&document, SHORTEST, 500), [375, 750]);
    assert_eq!(waits(&document, LONGEST, 500), [500, 1_000]);
    assert_eq!(hinted(&document, LONGEST, 503, "x-should-retry", "false").end, End::NotRetryable);
    assert_eq!(hinted(&document, LONGEST, 400, "x-should-retry", "true").sends, 2);
    assert_eq!(hinted(&document, LONGEST, 400, "x-should-retry", "TRUE").sends, 1);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after-ms", "120").waits, [120]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after-ms", "0.5").waits, [1]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "1.5").waits, [1_500]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "0").waits, [500]);
    assert_eq!(hinted(&document, LONGEST, 429, "retry-after", "60").waits, [60_000]);
    let deferred = hinted(&document, LONGEST, 429, "retry-after-ms", "60001");
    assert_eq!((deferred.end, deferred.resume), (End::Deferred, Some(60_001)));
}
