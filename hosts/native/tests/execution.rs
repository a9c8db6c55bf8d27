//! What is sent, when, and what the caller gets.

mod bench;

use std::sync::atomic::{AtomicU64, Ordering};

use bench::{Bench, GET, POST, RULES, end, ended, join, last};
use refrain::core::{
    Bound, DeadlineScope, End, FailureKind, HintReport, IdempotencyKey, Limits, Mark, Millis, Network, Request, Rules,
    UnixMillis,
};
use refrain::testing::ScriptedError;
use refrain::{Attempted, Driver, Failure, Last, Reason, Rounding, Time, TraceEvent};

#[tokio::test]
async fn three_answers_lead_to_three_sends_at_the_planned_times() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    bench.server.respond(429, &[("Retry-After", "7")]);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);

    assert_eq!(bench.wait_entered().await, Mark::new(1_000));
    assert_eq!(bench.waits().last().map(|wait| (wait.delay.get(), wait.bound)), Some((1_000, Bound::Backoff)));
    bench.time.advance(Millis::new(999));
    tokio::task::yield_now().await;
    assert_eq!(bench.sent_at(), [0]);
    bench.time.advance(Millis::new(1));

    assert_eq!(bench.wait_entered().await, Mark::new(8_000));
    assert_eq!(bench.waits().last().map(|wait| (wait.delay.get(), wait.bound)), Some((7_000, Bound::Hint)));
    assert_eq!(bench.sent_at(), [0, 1_000]);
    bench.time.advance(Millis::new(7_000));

    let delivered = join(running).await.expect("a success");
    assert_eq!((delivered.response.body().as_str(), delivered.attempts), ("200", 3));
    assert_eq!(bench.sent_at(), [0, 1_000, 8_000]);
}

#[tokio::test]
async fn the_observer_sees_each_step_once() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[("retry-after", "-5")]);
    bench.server.fail(FailureKind::Permanent);
    let running = bench.start(GET);
    bench.sleep_through().await;
    ended(join(running).await);

    let wait = bench.waits()[0];
    assert_eq!((wait.retry_index, wait.hint), (0, HintReport::Signed));
    let events: Vec<_> = bench.seen.traces().into_iter().map(|trace| (trace.at.get(), trace.event)).collect();
    let not_retried = TraceEvent::Ended {
        reason: Reason::Policy(End::NotRetryable),
        bound: Bound::None,
        hint: HintReport::Absent,
        attempts: 2,
    };
    assert_eq!(
        events,
        [
            (0, TraceEvent::Begun { attempts_used: 0 }),
            (0, TraceEvent::Sent { attempt: 1, timeout: None }),
            (0, TraceEvent::Answered { attempt: 1, status: 503 }),
            (0, TraceEvent::WaitPlanned(wait)),
            (1_000, TraceEvent::WaitOver { waited: Millis::new(1_000) }),
            (1_000, TraceEvent::Sent { attempt: 2, timeout: None }),
            (1_000, TraceEvent::Failed { attempt: 2, kind: FailureKind::Permanent, timed_out: false }),
            (1_000, not_retried),
        ]
    );
}

#[tokio::test]
async fn a_status_outside_the_retry_set_is_handed_over_as_it_is() {
    let bench = Bench::new(RULES);
    bench.server.respond(404, &[("x-kept", "yes")]);
    let ended = ended(bench.run(GET).await);
    assert_eq!((ended.end(), ended.last.status()), (Some(End::NotRetryable), Some(404)));
    let delivered = ended.into_response().expect("a response");
    assert_eq!(
        (delivered.response.body().as_str(), delivered.response.headers()["x-kept"].as_bytes()),
        ("404", &b"yes"[..])
    );
}

#[tokio::test]
async fn a_failure_is_handed_over_with_its_source() {
    let bench = Bench::new(RULES);
    bench.server.fail(FailureKind::Permanent);
    let ended = ended(bench.run(GET).await);
    assert_eq!(last(&ended), Last::Failure(Failure::new(FailureKind::Permanent, ScriptedError)));
    assert_eq!(ended.to_string(), "the request ended: not-retryable; attempts: 1");
    let cause = std::error::Error::source(&ended).expect("a cause");
    assert_eq!(cause.to_string(), "the attempt failed: permanent");
    assert!(cause.source().is_some_and(|source| source.is::<ScriptedError>()));
}

#[tokio::test]
async fn the_last_allowed_attempt_hands_over_its_response() {
    let bench = Bench::new(RULES);
    (0..2).for_each(|_| bench.server.respond(503, &[]));
    let limits = Limits { max_attempts: Some(2), ..Limits::NONE };
    let running = bench.start(Request { limits, ..GET });
    bench.sleep_through().await;
    let ended = ended(join(running).await);
    assert_eq!((ended.end(), ended.bound, ended.attempts), (Some(End::AttemptsUsed), Bound::Attempts, 2));
    assert_eq!(last(&ended), Last::Response(503));
}

