//! No entropy, an engine that fails or talks nonsense: nothing more is sent, the error is clear, the process lives on.

mod bench;

use std::sync::atomic::{AtomicU32, Ordering};

use bench::{Bench, GET, RULES, ended, engine, join, last};
use refrain::core::{
    Bound, BudgetRules, Command, Event, FailureKind, HandOver, HintReport, Mark, Millis, Now, Outcome, Request, Rules,
    Tokens, UnixMillis, Wait, retry_after::RetryAfter,
};
use refrain::testing::Later;
use refrain::{Attempted, Description, DirectEngine, Engine, EngineError, Last, Reason, State, Step};

#[tokio::test]
async fn without_entropy_nothing_is_sent() {
    let bench = Bench::new(RULES);
    bench.entropy.fail();
    let ended = ended(bench.run(GET).await);
    assert!(matches!(ended.reason, Reason::Entropy(_)) && ended.end().is_none());
    assert_eq!((ended.attempts, ended.maybe_applied, bench.sent_at()), (0, false, vec![]));
    let cause = std::error::Error::source(&ended).expect("a cause");
    assert_eq!(cause.to_string(), "no random number could be drawn: as the test wants it");
}

#[tokio::test]
async fn without_entropy_a_wait_leads_to_no_send() {
    let bench = Bench::new(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES });
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    let until = bench.wait_entered().await;
    bench.entropy.fail();
    bench.time.set_mark(until);
    let ended = ended(join(running).await);
    assert!(matches!(ended.reason, Reason::Entropy(_)));
    assert_eq!((ended.attempts, bench.sent_at()), (1, vec![0]));
    assert_eq!(bench.driver.budget().tokens(), Tokens::new(500), "the token of the retry that was not sent is back");
}

#[tokio::test]
async fn an_engine_that_fails_once_in_a_wait_returns_the_token() {
    let rules = Rules { budget: Some(BudgetRules::aws_standard()), ..RULES };
    let bench = Bench::over(Faulty::of(rules, 2, || Err(EngineError::Trapped("unreachable".to_owned()))));
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    bench.sleep_through().await;
    assert!(matches!(ended(join(running).await).reason, Reason::Engine(_)));
    assert_eq!((bench.sent_at(), bench.driver.budget().tokens()), (vec![0], Tokens::new(500)));
}

#[tokio::test]
async fn an_engine_that_panics_does_not_panic_again_in_the_drop() {
    let bench = Bench::over(Faulty::new(1, || panic!("as the test wants it")).for_ever());
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    let panic = running.await.expect_err("a panic").into_panic();
    assert_eq!(panic.downcast_ref(), Some(&"as the test wants it"));
}

#[tokio::test]
async fn a_failed_engine_ends_its_request_and_serves_the_next() {
    let bench = Bench::over(Faulty::new(1, || Err(EngineError::Trapped("unreachable".to_owned()))));
    bench.server.respond(200, &[]);
    let broken = ended(bench.run(GET).await);
    assert_eq!(broken.reason, Reason::Engine(EngineError::Trapped("unreachable".to_owned())));
    assert_eq!((broken.attempts, broken.maybe_applied, last(&broken)), (1, true, Last::Status(200)));

    bench.server.respond(200, &[]);
    assert_eq!(bench.run(GET).await.expect("a success").attempts, 1);
}

#[tokio::test]
async fn an_engine_that_fails_after_a_session_hands_out_nothing_of_it() {
    let answers: [fn(Later); 2] = [|answer| answer.respond(200, &[]), |answer| answer.fail(FailureKind::Permanent)];
    for answer in answers {
        let bench = Bench::over(Faulty::new(1, || Err(EngineError::Trapped("unreachable".to_owned()))));
        let attempt = bench.server.later();
        let running = bench.start(GET);
        bench.server.sent().await;
        answer(attempt);
        bench.session.raise();
        let broken = ended(join(running).await);
        assert!(matches!(broken.reason, Reason::Engine(_)));
        assert_eq!((broken.attempts, last(&broken)), (1, Last::Nothing));
    }
}

