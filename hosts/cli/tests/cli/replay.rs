//! Recordings: made by real requests, run again by both engines.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{self, Stdio},
};

use conformance::{Native, Vector, check};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    server::{Reply, Server},
    support::{Run, bare_command, command, refrain, scratch},
};

const BUSY: Reply = Reply::Status(503, "retry-after: 0\r\n", "");
const OK: Reply = Reply::Status(200, "", "hello\n");

/// A path at which there is nothing.
fn new_file(name: &str) -> PathBuf {
    let path = scratch(&format!("{name}-{}.jsonl", process::id()));
    let _ = fs::remove_file(&path);
    path
}

fn fetch(server: &Server, record: &Path, more: &[&str]) -> Run {
    let (url, record) = (server.url(), record.to_str().unwrap());
    refrain(["fetch", &url, "--record", record].iter().chain(more))
}

fn replay(record: &Path, more: &[&str]) -> Run {
    refrain(["replay", record.to_str().unwrap()].iter().chain(more))
}

/// A recording of two sends.
fn retried(name: &str) -> PathBuf {
    let record = new_file(name);
    let run = fetch(&Server::start(&[BUSY, OK]), &record, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "hello\n"), "{}", run.stderr);
    record
}

/// Replaces the first text in a line, counted from 1.
fn change(record: &Path, line: usize, from: &str, to: &str) {
    let text = fs::read_to_string(record).unwrap();
    let changed = (1..).zip(text.lines()).map(|(number, text)| match number == line {
        true => {
            assert!(text.contains(from), "no `{from}` in {text}");
            text.replacen(from, to, 1)
        }
        false => text.to_owned(),
    });
    fs::write(record, changed.collect::<Vec<_>>().join("\n") + "\n").unwrap();
}

#[test]
fn what_was_recorded_is_the_same_when_it_is_run_again_by_either_engine() {
    let record = retried("same");
    for engine in ["wasm", "native"] {
        let run = replay(&record, &["--engine", engine]);
        let said = "the same: 4 calls of 1 request gave what they gave when they were recorded\n";
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), said, ""));
        let report = replay(&record, &["--engine", engine, "--json"]).json();
        assert_eq!((&report["same"], &report["calls"], &report["difference"]), (&json!(true), &json!(4), &Value::Null));
        assert_eq!((&report["recorded"][0], report["cut_off_line"].is_null()), (&report["replayed"], true));
    }
}

#[test]
fn the_first_difference_is_told_with_line_call_and_both_values() {
    let record = retried("differs");
    change(&record, 2, "\"delay\":0", "\"delay\":7");
    change(&record, 3, "\"attempt\":2", "\"attempt\":3");
    let run = replay(&record, &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.starts_with("differs on line 2, call 1 of request "), "{}", run.stdout);
    assert!(run.stdout.ends_with("\n  delay: expected 7, got 0\n"), "{}", run.stdout);
    let difference = replay(&record, &["--json"]).json()["difference"].clone();
    assert_eq!(
        (&difference["line"], &difference["call"], &difference["member"], &difference["expected"], &difference["got"]),
        (&json!(2), &json!(1), &json!("delay"), &json!(7), &json!(0))
    );
}