#[tokio::test]
async fn sends_of_a_nested_layer_count_and_what_it_gave_up_on_is_not_begun_again() {
    let answer = |sends, exhausted| {
        let mut response = http::Response::new(String::new());
        *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
        Attempted { result: Ok(response), sends, exhausted }
    };
    let bench = Bench::new(RULES);
    bench.server.push(answer(4, false));
    let used = ended(bench.run(GET).await);
    assert_eq!((used.end(), used.attempts), (Some(End::AttemptsUsed), 4));
    bench.server.push(answer(2, true));
    assert_eq!(end(bench.run(GET).await), End::Nested);
}

#[tokio::test]
async fn a_body_that_cannot_be_sent_again_is_sent_once() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    assert_eq!(end(bench.run(Request { replayable: false, ..GET }).await), End::BodyNotReplayable);
    assert_eq!(bench.sent_at(), [0]);
}

#[tokio::test]
async fn a_write_is_repeated_only_with_an_honoured_key() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    assert_eq!(end(bench.run(POST).await), End::NotIdempotent);

    bench.server.respond(503, &[]);
    bench.server.respond(201, &[]);
    let running = bench.start(Request { key: IdempotencyKey::Honoured, ..POST });
    bench.sleep_through().await;
    assert_eq!(join(running).await.expect("a success").attempts, 2);
}

#[tokio::test]
async fn a_wait_that_reaches_the_deadline_is_not_begun() {
    let bench = Bench::new(Rules { deadline: Some(Millis::new(5_000)), ..RULES });
    bench.server.respond(503, &[("retry-after", "5")]);
    let ended = ended(bench.run(GET).await);
    assert_eq!((ended.end(), ended.bound), (Some(End::Deadline), Bound::Deadline));
    assert_eq!(ended.resume.map(|resume| resume.delay), Some(Millis::new(5_000)));
    assert_eq!(ended.last.status(), Some(503));
    assert!(bench.waits().is_empty());
}

#[tokio::test]
async fn an_overslept_wait_sends_nothing_after_the_deadline() {
    let bench = Bench::new(Rules { deadline: Some(Millis::new(5_000)), ..RULES });
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    bench.wait_entered().await;
    bench.time.set_mark(Mark::new(5_000));
    let ended = ended(join(running).await);
    assert_eq!((ended.end(), last(&ended)), (Some(End::Deadline), Last::Status(503)));
    assert_eq!(bench.sent_at(), [0]);
}

#[tokio::test]
async fn a_wait_above_the_longest_is_deferred_whole() {
    let bench = Bench::new(RULES);
    bench.time.set_wall(Some(UnixMillis::new(1_700_000_000_000)));
    bench.server.respond(503, &[("retry-after", "3600")]);
    let ended = ended(bench.run(GET).await);
    let resume = ended.resume.expect("something to go on with");
    assert_eq!((ended.end(), ended.bound), (Some(End::Deferred), Bound::MaxWait));
    assert_eq!((resume.delay, resume.attempts_used), (Millis::from_secs(3_600), 1));
    assert_eq!(resume.not_before, Some(UnixMillis::new(1_700_003_600_000)));
}