#[tokio::test]
async fn a_resumed_request_that_cannot_begin_keeps_its_count() {
    let bench = Bench::new(RULES);
    bench.entropy.fail();
    let ended = ended(bench.run(Request { attempts_used: 2, ..GET }).await);
    assert_eq!((ended.attempts, ended.maybe_applied, bench.sent_at()), (2, false, vec![]));
}

#[tokio::test]
async fn the_sends_of_a_nested_layer_count_when_the_engine_fails() {
    let bench = Bench::over(Faulty::new(1, || Err(EngineError::Trapped("unreachable".to_owned()))));
    bench.server.push(Attempted { result: Ok(http::Response::new(String::new())), sends: 3, exhausted: false });
    let broken = ended(bench.run(Request { attempts_used: 1, ..GET }).await);
    assert_eq!((broken.attempts, broken.maybe_applied), (4, true));
}

#[tokio::test]
async fn an_engine_that_keeps_an_attempt_that_is_over_is_refused() {
    let bench = Bench::over(Faulty::new(1, || Ok(Command::Keep)));
    bench.server.respond(503, &[]);
    assert_eq!(refusal(ended(bench.run(GET).await)), "`keep` where there is nothing to go on with");
}

#[tokio::test]
async fn an_engine_that_repeats_a_wait_that_is_over_is_refused() {
    let wait = Wait {
        until: Mark::new(1_000),
        delay: Millis::new(1_000),
        retry_index: 0,
        bound: Bound::None,
        hint: HintReport::Absent,
    };
    let bench = Bench::over(Faulty::new(2, move || Ok(Command::Wait(wait))));
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    bench.sleep_through().await;
    assert_eq!(refusal(ended(join(running).await)), "a wait that is over");
}

#[tokio::test]
async fn an_engine_that_claims_a_success_without_a_response_is_refused() {
    let success = Outcome {
        end: refrain::core::End::Success,
        bound: Bound::None,
        hint: HintReport::Absent,
        attempts: 1,
        maybe_applied: false,
        hand_over: HandOver::LastStatus(200),
        resume: None,
    };
    let bench = Bench::over(Faulty::new(0, move || Ok(Command::Finish(success))));
    assert_eq!(refusal(ended(bench.run(GET).await)), "a success without a response");
}

fn refusal<R: std::fmt::Debug, E: std::fmt::Debug>(ended: refrain::Ended<R, E>) -> String {
    match ended.reason {
        Reason::Engine(EngineError::Unknown(what)) => what,
        other => panic!("expected an unknown answer, not {other:?}"),
    }
}

/// The direct engine, but for one call.
struct Faulty<F> {
    engine: DirectEngine,
    /// Calls left before the fault.
    left: AtomicU32,
    /// Each call after the fault has it too.
    stays: bool,
    fault: F,
}

impl<F: Fn() -> Result<Command, EngineError> + Send + Sync> Faulty<F> {
    fn new(calls: u32, fault: F) -> Self {
        Self::of(RULES, calls, fault)
    }

    fn of(rules: Rules, calls: u32, fault: F) -> Self {
        Self { engine: engine(rules), left: AtomicU32::new(calls + 1), stays: false, fault }
    }

    fn for_ever(self) -> Self {
        Self { stays: true, ..self }
    }

    fn change(&self, step: Step) -> Result<Step, EngineError> {
        match self.left.fetch_sub(1, Ordering::Relaxed) {
            0 if self.stays => (self.fault)().map(|command| Step { command, ..step }),
            1 => (self.fault)().map(|command| Step { command, ..step }),
            _ => Ok(step),
        }
    }
}

impl<F: Fn() -> Result<Command, EngineError> + Send + Sync> Engine for Faulty<F> {
    fn description(&self) -> &Description {
        self.engine.description()
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        self.engine.parse(value, now)
    }

    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        self.change(self.engine.start(request, now)?)
    }

    fn handle(&self, state: &State, event: Event<'_>, now: &Now) -> Result<Step, EngineError> {
        self.change(self.engine.handle(state, event, now)?)
    }
}
