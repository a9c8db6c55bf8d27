//! Recordings of the native host, run again: what every vector's answers are made of comes out as it was recorded.

use std::{
    collections::VecDeque,
    convert::Infallible,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Waker},
};

use conformance::{
    Call, Native, PolicySpec, Vector, check, embedded,
    recorded::{Difference, NoVector, Recorded, replay},
};
use policy_core::{
    Event, FailureKind, HintReport, Mark, Method, Now, Request, Sample, UnixMillis, retry_after::RetryAfter, slot::Slot,
};
use refrain::{
    Description, DirectEngine, Driver, Engine, EngineError, Entropy, EntropyError, Failure, Observer, Options,
    Rounding, State, Step, Time, record::Recording, transport,
};
use refrain_document::ready;
use serde_json::{Value, json};

/// A wait is over as soon as it is begun.
struct Jumping {
    mark: AtomicU64,
    wall: Option<u64>,
}

impl Time for Jumping {
    fn mark(&self, _: Rounding) -> Mark {
        Mark::new(self.mark.load(Ordering::Relaxed))
    }

    fn wall(&self) -> Option<UnixMillis> {
        self.wall.map(|wall| UnixMillis::new(wall + self.mark.load(Ordering::Relaxed)))
    }

    async fn sleep_until(&self, until: Mark) {
        self.mark.fetch_max(until.get(), Ordering::Relaxed);
    }
}

struct Fixed(Sample);

impl Entropy for Fixed {
    fn sample(&self) -> Result<Sample, EntropyError> {
        Ok(self.0)
    }
}

type Answer = Result<http::Response<()>, Failure<Infallible>>;

fn answer(status: u16, fields: &[(&str, &[u8])]) -> Answer {
    let mut response = http::Response::new(());
    *response.status_mut() = http::StatusCode::from_u16(status).expect("a status");
    for (name, value) in fields {
        let name = http::HeaderName::from_bytes(name.as_bytes()).expect("a name");
        let Ok(value) = http::HeaderValue::from_bytes(value) else { continue };
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

fn failure(kind: FailureKind) -> Answer {
    Err(Failure { kind, timed_out: false, refused: false, source: None })
}

/// Runs a GET that is answered so, and then fails for good; what it came to is in the recording alone.
fn run(engine: impl Engine, answers: impl IntoIterator<Item = Answer>, wall: Option<u64>, options: &Options) {
    let answers = Mutex::new(VecDeque::from_iter(answers));
    let time = Jumping { mark: AtomicU64::new(5), wall };
    let driver = Driver::new(engine, time, Fixed(Sample::new(u32::MAX / 3)));
    let send = transport::from_fn(|_| {
        let next = answers.lock().expect("no panic").pop_front();
        std::future::ready(next.unwrap_or_else(|| failure(FailureKind::Permanent)))
    });
    let mut running = pin!(driver.run(&Request::new(Method::Get), send, options));
    let mut context = Context::from_waker(Waker::noop());
    while running.as_mut().poll(&mut context).is_pending() {}
}

/// What is written down of requests that are run so.
fn recording(with_hints: bool, run: impl FnOnce(&Options)) -> Vec<u8> {
    let recording = Recording::new(Vec::new());
    let recording = Arc::new(if with_hints { recording.with_hints() } else { recording });
    let options = Options { observer: Some(recording.clone() as Arc<dyn Observer>), ..Options::default() };
    run(&options);
    drop(options);
    Arc::into_inner(recording).expect("no other owner").finish().expect("memory can be written")
}

fn recorded(bytes: &[u8]) -> Recorded {
    Recorded::read(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

fn slot_of(vector: &Vector) -> Option<Slot> {
    match &vector.ready_made {
        Some(name) => Some(ready::find(name).expect("a ready-made policy").document().slot()),
        None => vector.policy.slot().ok(),
    }
}

/// What a vector's attempts bring, and its wall clock.
fn answers_of(vector: &Vector) -> (Vec<Answer>, Option<u64>) {
    // What no server can answer is for the core alone.
    let respond = |response: &conformance::Response| {
        if !(100..1_000).contains(&response.status) {
            return failure(FailureKind::Permanent);
        }
        let values: Vec<(&str, Vec<u8>)> = response
            .fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.chars().map(|character| character as u8).collect()))
            .collect();
        let fields: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_slice())).collect();
        answer(response.status, &fields)
    };
    let fail = |fault: &conformance::Failure| {
        failure(FailureKind::ALL.into_iter().find(|kind| kind.name() == fault.kind).expect("a kind"))
    };
    let calls = vector.steps.iter().flat_map(|steps| &steps.calls);
    let wall = calls.clone().find_map(|step| step.now.wall.as_ref()?.as_u64());
    let of_call = |step: &conformance::Step| match &step.call {
        Call::Response(response) => Some(respond(response)),
        Call::Failure(failure) => Some(fail(failure)),
        Call::Start | Call::Wake => None,
    };
    let of_script = vector.run.iter().flat_map(|script| &script.answers);
    let of_script = of_script.filter_map(|answer| match (&answer.response, &answer.failure) {
        (Some(response), _) => Some(respond(response)),
        (_, Some(failure)) => Some(fail(failure)),
        _ => None,
    });
    let wall = wall.or(vector.run.as_ref().and_then(|script| script.wall));
    (calls.filter_map(of_call).chain(of_script).collect(), wall)
}