#[test]
fn a_recording_is_run_again_by_any_policy_which_is_named_if_it_is_another() {
    let record = retried("another");
    let run = bare_command()
        .arg("replay")
        .arg(&record)
        .args(["--policy", "api-client", "--engine", "native"])
        .output()
        .unwrap();
    let run = Run::from(run);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("recorded by tested 1.0.0, run again by api-client 1.0.0: another policy"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_process_that_is_killed_leaves_a_recording_that_can_be_run_again() {
    let record = new_file("killed");
    let server = Server::start(&[Reply::Status(503, "retry-after: 50\r\n", "")]);
    let mut child = command()
        .args(["fetch", &server.url(), "--record", record.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("wait 50 s") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the child ended before its wait");
    }
    kill_process(Pid::from_child(&child), Signal::KILL).expect("the child is alive");
    assert!(!child.wait().unwrap().success());
    let run = replay(&record, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("the same: 2 calls of 1 request"), "{}", run.stdout);
}

#[test]
fn a_last_line_that_is_cut_off_is_said_and_left_out() {
    let record = retried("cut-off");
    let bytes = fs::read(&record).unwrap();
    fs::write(&record, &bytes[..bytes.len() - 9]).unwrap();
    let run = replay(&record, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("the same: 3 calls") && run.stdout.contains("line 4 is cut off"), "{}", run.stdout);
    assert_eq!(replay(&record, &["--json"]).json()["cut_off_line"], 4);

    fs::write(&record, &bytes[..9]).unwrap();
    let run = replay(&record, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(
        run.stderr.contains("expected a call at least, found nothing but a line that is cut off"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_is_no_recording_is_refused_where_it_stops_being_one() {
    let record = retried("refused");
    change(&record, 3, "\"call\":\"wake\"", "\"call\":\"nap\"");
    let run = replay(&record, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    let place = format!("error: the recording `{}`: line 3, column ", record.display());
    assert!(run.stderr.starts_with(&place) && run.stderr.contains("unknown variant `nap`"), "{}", run.stderr);

    for (content, said) in [
        (&b""[..], "expected a call at least, found nothing"),
        (b"\n", "line 1, column 1: expected a line of a recording of version 1"),
        (b"{\"refrain_record\":2}\n", "line 1, column 1: expected a recording of version 1, found one of version `2`"),
        (b"\x00\xff\x1b[2J\n", "line 1, column 1: expected a line of a recording of version 1"),
    ] {
        fs::write(&record, content).unwrap();
        let run = replay(&record, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains(said) && !run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
    for missing in [scratch("no-such-recording.jsonl"), scratch("")] {
        let run = replay(&missing, &[]);
        assert!(run.code == Some(2) && run.stderr.contains("cannot read the recording `"), "{}", run.stderr);
    }
}

#[test]
fn a_recording_becomes_a_vector_that_every_engine_passes() {
    let record = retried("vector");
    let run = replay(&record, &["--as-vector"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let vector: Vector = serde_json::from_str(run.stdout.trim_end()).unwrap();
    check(&mut Native, &vector).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(vector.source, "recorded under tested 1.0.0");
    assert_eq!(run.stdout.lines().count(), 1, "a line each: {}", run.stdout);
    // As `xtask conform` judges a folder of vectors: what was changed by hand is noticed.
    let wrong: Vector = serde_json::from_str(&run.stdout.replacen("\"delay\":0", "\"delay\":1", 1)).unwrap();
    assert!(check(&mut Native, &wrong).is_err());
}

#[test]
fn a_vector_of_a_recording_that_comes_out_otherwise_expects_what_was_recorded() {
    let record = retried("bug");
    change(&record, 2, "\"delay\":0", "\"delay\":7");
    let run = replay(&record, &["--as-vector"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let vector: Vector = serde_json::from_str(run.stdout.trim_end()).unwrap();
    assert_eq!(check(&mut Native, &vector).unwrap_err().step, Some(1));

    let run = bare_command()
        .arg("replay")
        .arg(&record)
        .args(["--as-vector", "--policy", "api-client", "--engine", "native"])
        .output()
        .unwrap();
    let run = Run::from(run);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    let said = "expected the policy by which it was recorded, tested 1.0.0 of sha256 ";
    assert!(run.stderr.contains(said) && run.stderr.contains("found api-client 1.0.0: name it with"), "{}", run.stderr);
}

#[test]
fn a_recording_is_not_written_over_and_nothing_is_sent_without_one() {
    let (server, record) = (Server::start(&[OK]), new_file("existing"));
    fs::write(&record, "precious").unwrap();
    let run = fetch(&server, &record, &[]);
    assert!(run.code == Some(2) && run.stderr.contains("`--record` expects a new file"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&record).unwrap(), "precious");
    let nowhere = scratch("no-such-folder").join("record.jsonl");
    let run = fetch(&server, &nowhere, &[]);
    assert!(run.code == Some(2) && run.stderr.contains("`--record`: cannot write"), "{}", run.stderr);
    assert_eq!(refrain(["fetch", &server.url(), "--record-hints"]).code, Some(2));
    assert!(server.requests().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_is_handed_over_although_its_recording_could_not_be_written() {
    let run = fetch(&Server::start(&[OK]), Path::new("/dev/full"), &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(6), "hello\n"));
    assert!(run.stderr.contains("the recording `/dev/full` could not be written whole"), "{}", run.stderr);
}

#[test]
fn a_hint_that_cannot_be_told_in_numbers_is_run_again_where_its_text_was_recorded() {
    // A fraction and a date that disagree, under a policy that reads fractions.
    let policy = new_file("decimals").with_extension("toml");
    let document = "schema = 1\nname = \"decimals\"\nversion = \"1.0.0\"\n[limits]\nmax_attempts = 2\nmax_wait = \"1s\"\n\
                    [[hints.fields]]\nname = \"retry-after\"\ndecimals = true\n";
    fs::write(&policy, document).unwrap();
    let run = |args: &[&str]| {
        let output = bare_command()
            .args(args)
            .args(["--engine", "native", "--policy", policy.to_str().unwrap()])
            .output()
            .unwrap();
        Run::from(output)
    };
    for (flag, code, calls) in [(None, 2, 1), (Some("--record-hints"), 0, 2)] {
        let server = Server::start(&[Reply::Status(503, "retry-after: 1.5, Sun, 06 Nov 1994 08:49:37 GMT\r\n", "")]);
        let (record, url) = (new_file("decimals"), server.url());
        let args = ["fetch", &url, "--record", record.to_str().unwrap()];
        let fetched = run(&[&args[..], &flag.into_iter().collect::<Vec<_>>()].concat());
        assert_eq!(fetched.code, Some(3), "{}", fetched.stderr);
        let replayed = run(&["replay", record.to_str().unwrap(), "--json"]);
        assert_eq!((replayed.code, &replayed.json()["calls"]), (Some(code), &json!(calls)), "{}", replayed.stderr);
        let said = run(&["replay", record.to_str().unwrap()]).stdout;
        assert_eq!(said.contains("record it with `--record-hints`"), flag.is_none(), "{said}");
    }
}
