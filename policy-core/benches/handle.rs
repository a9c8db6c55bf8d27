//! What a decision costs natively, beside the two things it replaces: reading the date alone (`httpdate`), and drawing a
//! backoff (`retry-policies`). One run, so that the ratios hold on a noisy machine.

use std::{
    hint::black_box,
    time::{Duration, SystemTime},
};

use criterion::{Criterion, criterion_group, criterion_main};
use policy_core::{
    Attempt, DateRules, Event, Execution, Field, Mark, Method, Network, Now, Policy, Request, Rules, Sample, Session,
    Tokens, UnixMillis, http_date,
};
use retry_policies::{RetryPolicy, policies::ExponentialBackoff};

const DATE: &str = "Mon, 03 Jun 2019 11:30:12 GMT";
const NOW: Now = Now {
    mark: Mark::new(1_000),
    wall: Some(UnixMillis::new(1_559_561_400_000)),
    session: Session::new(1),
    cancelled: false,
    network: Network::Unknown,
    sample: Sample::new(0x8000_0000),
    tokens: Tokens::new(500),
    hold: None,
};

fn handle(c: &mut Criterion) {
    let policy = Policy::new(Rules::DEFAULT).expect("the default policy is one");
    let in_flight = Execution::start(&policy, &Request::new(Method::Get), &NOW).execution;
    let answer = |fields| Event::Response { of: Attempt::single(1), status: 503, fields };
    let dated = [Field { index: 0, value: DATE.as_bytes() }];
    let seconds = [Field { index: 0, value: b"12" }];

    let mut group = c.benchmark_group("native");
    let mut one = |name, event| {
        group.bench_function(name, |b| {
            b.iter(|| {
                // Looked at where it stands: a copy of it would cost half as much again as making it.
                let step = black_box(&in_flight).handle(black_box(&policy), black_box(event), black_box(&NOW));
                black_box(&step);
            });
        });
    };
    one("handle, IMF-fixdate", answer(&dated));
    one("handle, delay-seconds", answer(&seconds));
    one("handle, no hint", answer(&[]));
    group.bench_function("http_date::parse alone", |b| {
        b.iter(|| http_date::parse(black_box(DATE.as_bytes()), black_box(DateRules::default()), None));
    });
    group.bench_function("httpdate alone", |b| b.iter(|| httpdate::parse_http_date(black_box(DATE))));
    let peer = ExponentialBackoff::builder().build_with_max_retries(4);
    group.bench_function("retry-policies should_retry", |b| {
        b.iter(|| {
            black_box(&peer).should_retry(black_box(SystemTime::UNIX_EPOCH + Duration::from_secs(1)), black_box(1))
        });
    });
    group.finish();
}

criterion_group!(benches, handle);
criterion_main!(benches);