#[test]
fn what_every_vector_is_answered_can_be_recorded_and_run_again() {
    let (mut inexact, mut calls, mut hints) = (Vec::new(), 0, 0);
    for vector in embedded::vectors() {
        let Some(slot) = slot_of(&vector) else { continue };
        for with_hints in [false, true] {
            let bytes = recording(with_hints, |options| {
                let (answers, wall) = answers_of(&vector);
                run(DirectEngine::from_slot(&slot), answers, wall, options);
            });
            let recorded = recorded(&bytes);
            let outcome = replay(&recorded, &DirectEngine::from_slot(&slot)).expect("calls that can be made");
            assert_eq!(outcome.difference, None, "`{}`: {}", vector.id, String::from_utf8_lossy(&bytes));
            calls += outcome.same;
            hints += String::from_utf8_lossy(&bytes).matches("\"fields\":{\"").count();
            if !outcome.inexact.is_empty() {
                assert!(!with_hints, "`{}`", vector.id);
                inexact.push(vector.id.clone());
                continue;
            }
            let vector = recorded.requests[0].to_vector(slot.policy()).expect("a vector");
            check(&mut Native, &vector).unwrap_or_else(|error| panic!("{error}"));
            let again: Vector = serde_json::from_str(&serde_json::to_string(&vector).unwrap()).unwrap();
            assert_eq!(again, vector);
        }
    }
    assert_eq!(inexact, [""; 0], "hints that say more than what is written down in their place");
    assert!(calls > 5_000 && hints > 500, "{calls} calls, {hints} hints");
}

#[test]
fn every_policy_of_a_vector_and_every_ready_made_one_can_be_said_in_the_words_of_a_vector() {
    let ready = ready::names().map(|name| ready::find(name).expect("a name of theirs").document().slot());
    for slot in embedded::vectors().iter().filter_map(slot_of).chain(ready) {
        let spec = PolicySpec::of(slot.policy()).unwrap_or_else(|| panic!("{:?}", slot.policy().rules()));
        let again = spec.slot().expect("a policy");
        assert_eq!(again.policy().to_bytes(), slot.policy().to_bytes());
    }
}

fn plain() -> Slot {
    PolicySpec::default().slot().expect("a policy")
}

fn engine() -> DirectEngine {
    DirectEngine::from_slot(&plain())
}

/// Two attempts of one request.
fn retried() -> Vec<u8> {
    recording(false, |options| run(engine(), [answer(503, &[("retry-after", b"2")])], None, options))
}

