//! What an observer is told of a request, however it ends.

mod bench;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use bench::{Bench, GET, RULES, ended, join};
use refrain::core::{Bound, Command, End, FailureKind, HintReport, Limits, Millis, Request, Rules, Session};
use refrain::observer::{Call, Input, Scope};
use refrain::testing::{Recorder, ScriptedError};
use refrain::{
    DirectEngine, Driver, Engine, EngineError, Failure, Observer, Options, Reason, State, Step, Trace, TraceEvent,
    transport,
};
use tokio::sync::oneshot;

fn events(seen: &Recorder) -> Vec<TraceEvent> {
    seen.traces().into_iter().map(|trace| trace.event).collect()
}

const BEGUN: TraceEvent = TraceEvent::Begun { attempts_used: 0 };
const SENT: TraceEvent = TraceEvent::Sent { attempt: 1, timeout: None };

fn ended_by(reason: Reason, attempts: u32) -> TraceEvent {
    TraceEvent::Ended { reason, bound: Bound::None, hint: HintReport::Absent, attempts }
}

#[tokio::test]
async fn an_attempt_that_is_cancelled_is_told_as_aborted_before_the_end() {
    let bench = Bench::new(RULES);
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    bench.cancel.cancel();
    ended(join(running).await);
    let cancelled = ended_by(Reason::Policy(End::Cancelled), 1);
    assert_eq!(events(&bench.seen), [BEGUN, SENT, TraceEvent::Aborted { attempt: 1 }, cancelled]);
}

#[tokio::test]
async fn a_request_that_is_dropped_under_way_is_told_as_dropped() {
    let bench = Bench::new(RULES);
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    let dropped = TraceEvent::Dropped { attempts: 1 };
    assert_eq!(events(&bench.seen), [BEGUN, SENT, TraceEvent::Aborted { attempt: 1 }, dropped]);
}

#[tokio::test]
async fn a_request_that_is_dropped_in_a_wait_has_no_attempt_to_abort() {
    let bench = Bench::new(RULES);
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    bench.wait_entered().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    let events = events(&bench.seen);
    assert!(matches!(events[3..], [TraceEvent::WaitPlanned(_), TraceEvent::Dropped { attempts: 1 }]), "{events:?}");
}

#[tokio::test]
async fn a_request_that_was_never_begun_is_not_told_of() {
    let bench = Bench::new(RULES);
    drop(bench.driver.run(&GET, bench.server.clone(), &bench.options));
    assert_eq!(events(&bench.seen), []);
}

#[tokio::test]
async fn an_attempt_that_the_transport_refuses_is_no_failure() {
    let bench = Bench::new(RULES);
    bench.server.push(Err(Failure::refused(ScriptedError)).into());
    ended(bench.run(GET).await);
    let refused = TraceEvent::Refused { attempt: 1 };
    assert_eq!(events(&bench.seen), [BEGUN, SENT, refused, ended_by(Reason::Refused, 0)]);
}

#[tokio::test]
async fn a_request_without_randomness_ends_where_it_begins() {
    let bench = Bench::new(RULES);
    bench.entropy.fail();
    let reason = ended(bench.run(GET).await).reason;
    assert_eq!((events(&bench.seen), reason.name()), (vec![BEGUN, ended_by(reason, 0)], "no-entropy"));
}

#[tokio::test]
async fn each_watched_request_has_a_number_of_its_own_whatever_its_driver() {
    let (one, other) = (Bench::new(RULES), Bench::new(RULES));
    let mut numbers = Vec::new();
    for bench in [&one, &other, &one] {
        bench.server.respond(200, &[]);
        bench.run(GET).await.expect("a success");
        numbers.extend(bench.seen.traces().last().map(|trace| trace.request));
    }
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 3);
}

#[tokio::test]
async fn two_observers_are_told_the_same_in_order() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let told = |name: &'static str| {
        let order = order.clone();
        move |_: &Trace| order.lock().expect("no panic").push(name)
    };
    let mut bench = Bench::new(RULES);
    bench.options.observer = Some(Arc::new((told("first"), Some(told("second")))));
    bench.server.respond(200, &[]);
    bench.run(GET).await.expect("a success");
    assert_eq!(*order.lock().expect("no panic"), ["first", "second"].repeat(4));
}

/// Says while it is entered.
#[derive(Clone, Default)]
struct Room {
    entered: Arc<AtomicU32>,
    dropped: Arc<AtomicU32>,
}

impl Observer for Room {
    fn scope(&self, _: u64) -> Option<Box<dyn Scope>> {
        Some(Box::new(self.clone()))
    }
}

impl Scope for Room {
    fn event(&mut self, _: &Trace) {}

