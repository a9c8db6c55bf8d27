//! A cancel, another session, a dropped future: each ends the request at once, in every state.

mod bench;

use std::sync::atomic::{AtomicU32, Ordering};

use bench::{Bench, GET, RULES, end, ended, join, last};
use refrain::core::{BudgetRules, End, FailureKind, Mark, Millis, Network, Rules, Tokens, UnixMillis};
use refrain::{Driver, Last, Options, Reason, Rounding, Time, testing::ScriptedError};
use tokio::task::JoinHandle;

type Interrupt = fn(&Bench);

/// Ways to end a request from outside.
const INTERRUPTIONS: [(Interrupt, End); 2] = [
    (|bench| bench.cancel.cancel(), End::Cancelled),
    (
        |bench| {
            bench.session.raise();
        },
        End::SessionChanged,
    ),
];

#[tokio::test]
async fn cancelled_before_the_first_send_sends_nothing() {
    let bench = Bench::new(RULES);
    bench.cancel.cancel();
    let ended = ended(bench.run(GET).await);
    assert_eq!((ended.end(), ended.attempts, ended.maybe_applied), (Some(End::Cancelled), 0, false));
    assert_eq!((bench.sent_at(), last(&ended)), (vec![], Last::Nothing));
}

#[tokio::test]
async fn a_session_that_changes_before_the_first_poll_ends_the_request() {
    let bench = Bench::new(RULES);
    let request = bench.driver.run(&GET, bench.server.clone(), &bench.options);
    bench.session.raise();
    let ended = ended(request.await);
    assert_eq!((ended.end(), ended.attempts, ended.maybe_applied), (Some(End::SessionChanged), 0, false));
    assert!(!ended.session.is_current() && bench.sent_at().is_empty());
}

#[tokio::test]
async fn interrupted_in_flight_aborts_the_attempt() {
    for (interrupt, expected) in INTERRUPTIONS {
        let bench = Bench::new(RULES);
        let _hanging = bench.server.later();
        let running = bench.start(GET);
        bench.server.sent().await;
        interrupt(&bench);
        let ended = ended(join(running).await);
        assert_eq!((ended.end(), ended.attempts, ended.maybe_applied), (Some(expected), 1, true));
        assert_eq!((bench.server.aborted(), last(&ended)), (1, Last::Nothing));
    }
}

#[tokio::test]
async fn interrupted_while_the_answer_arrives_withholds_even_a_success() {
    for (interrupt, expected) in INTERRUPTIONS {
        let bench = Bench::new(RULES);
        let answer = bench.server.later();
        let running = bench.start(GET);
        bench.server.sent().await;
        answer.respond(200, &[]);
        interrupt(&bench);
        let ended = ended(join(running).await);
        assert_eq!((bench.server.aborted(), ended.end(), last(&ended)), (0, Some(expected), Last::Nothing));
    }
}

#[tokio::test]
async fn interrupted_during_the_wait_ends_it_at_once() {
    for (interrupt, expected) in INTERRUPTIONS {
        let (bench, running) = in_a_wait(RULES).await;
        interrupt(&bench);
        let ended = ended(join(running).await);
        assert_eq!((ended.end(), ended.attempts, last(&ended)), (Some(expected), 1, still_known(expected)));
        assert_eq!(bench.sent_at(), [0]);
    }
}

/// The status of the result that was given up; an older session's is withheld.
fn still_known(end: End) -> Last<u16, ScriptedError> {
    match end {
        End::SessionChanged => Last::Nothing,
        _ => Last::Status(503),
    }
}

#[tokio::test]
async fn interrupted_during_the_wait_without_entropy_is_no_failure() {
    for (interrupt, expected) in INTERRUPTIONS {
        let (bench, running) = in_a_wait(RULES).await;
        bench.entropy.fail();
        interrupt(&bench);
        let ended = ended(join(running).await);
        assert_eq!((ended.reason, ended.attempts), (Reason::Policy(expected), 1));
    }
}

/// A clock that stands still, with timers that all fire at once.
#[derive(Default)]
struct Hasty(AtomicU32);

impl Time for Hasty {
    fn mark(&self, _: Rounding) -> Mark {
        Mark::default()
    }

    fn wall(&self) -> Option<UnixMillis> {
        None
    }

    async fn sleep_until(&self, _: Mark) {
        assert!(self.0.fetch_add(1, Ordering::Relaxed) < 100, "nothing else gets a turn");
    }
}

#[tokio::test]
async fn timers_that_fire_at_once_leave_room_for_a_cancel_in_a_wait() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    let driver = Driver::new(bench::engine(RULES), Hasty::default(), bench.entropy.clone());
    let running = driver.run(&GET, bench.server.clone(), &bench.options);
    let (result, ()) = tokio::join!(running, async { bench.cancel.cancel() });
    assert_eq!(end(result), End::Cancelled);
}

