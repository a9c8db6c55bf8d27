//! The five published results of the source text, and the shape of the state around them. Everything larger is a
//! conformance vector (`tests/vectors`).

use policy_core::{
    Attempt, Backoff, Bound, Command, End, Event, Execution, Field, HintRules, Jitter, Mark, Method, MethodSet, Millis,
    Network, Now, Policy, Request, Rules, Sample, Session, StatusSet, Thousandths, Tokens,
};

fn read_only() -> Policy {
    let backoff = Backoff { jitter: Jitter::Equal, ..Backoff::doubling(Millis::from_secs(1)) };
    Policy::new(Rules {
        max_attempts: 4,
        deadline: None,
        max_wait: Some(Millis::from_secs(30)),
        retry: StatusSet::of(&[429, 503]),
        throttle: StatusSet::EMPTY,
        methods: MethodSet::of(&[Method::Get]),
        keyed_methods: MethodSet::EMPTY,
        transient: backoff,
        throttled: backoff,
        hint: HintRules { spread: Thousandths::new(0), ..HintRules::DEFAULT },
        budget: None,
        ..Rules::DEFAULT
    })
    .unwrap()
}

fn decide(status: u16, replayable: bool, retry_index: u32, server: Option<&str>, sample: Sample) -> Command {
    let policy = read_only();
    let now = Now {
        mark: Mark::new(1_000),
        wall: None,
        session: Session::new(7),
        cancelled: false,
        network: Network::Unknown,
        sample,
        tokens: Tokens::ZERO,
        hold: None,
    };
    let request = Request { replayable, attempts_used: retry_index, ..Request::new(Method::Get) };
    let step = Execution::start(&policy, &request, &now);
    let Command::Send { attempt, .. } = step.command else { return step.command };
    let fields = server.map(|value| Field { index: 0, value: value.as_bytes() });
    let of = Attempt::single(attempt);
    step.execution.handle(&policy, Event::Response { of, status, fields: fields.as_slice() }, &now).command
}

fn delay(command: Command) -> u64 {
    let Command::Wait(wait) = command else { panic!("expected a wait, got {command:?}") };
    wait.delay.get()
}

fn end(command: Command) -> (End, Bound, Option<u64>) {
    let Command::Finish(outcome) = command else { panic!("expected an end, got {command:?}") };
    (outcome.end, outcome.bound, outcome.resume.map(|resume| resume.delay.get()))
}

#[test]
fn the_five_published_results() {
    assert_eq!(delay(decide(503, true, 0, None, Sample::ZERO)), 500);
    assert_eq!(delay(decide(429, true, 1, Some("10"), Sample::ONE)), 10_000);
    assert_eq!(end(decide(429, true, 0, Some("60"), Sample::ZERO)), (End::Deferred, Bound::MaxWait, Some(60_000)));
    assert_eq!(end(decide(503, true, 3, None, Sample::ONE)), (End::AttemptsUsed, Bound::Attempts, None));
    assert_eq!(end(decide(503, false, 0, None, Sample::ONE)), (End::BodyNotReplayable, Bound::Gate, None));
}

#[test]
fn a_hint_at_the_limit_is_a_retry_and_one_above_is_deferred() {
    assert_eq!(delay(decide(503, true, 0, Some("30"), Sample::ONE)), 30_000);
    assert_eq!(end(decide(503, true, 0, Some("31"), Sample::ONE)), (End::Deferred, Bound::MaxWait, Some(31_000)));
}

#[test]
fn an_execution_survives_its_words_and_others_end_as_malformed() {
    let policy = read_only();
    let now = Now {
        mark: Mark::new(0),
        wall: None,
        session: Session::new(u64::MAX),
        cancelled: false,
        network: Network::Up,
        sample: Sample::ZERO,
        tokens: Tokens::ZERO,
        hold: None,
    };
    let step = Execution::start(&policy, &Request::new(Method::Get), &now);
    assert_eq!(Execution::from_words(step.execution.to_words()), step.execution);
    assert_eq!(size_of::<Execution>(), 64);
    let words = step.execution.to_words();
    for bit in 0..512_usize {
        let mut damaged = words;
        damaged[bit / 64] ^= 1 << (bit % 64);
        let execution = Execution::from_words(damaged);
        let command = execution.handle(&policy, Event::Wake, &now).command;
        if execution.to_words() != damaged {
            assert_eq!(end(command).0, End::MalformedExecution, "bit {bit}");
        }
    }
}
