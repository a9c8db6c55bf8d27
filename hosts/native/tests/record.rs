//! What a recording holds, line by line.

mod bench;

use std::io::{self, Write};
use std::sync::Arc;

use bench::{Bench, GET, POST, RULES, ended, join};
use refrain::core::{
    BudgetRules, End, FailureKind, HintField, HintFields, HintRules, IdempotencyKey, Limits, Mark, Request, Rules,
    Unit, UnixMillis,
};
use refrain::record::Recording;
use refrain::testing::ScriptedError;
use refrain::{Engine, Failure};
use serde_json::{Value, json};

/// A bench that is recorded, and the recording.
fn bench(rules: Rules, with: impl FnOnce(Recording<Vec<u8>>) -> Recording<Vec<u8>>) -> (Bench, Tape) {
    let mut bench = Bench::new(rules);
    let recording = Arc::new(with(Recording::new(Vec::new())));
    bench.options.observer = Some(recording.clone());
    (bench, Tape(recording))
}

struct Tape(Arc<Recording<Vec<u8>>>);

impl Tape {
    /// The lines, when everything that wrote them is gone.
    fn lines(self, bench: Bench) -> Vec<Value> {
        drop(bench);
        let bytes = Arc::into_inner(self.0).expect("no other owner").finish().expect("memory can be written");
        let text = String::from_utf8(bytes).expect("JSON is text");
        assert!(text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn plain(recording: Recording<Vec<u8>>) -> Recording<Vec<u8>> {
    recording
}

#[tokio::test]
async fn a_recording_has_these_lines_and_no_other() {
    let (bench, tape) = bench(Rules { budget: Some(BudgetRules::aws_standard()), ..RULES }, plain);
    bench.time.set_wall(Some(UnixMillis::new(1_700_000_000_000)));
    bench.server.respond(503, &[("retry-after", " 0002 "), ("x-other", "not asked for")]);
    bench.server.fail(FailureKind::Ambiguous);
    let limits = Limits { max_attempts: Some(2), ..Limits::NONE };
    let running = bench.start(Request { key: IdempotencyKey::Honoured, limits, ..POST });
    bench.sleep_through().await;
    assert_eq!(ended(join(running).await).end(), Some(End::AttemptsUsed));
    let policy: String = sha256(&bench.driver.engine().description().policy);

    let mut lines = tape.lines(bench);
    let request = lines[0]["request"].clone();
    for line in &mut lines {
        assert_eq!(line.as_object_mut().expect("an object").remove("request"), Some(request.clone()));
    }
    let now = |mark: u64, tokens: u32| {
        json!({
            "mark": mark, "wall": 1_700_000_000_000_u64, "session": 1, "cancelled": false, "network": "unknown",
            "sample": u32::MAX, "tokens": tokens,
        })
    };
    let held = |mut now: Value| {
        now.as_object_mut().expect("an object").insert("hold".to_owned(), 2_000.into());
        now
    };
    assert_eq!(
        lines,
        [
            json!({
                "refrain_record": 1,
                "policy": {"name": "test", "version": "1.0.0", "sha256": policy},
                "hints": "read",
                "of": {
                    "method": "POST", "key": "honoured", "replayable": true, "max_attempts": 2, "deadline": null,
                    "max_wait": null, "attempts_used": 0, "not_before": null,
                },
                "call": "start",
                "now": now(0, 500_000),
                "expect": {"command": "send", "attempt": 1, "timeout": null, "tokens": 500_000},
            }),
            json!({
                "call": {"response": {
                    "attempt": 1, "status": 503, "fields": {"retry-after": "2"}, "sends": 1, "exhausted": false,
                }},
                "now": now(0, 500_000),
                "expect": {
                    "command": "wait", "until": 2_000, "delay": 2_000, "retry_index": 0, "bound": "hint",
                    "hint": "used", "tokens": 495_000,
                },
            }),
            json!({
                "call": "wake",
                "now": held(now(2_000, 495_000)),
                "expect": {"command": "send", "attempt": 2, "timeout": null, "tokens": 495_000},
            }),
            json!({
                "call": {"failure": {
                    "attempt": 2, "kind": "ambiguous", "timed_out": false, "sends": 1, "exhausted": false,
                }},
                "now": held(now(2_000, 495_000)),
                "expect": {
                    "command": "finish", "end": "attempts-used", "bound": "attempts", "hint": "absent",
                    "attempts": 2, "maybe_applied": true, "hand_over": "this", "resume": null, "tokens": 495_000,
                },
            }),
        ]
    );
}

/// As `sha256sum` gives it.
fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_servers_text_is_recorded_only_where_that_was_asked_for() {
    for (with_hints, recorded) in [(false, "?"), (true, "s3cr3t \u{e4}")] {
        let with = |recording: Recording<_>| if with_hints { recording.with_hints() } else { recording };
        let (bench, tape) = bench(Rules { max_attempts: 1, ..RULES }, with);
        let value = http::HeaderValue::from_bytes(b"s3cr3t \xe4").expect("a legal value");
        let mut response = http::Response::new("s3cr3t".to_owned());
        *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
        response.headers_mut().insert("retry-after", value.clone());
        response.headers_mut().insert("x-other", value);
        bench.server.push(Ok(response).into());
        ended(bench.run(GET).await);
        let lines = tape.lines(bench);
        assert_eq!(lines[0]["hints"], if with_hints { "sent" } else { "read" });
        assert_eq!(lines[1]["call"]["response"]["fields"], json!({"retry-after": recorded}));
        assert_eq!(lines[1].get("inexact"), None);
    }
}

#[tokio::test]
async fn what_could_not_take_the_place_of_a_text_is_marked() {
    // A fraction and a date, which disagree: each alone could be told.
    let field = HintField { decimals: true, ..HintField::RETRY_AFTER };
    let fields = HintFields::EMPTY.with(field).expect("room for one");
    let (bench, tape) = bench(Rules { hint: HintRules { fields, ..RULES.hint }, ..RULES }, plain);
    bench.time.set_wall(Some(UnixMillis::new(1_700_000_000_000)));
    bench.server.respond(503, &[("retry-after", "1.5, Sun, 06 Nov 1994 08:49:37 GMT")]);
    let running = bench.start(GET);
    bench.wait_entered().await;
    bench.cancel.cancel();
    ended(join(running).await);
    let lines = tape.lines(bench);
    let inexact: Vec<_> = lines.iter().map(|line| line.get("inexact").is_some()).collect();
    assert_eq!(inexact, [false, true, false]);
}

#[tokio::test]
async fn fields_are_named_as_the_policy_names_them() {
    let milliseconds = HintField { name: "retry-after-ms", unit: Unit::Milliseconds, ..HintField::RETRY_AFTER };
    let verdict = HintField { name: "x-should-retry", unit: Unit::Verdict, ..HintField::RETRY_AFTER };
    let fields = [milliseconds, HintField::RETRY_AFTER, verdict];
    let fields =
        fields.into_iter().try_fold(HintFields::EMPTY, |list, field| list.with(field)).expect("room for three");
    let (bench, tape) = bench(Rules { hint: HintRules { fields, ..RULES.hint }, ..RULES }, plain);
    bench.server.respond(400, &[("x-should-retry", "false"), ("retry-after-ms", "1500"), ("retry-after", "x")]);
    ended(bench.run(GET).await);
    let fields = tape.lines(bench)[1]["call"]["response"]["fields"].clone();
    assert_eq!(fields, json!({"retry-after-ms": "1500", "retry-after": "?", "x-should-retry": "false"}));
}

#[tokio::test]
async fn the_number_of_a_session_stays_in_the_host() {
    let (bench, tape) = bench(RULES, plain);
    bench.server.respond(503, &[]);
    let running = bench.start(GET);
    bench.wait_entered().await;
    bench.session.raise();
    assert_eq!(ended(join(running).await).end(), Some(End::SessionChanged));
    let sessions: Vec<_> = tape.lines(bench).iter().map(|line| line["now"]["session"].clone()).collect();
    assert_eq!(sessions, [1, 1, 2]);
}

#[tokio::test]
async fn a_call_that_gives_back_an_attempt_that_was_not_made_is_not_recorded() {
    let (bench, tape) = bench(RULES, plain);
    bench.server.push(Err(Failure::refused(ScriptedError)).into());
    ended(bench.run(GET).await);
    assert_eq!(tape.lines(bench).len(), 1);
}

#[tokio::test]
async fn a_request_that_is_dropped_is_recorded_to_its_end() {
    let (bench, tape) = bench(RULES, plain);
    bench.time.set_mark(Mark::new(7));
    let _hangs = bench.server.later();
    let running = bench.start(GET);
    bench.server.sent().await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    let last = tape.lines(bench).pop().expect("a line");
    assert_eq!((&last["call"], &last["now"]["cancelled"]), (&json!("wake"), &json!(true)));
    assert_eq!((&last["now"]["wall"], &last["expect"]["end"]), (&json!(-1), &json!("cancelled")));
}

/// A disk that is full after some writes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_request_does_not_end_for_a_recording_that_cannot_be_written() {
    let mut bench = Bench::new(RULES);
    let recording = Arc::new(Recording::new(Full(1)));
    bench.options.observer = Some(recording.clone());
    bench.server.respond(200, &[]);
    bench.run(GET).await.expect("a success");
    let error = recording.check().expect_err("the second line had no room");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    recording.check().expect("told once");
}

#[test]
fn a_recording_says_nothing_of_what_it_holds() {
    assert_eq!(format!("{:?}", Recording::new(vec![1_u8])), "Recording { hints: Read, .. }");
}