    fn enter(&mut self, poll: &mut dyn FnMut()) {
        self.entered.fetch_add(1, Ordering::Relaxed);
        poll();
        self.entered.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn attempts_are_polled_within_the_scopes_of_all_observers() {
    let (one, other) = (Room::default(), Room::default());
    let mut bench = Bench::new(RULES);
    bench.options.observer = Some(Arc::new((one.clone(), other.clone())));
    let entered = || [&one, &other].map(|room| room.entered.load(Ordering::Relaxed));
    let (resume, resumed) = oneshot::channel::<()>();
    let mut resumed = Some(resumed);
    let seen = Mutex::new(Vec::new());
    let send = transport::from_fn(|_| {
        let (resumed, seen) = (resumed.take(), &seen);
        async move {
            seen.lock().expect("no panic").push(entered());
            resumed.expect("one attempt").await.expect("the test lives");
            seen.lock().expect("no panic").push(entered());
            Ok::<_, Failure<std::io::Error>>(http::Response::new(()))
        }
    });
    let later = async {
        tokio::task::yield_now().await;
        assert_eq!(entered(), [0, 0], "left while the attempt waits");
        resume.send(()).expect("the attempt waits");
    };
    let (result, ()) = tokio::join!(bench.driver.run(&GET, send, &bench.options), later);
    assert_eq!(result.expect("a success").attempts, 1);
    assert_eq!((*seen.lock().expect("no panic")).as_slice(), [[1, 1], [1, 1]]);
    assert_eq!(one.dropped.load(Ordering::Relaxed), 1, "the scope goes with its request");
}

/// The calls, as far as they are told.
#[derive(Default)]
struct Calls(Mutex<Vec<Told>>);

#[derive(Debug)]
struct Told {
    input: Input,
    session: Session,
    command: Option<Command>,
}

impl Observer for Calls {
    fn called(&self, call: &Call<'_>) {
        let command = call.answer.ok().map(|(command, _)| command);
        self.0.lock().expect("no panic").push(Told { input: call.input, session: call.now.session, command });
    }
}

#[tokio::test]
async fn each_call_is_told_with_what_it_gave_and_no_number_of_a_session() {
    let mut bench = Bench::new(RULES);
    let calls = Arc::new(Calls::default());
    bench.options.observer = Some(calls.clone());
    bench.server.respond(503, &[("retry-after", "2")]);
    let limits = Limits { max_attempts: Some(3), ..Limits::NONE };
    let request = Request { limits, ..GET };
    let running = bench.start(request);
    bench.wait_entered().await;
    bench.session.raise();
    ended(join(running).await);
    let calls = calls.0.lock().expect("no panic");
    let [start, response, wake] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((start.input, start.session), (Input::Start(request), Session::new(1)));
    assert!(matches!(response.input, Input::Response { status: 503, .. }) && response.session == Session::new(1));
    assert!(matches!(response.command, Some(Command::Wait(wait)) if wait.delay == Millis::new(2_000)));
    assert_eq!((wake.input, wake.session), (Input::Wake, Session::new(2)));
    assert!(matches!(wake.command, Some(Command::Finish(outcome)) if outcome.end == End::SessionChanged));
}

/// Decides until it is asked about an answer.
struct Fails(DirectEngine);

impl Engine for Fails {
    fn description(&self) -> &refrain::Description {
        self.0.description()
    }

    fn parse(
        &self,
        value: &[u8],
        now: Option<refrain::core::UnixMillis>,
    ) -> Result<Result<refrain::core::retry_after::RetryAfter, HintReport>, EngineError> {
        self.0.parse(value, now)
    }

    fn start(&self, request: &Request, now: &refrain::core::Now) -> Result<Step, EngineError> {
        self.0.start(request, now)
    }

    fn handle(&self, _: &State, _: refrain::core::Event<'_>, _: &refrain::core::Now) -> Result<Step, EngineError> {
        Err(EngineError::Trapped("unreachable".to_owned()))
    }
}

#[tokio::test]
async fn an_engine_that_fails_is_told_once() {
    let mut bench = Bench::over(Fails(bench::engine(RULES)));
    let calls = Arc::new(Calls::default());
    bench.options.observer = Some(Arc::new((calls.clone(), bench.seen.clone())));
    bench.server.respond(200, &[]);
    let reason = ended(bench.run(GET).await).reason;
    let told: Vec<_> = calls.0.lock().expect("no panic").iter().map(|call| call.command.is_some()).collect();
    assert_eq!(told, [true, false], "what goes on from a call that failed is not told");
    assert_eq!(events(&bench.seen).last(), Some(&ended_by(reason, 1)));
}

#[tokio::test]
async fn an_observer_that_panics_in_a_drop_does_not_end_the_process() {
    let mut bench = Bench::new(RULES);
    bench.options.observer = Some(Arc::new(|trace: &Trace| {
        assert!(!matches!(trace.event, TraceEvent::Dropped { .. }), "as the test wants it");
    }));
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
}

#[tokio::test]
async fn every_end_is_told_once() {
    for (kind, rules) in [(FailureKind::Permanent, RULES), (FailureKind::Ambiguous, Rules { max_attempts: 1, ..RULES })]
    {
        let bench = Bench::new(rules);
        bench.server.fail(kind);
        ended(bench.run(GET).await);
        let ends = events(&bench.seen).iter().filter(|event| matches!(event, TraceEvent::Ended { .. })).count();
        assert_eq!(ends, 1);
    }
}

#[allow(dead_code, reason = "compiled: an observer may be shared by drivers of any kind")]
fn any_driver_takes_it<T: refrain::Time>(engine: DirectEngine, time: T, observer: Arc<dyn Observer>) -> Options {
    let _driver = Driver::new(engine, time, refrain::SystemEntropy);
    Options { observer: Some(observer), ..Options::default() }
}