/// The lines, one of them put through `change`.
fn changed(bytes: &[u8], line: usize, change: impl Fn(&mut Value)) -> Vec<u8> {
    let text = str::from_utf8(bytes).expect("JSON is text");
    let lines = (1..).zip(text.lines()).map(|(number, text)| {
        let mut value: Value = serde_json::from_str(text).expect("JSON");
        if number == line {
            change(&mut value);
        }
        format!("{value}\n")
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn the_first_difference_is_named_with_its_line_and_call() {
    let bytes = changed(&retried(), 2, |line| line["expect"]["delay"] = 1_999.into());
    let bytes = changed(&bytes, 4, |line| line["expect"]["end"] = "deferred".into());
    let recorded = recorded(&bytes);
    let outcome = replay(&recorded, &engine()).expect("calls that can be made");
    let request = recorded.requests[0].number;
    let expected =
        Difference { line: 2, request, call: 1, member: "delay".into(), expected: json!(1_999), got: json!(2_000) };
    assert_eq!((outcome.difference, outcome.same), (Some(expected), 1));
}

#[test]
fn a_difference_in_the_budget_alone_is_one() {
    let bytes = changed(&retried(), 3, |line| line["expect"]["tokens"] = 7.into());
    let difference = replay(&recorded(&bytes), &engine()).expect("calls that can be made").difference;
    let difference = difference.expect("a difference");
    assert_eq!((difference.member.as_str(), difference.expected, difference.got), ("tokens", json!(7), json!(0)));
}

#[test]
fn another_policy_goes_on_from_its_own_state() {
    let other = PolicySpec { max_attempts: Some(1), ..PolicySpec::default() }.slot().expect("a policy");
    let recorded = recorded(&retried());
    let outcome = replay(&recorded, &DirectEngine::from_slot(&other)).expect("calls that can be made");
    let difference = outcome.difference.expect("a difference");
    assert_eq!((difference.line, difference.expected, difference.got), (2, json!("wait"), json!("finish")));
    assert_eq!(recorded.requests[0].to_vector(other.policy()), Err(NoVector::OtherPolicy));
}

#[test]
fn requests_that_ran_at_the_same_time_are_told_apart_and_files_may_be_joined() {
    let (one, other) = (retried(), recording(false, |options| run(engine(), [answer(404, &[])], Some(9), options)));
    let (one_lines, mut other_lines) = (one.split_inclusive(|b| *b == b'\n'), other.split_inclusive(|b| *b == b'\n'));
    let mut mixed = Vec::new();
    for line in one_lines {
        mixed.extend_from_slice(line);
        mixed.extend_from_slice(other_lines.next().unwrap_or_default());
    }
    // The numbers begin again in another process.
    let joined = [mixed.as_slice(), &one].concat();
    let recorded = recorded(&joined);
    let lengths: Vec<_> = recorded.requests.iter().map(|request| request.lines.len()).collect();
    assert_eq!(lengths, [4, 2, 4]);
    let outcome = replay(&recorded, &engine()).expect("calls that can be made");
    assert_eq!((outcome.requests, outcome.same, outcome.difference), (3, 10, None));
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out_and_named_wherever_it_was_cut() {
    let bytes = retried();
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("several lines") + 1;
    for end in last + 1..bytes.len() - 1 {
        let recorded = recorded(&bytes[..end]);
        assert_eq!((recorded.cut_off, recorded.requests[0].lines.len()), (Some(lines), lines - 1), "at {end}");
    }
    for whole in [&bytes[..last], &bytes[..bytes.len() - 1], &bytes] {
        assert_eq!(recorded(whole).cut_off, None);
    }
    assert_eq!(recorded(b"").requests, []);
}

#[test]
fn what_is_no_recording_is_refused_where_it_begins_not_to_be_one() {
    let bytes = retried();
    let text = str::from_utf8(&bytes).expect("JSON is text");
    let (first, rest) = text.split_once('\n').expect("several lines");
    let version = first.replace("\"refrain_record\":1", "\"refrain_record\":2,\"more\":0");
    let misspelt = first.replace("\"hints\":", "\"hint\":");
    let nonsense = rest.replacen("\"wake\"", "\"nap\"", 1);
    let unknown = rest.replacen("\"command\":\"wait\"", "\"commnd\":\"wait\"", 1);
    for (text, line, message) in [
        ("not JSON\n".to_owned(), 1, "expected a line of a recording of version 1: expected ident"),
        ("{}\n".to_owned(), 1, "expected a line of a recording of version 1: missing field `request`"),
        (format!("{version}\n"), 1, "expected a recording of version 1, found one of version `2`"),
        (format!("{misspelt}\n"), 1, "expected a line of a recording of version 1: unknown field `hint`"),
        (rest.to_owned(), 1, "expected the call `start` of request"),
        (format!("{first}\n{nonsense}"), 3, "expected a line of a recording of version 1: unknown variant `nap`"),
        (format!("{first}\n{unknown}"), 2, "`expect`: unknown field `commnd`"),
        (format!("{first}\n\n"), 2, "expected a line of a recording of version 1: EOF while parsing a value"),
        (
            first.replace("\"of\":", "\"on\":") + "\n",
            1,
            "expected a line of a recording of version 1: unknown field `on`",
        ),
        ("\u{0}\u{1}\n".to_owned(), 1, "expected a line of a recording of version 1: expected value"),
    ] {
        let error = Recorded::read(text.as_bytes()).expect_err("no recording");
        assert!(error.line == line && error.message.starts_with(message), "{error}");
        assert!(error.column >= 1 && !error.message.contains(" at line "), "{error}");
    }
    let place = Recorded::read(format!("{first}\n{nonsense}").as_bytes()).expect_err("no recording");
    let column = nonsense.lines().nth(1).and_then(|line| line.find("nap")).expect("it stands there") + 4;
    assert_eq!((place.line, place.column), (3, column));
}

/// Decides, and then does not.
struct Fails(DirectEngine);

impl Engine for Fails {
    fn description(&self) -> &Description {
        self.0.description()
    }

    fn parse(&self, value: &[u8], now: Option<UnixMillis>) -> Result<Result<RetryAfter, HintReport>, EngineError> {
        self.0.parse(value, now)
    }

    fn start(&self, request: &Request, now: &Now) -> Result<Step, EngineError> {
        self.0.start(request, now)
    }

    fn handle(&self, _: &State, _: Event<'_>, _: &Now) -> Result<Step, EngineError> {
        Err(EngineError::Trapped("unreachable".to_owned()))
    }
}

#[test]
fn an_engine_that_failed_has_to_fail_again() {
    let bytes = recording(false, |options| run(Fails(engine()), [answer(503, &[])], None, options));
    let failed = recorded(&bytes);
    let outcome = replay(&failed, &Fails(engine())).expect("calls that can be made");
    assert_eq!((outcome.same, outcome.difference), (2, None));
    let difference = replay(&failed, &engine()).expect("calls that can be made").difference.expect("a difference");
    assert_eq!((difference.line, difference.expected, difference.got), (2, json!("trapped"), json!("wait")));
    assert_eq!(failed.requests[0].to_vector(plain().policy()), Err(NoVector::Failed(2)));

    let difference = replay(&recorded(&retried()), &Fails(engine())).expect("calls that can be made").difference;
    let difference = difference.expect("a difference");
    assert_eq!((difference.line, difference.expected), (2, json!("wait")));
}

#[test]
fn a_request_is_run_again_up_to_where_its_hints_are_not_told() {
    let decimals = r#"{"hint": {"fields": [{"name": "retry-after", "decimals": true}]}}"#;
    let slot = serde_json::from_str::<PolicySpec>(decimals).unwrap().slot().expect("a policy");
    let engine = || DirectEngine::from_slot(&slot);
    let answers = || [answer(503, &[("retry-after", b"1.5, Sun, 06 Nov 1994 08:49:37 GMT")])];
    let recorded = recorded(&recording(false, |options| run(engine(), answers(), Some(1_000_000_000_000), options)));
    let outcome = replay(&recorded, &engine()).expect("calls that can be made");
    assert_eq!((outcome.same, outcome.difference), (1, None));
    assert_eq!(outcome.inexact, [(recorded.requests[0].number, 2)]);
    assert_eq!(recorded.requests[0].to_vector(slot.policy()), Err(NoVector::Inexact(2)));

    let sent = self::recorded(&recording(true, |options| run(engine(), answers(), Some(1_000_000_000_000), options)));
    let outcome = replay(&sent, &engine()).expect("calls that can be made");
    assert_eq!((outcome.same, outcome.inexact), (4, vec![]));
}

#[test]
fn a_vector_of_a_report_says_only_what_is_not_taken_for_granted() {
    let vector = recorded(&retried()).requests[0].to_vector(plain().policy()).expect("a vector");
    assert!(vector.id.starts_with("recorded-") && vector.id.len() == 21, "{}", vector.id);
    assert_eq!(vector.source, "recorded under vector 1.0.0");
    let steps = serde_json::to_value(vector.steps.expect("steps")).unwrap();
    let calls: Vec<_> =
        steps["calls"].as_array().unwrap().iter().map(|step| (&step["call"], step.get("now"))).collect();
    assert_eq!(steps.get("request"), None);
    let sample = u32::MAX / 3;
    assert_eq!(
        calls,
        [
            (&json!("start"), Some(&json!({"mark": 5, "sample": sample}))),
            (&json!({"response": {"status": 503, "fields": {"retry-after": "2"}}}), None),
            (&json!("wake"), Some(&json!({"mark": 2_005}))),
            (&json!({"failure": {"kind": "permanent"}}), None),
        ]
    );
    let ready = ready::find("api-client").expect("a ready-made policy").document().slot();
    let bytes = recording(false, |options| run(DirectEngine::from_slot(&ready), [answer(503, &[])], None, options));
    let vector = recorded(&bytes).requests[0].to_vector(ready.policy()).expect("a vector");
    assert_eq!((vector.ready_made.as_deref(), vector.policy), (Some("api-client"), PolicySpec::default()));
}