#[tokio::test]
async fn a_correction_of_the_wall_clock_moves_no_wait() {
    let bench = Bench::new(RULES);
    bench.time.set_wall(Some(UnixMillis::new(784_111_777_000)));
    bench.server.respond(503, &[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")]);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    assert_eq!(bench.wait_entered().await, Mark::new(10_000));
    bench.time.set_wall(Some(UnixMillis::new(0)));
    bench.time.advance(Millis::new(9_999));
    tokio::task::yield_now().await;
    assert_eq!(bench.sent_at(), [0]);
    bench.time.advance(Millis::new(1));
    join(running).await.expect("a success");
    assert_eq!(bench.sent_at(), [0, 10_000]);
}

/// One second goes by at each reading of either clock, as if the thread were preempted there.
#[derive(Default)]
struct Preempted(AtomicU64);

impl Preempted {
    const WALL_AT_ZERO: u64 = 784_111_777_000;

    fn read(&self) -> u64 {
        self.0.fetch_add(1_000, Ordering::Relaxed)
    }
}

impl Time for Preempted {
    fn mark(&self, _: Rounding) -> Mark {
        Mark::new(self.read())
    }

    fn wall(&self) -> Option<UnixMillis> {
        Some(UnixMillis::new(Self::WALL_AT_ZERO + self.read()))
    }

    async fn sleep_until(&self, until: Mark) {
        self.0.fetch_max(until.get(), Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_preemption_between_the_clocks_makes_no_date_early() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")]);
    bench.server.respond(200, &[]);
    let driver = Driver::new(bench::engine(RULES), Preempted::default(), bench.entropy.clone());
    driver.run(&GET, bench.server.clone(), &bench.options).await.expect("a success");
    assert!(bench.waits()[0].until >= Mark::new(30_000), "{:?} is early", bench.waits());
}

#[tokio::test]
async fn early_and_repeated_wakes_send_nothing_early() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    for _ in 0..3 {
        assert_eq!(bench.wait_entered().await, Mark::new(1_000));
        bench.time.advance(Millis::new(100));
        bench.time.wake_early();
    }
    assert_eq!(bench.sleep_through().await, Mark::new(1_000));
    join(running).await.expect("a success");
    assert_eq!(bench.sent_at(), [0, 1_000]);
    assert_eq!(bench.waits().len(), 1);
}

#[tokio::test]
async fn no_rounding_makes_a_send_early() {
    let bench = Bench::new(RULES);
    let answer = bench.server.later();
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    bench.server.sent().await;
    bench.time.advance_nanos(1);
    answer.respond(503, &[]);
    assert_eq!(bench.wait_entered().await, Mark::new(1_001), "the response is reported rounded up");
    bench.time.advance_nanos(1_000_999_998);
    bench.time.wake_early();
    assert_eq!(bench.wait_entered().await, Mark::new(1_001), "1000.999999 ms is not yet 1001 ms");
    bench.time.advance_nanos(1);
    join(running).await.expect("a success");
    assert_eq!(bench.sent_at(), [0, 1_001]);
}

#[tokio::test]
async fn a_hold_keeps_back_the_first_send_and_a_retry() {
    let bench = Bench::new(RULES);
    bench.hold.extend_to(Mark::new(3_000));
    bench.server.respond(503, &[]);
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    assert_eq!(bench.sleep_through().await, Mark::new(3_000));
    assert_eq!(bench.wait_entered().await, Mark::new(4_000));
    bench.hold.extend_to(Mark::new(6_000));
    bench.time.set_mark(Mark::new(4_000));
    assert_eq!(bench.sleep_through().await, Mark::new(6_000));
    join(running).await.expect("a success");
    assert_eq!(bench.sent_at(), [3_000, 6_000]);
    let bounds: Vec<_> = bench.waits().iter().map(|wait| wait.bound).collect();
    assert_eq!(bounds, [Bound::Hold, Bound::Backoff, Bound::Hold]);
}

#[tokio::test]
async fn a_hold_beyond_all_marks_defers_and_is_no_invalid_input() {
    let bench = Bench::new(RULES);
    bench.hold.extend_to(Mark::new(u64::MAX));
    assert_eq!(bench.hold.until(), Some(Mark::MAX));
    assert_eq!(end(bench.run(GET).await), End::Deferred);
}

#[tokio::test]
async fn a_resumed_request_waits_for_its_moment_and_keeps_its_count() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    let running = bench.start(Request { attempts_used: 3, not_before: Some(Mark::new(2_000)), ..GET });
    assert_eq!(bench.sleep_through().await, Mark::new(2_000));
    let ended = ended(join(running).await);
    assert_eq!((ended.end(), ended.attempts), (Some(End::AttemptsUsed), 4));
    assert_eq!(bench.server.sends()[0].attempt, 4);
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_aborted_and_may_be_repeated() {
    let bench = Bench::new(Rules { attempt_timeout: Some(Millis::new(5_000)), ..RULES });
    let _hanging = bench.server.later();
    bench.server.respond(200, &[]);
    let running = bench.start(GET);
    assert_eq!(bench.wait_entered().await, Mark::new(5_000));
    bench.time.wake_early();
    assert_eq!(bench.sleep_through().await, Mark::new(5_000), "a timer that fires too soon is no timeout");
    assert_eq!(bench.sleep_through().await, Mark::new(6_000), "the backoff");
    let delivered = join(running).await.expect("a success");
    assert_eq!((bench.server.aborted(), delivered.maybe_applied), (1, true));
    assert_eq!(bench.server.sends()[1].timeout, Some(Millis::new(5_000)));
    let failed = TraceEvent::Failed { attempt: 1, kind: FailureKind::Ambiguous, timed_out: true };
    assert!(bench.seen.traces().iter().any(|trace| trace.event == failed));
}

#[tokio::test]
async fn a_deadline_over_attempts_cuts_the_running_one_short() {
    let (deadline, deadline_scope) = (Some(Millis::new(5_000)), DeadlineScope::Attempts);
    let bench = Bench::new(Rules { deadline, deadline_scope, ..RULES });
    let _hanging = bench.server.later();
    let running = bench.start(GET);
    assert_eq!(bench.sleep_through().await, Mark::new(5_000));
    let ended = ended(join(running).await);
    assert_eq!((ended.end(), ended.maybe_applied, bench.server.aborted()), (Some(End::Deadline), true, 1));
}

#[tokio::test]
async fn a_needless_wake_does_not_disturb_an_attempt() {
    let bench = Bench::new(Rules { attempt_timeout: Some(Millis::new(5_000)), ..RULES });
    let answer = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    for network in [Network::Up, Network::Down, Network::Up] {
        bench.network.set(network);
        tokio::task::yield_now().await;
    }
    answer.respond(200, &[]);
    join(running).await.expect("a success");
    assert_eq!((bench.server.aborted(), bench.sent_at()), (0, vec![0]));
}