#[tokio::test]
async fn timers_that_fire_at_once_leave_room_for_a_cancel_and_an_answer_in_flight() {
    let rules = Rules { attempt_timeout: Some(Millis::new(5_000)), ..RULES };
    let bench = Bench::new(rules);
    let driver = Driver::new(bench::engine(rules), Hasty::default(), bench.entropy.clone());

    let answer = bench.server.later();
    let running = driver.run(&GET, bench.server.clone(), &bench.options);
    let (result, ()) = tokio::join!(running, async { answer.respond(200, &[]) });
    assert_eq!(result.expect("a success").attempts, 1);

    let _hanging = bench.server.later();
    let running = driver.run(&GET, bench.server.clone(), &bench.options);
    let (result, ()) = tokio::join!(running, async { bench.cancel.cancel() });
    assert_eq!(end(result), End::Cancelled);
}

#[tokio::test]
async fn interrupted_right_after_the_wait_sends_nothing() {
    for (interrupt, expected) in INTERRUPTIONS {
        let (bench, running) = in_a_wait(RULES).await;
        bench.time.set_mark(Mark::new(1_000));
        interrupt(&bench);
        assert_eq!(end(join(running).await), expected);
        assert_eq!(bench.sent_at(), [0]);
    }
}

#[tokio::test]
async fn interrupted_while_offline_ends_at_once() {
    for (interrupt, expected) in INTERRUPTIONS {
        let bench = Bench::new(RULES);
        bench.network.set(Network::Down);
        let running = bench.start(GET);
        bench.wait_entered().await;
        interrupt(&bench);
        assert_eq!(end(join(running).await), expected);
        assert_eq!(bench.sent_at(), [0; 0]);
    }
}

#[tokio::test]
async fn a_request_dropped_in_flight_aborts_its_attempt() {
    let bench = Bench::new(RULES);
    let answer = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    abort(running).await;
    assert_eq!(bench.server.aborted(), 1);
    answer.respond(503, &[]);
    assert_eq!(bench.sent_at(), [0]);
}

#[tokio::test]
async fn a_request_dropped_in_a_wait_leaves_nothing_behind() {
    let (bench, running) = in_a_wait(RULES).await;
    abort(running).await;
    bench.time.advance(Millis::new(1_000));
    tokio::task::yield_now().await;
    assert_eq!(bench.sent_at(), [0]);
    assert_eq!(std::sync::Arc::strong_count(&bench.driver), 1);
}

#[tokio::test]
async fn a_cancelled_wait_returns_its_token() {
    let (bench, running) = in_a_wait(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES }).await;
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(495));
    bench.cancel.cancel();
    ended(join(running).await);
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(500));
}

#[tokio::test]
async fn a_request_dropped_in_a_wait_returns_its_token() {
    let (bench, running) = in_a_wait(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES }).await;
    bench.entropy.fail();
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(495));
    abort(running).await;
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(500));
}

#[tokio::test]
async fn a_retry_dropped_in_flight_has_spent_its_token() {
    let (bench, running) = in_a_wait(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES }).await;
    let _hanging = bench.server.later();
    bench.server.sent().await;
    bench.time.set_mark(Mark::new(1_000));
    bench.server.sent().await;
    abort(running).await;
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(495));
}

#[tokio::test]
async fn a_delivered_response_knows_whether_its_session_is_still_signed_in() {
    let bench = Bench::new(RULES);
    bench.server.respond(200, &[]);
    bench.server.respond(404, &[]);
    let delivered = bench.run(GET).await.expect("a success");
    let not_found = ended(bench.run(GET).await).into_response().expect("a response");
    assert!(delivered.is_current() && not_found.is_current());
    bench.session.raise();
    assert!(!delivered.is_current() && !not_found.is_current());
}

#[tokio::test]
async fn without_handles_nothing_interrupts() {
    let bench = Bench::new(RULES);
    bench.server.fail(FailureKind::ConnectFailed);
    bench.server.respond(200, &[]);
    let (driver, server) = (bench.driver.clone(), bench.server.clone());
    let running = tokio::spawn(async move { driver.run(&GET, server, &Options::default()).await });
    bench.sleep_through().await;
    assert!(join(running).await.expect("a success").is_current());
}

async fn in_a_wait(rules: Rules) -> (Bench, JoinHandle<bench::Result>) {
    let bench = Bench::new(rules);
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    assert_eq!(bench.wait_entered().await, Mark::new(1_000));
    (bench, running)
}

async fn abort(running: JoinHandle<bench::Result>) {
    running.abort();
    assert!(running.await.expect_err("aborted").is_cancelled());
}
