//! Documents on the command line: checked, explained, listed, and the schema that they follow.

use std::{fs, path::PathBuf};

use refrain_document::{Document, Format, ready, schema};
use serde_json::json;

use crate::support::{Run, bare_command, scratch};

fn run(args: &[&str]) -> Run {
    bare_command().args(args).output().expect("the binary runs").into()
}

/// A document in a file of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let path = scratch(name);
    fs::write(&path, text).unwrap();
    path
}

const HEAD: &str = "schema = 1\nname = \"mine\"\nversion = \"1.2.3\"\n";

#[test]
fn check_accepts_a_document_and_shows_its_warnings() {
    let plain = file("plain.toml", HEAD);
    let run_plain = run(&["check", plain.to_str().unwrap()]);
    let expected = format!("accepted `{}`: mine 1.2.3\n", plain.display());
    assert_eq!((run_plain.code, run_plain.stdout, run_plain.stderr), (Some(0), expected, String::new()));

    let doubtful = file("doubtful.toml", &format!("{HEAD}[replay]\nmethods = [\"POST\"]\n"));
    let run = run(&["check", doubtful.to_str().unwrap()]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("warning: a repeated POST may be applied twice"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("--> {}:5:12", doubtful.display())), "{}", run.stdout);
}

#[test]
fn check_refuses_a_document_with_every_place_and_says_what_of_the_others() {
    let [good, bad] = [file("good.toml", HEAD), file("bad.json", "{\n  \"schema\": 1, \"name\": \"A\"\n}")];
    let files = [bad.to_str().unwrap(), good.to_str().unwrap()];
    let text = run(&["check", files[0], files[1]]);
    assert_eq!(text.code, Some(2));
    for part in ["expected 1 to 39 lower-case letters", "found no key `version`", "2:24", "accepted", "good.toml"] {
        assert!(text.stdout.contains(part), "no {part} in {}", text.stdout);
    }

    let run = run(&["check", files[0], files[1], "--json"]);
    let json = run.json();
    assert_eq!((run.code, &json["accepted"]), (Some(2), &json!(false)));
    assert_eq!(json["documents"][0]["file"], files[0]);
    let problem = &json["documents"][0]["problems"][1];
    assert_eq!(
        [&problem["severity"], &problem["line"], &problem["column"], &problem["end_column"]],
        [&json!("error"), &json!(2), &json!(24), &json!(27)]
    );
    let good = &json["documents"][1];
    assert_eq!([&good["accepted"], &good["name"], &good["version"]], [&json!(true), &json!("mine"), &json!("1.2.3")]);
}

#[test]
fn check_says_what_of_the_others_when_one_cannot_be_read() {
    let good = file("beside-missing.toml", HEAD);
    let files = [good.to_str().unwrap(), "no/such.toml", "policy.yaml"];
    let text = run(&["check", files[1], files[0], files[2]]);
    let accepted = format!("accepted `{}`: mine 1.2.3\n", good.display());
    assert_eq!((text.code, text.stdout), (Some(2), accepted));
    assert!(text.stderr.contains("cannot read the document `no/such.toml`"), "{}", text.stderr);
    assert!(text.stderr.contains("`.toml` or `.json`, found `policy.yaml`"), "{}", text.stderr);

    let run = run(&["check", files[0], files[1], "--json"]);
    let json = run.json();
    assert_eq!(
        (run.code, &json["accepted"], &json["documents"][0]["accepted"]),
        (Some(2), &json!(false), &json!(true))
    );
    assert_eq!(json["documents"][0]["unread"], json!(null));
    assert_eq!(json["documents"][1]["accepted"], json!(false));
    let unread = json["documents"][1]["unread"].as_str().unwrap();
    assert!(unread.starts_with("cannot read the document `no/such.toml`: "), "{unread}");
}

#[test]
fn what_says_how_an_artifact_is_trusted_has_no_meaning_where_none_is_read() {
    let zeros = "0".repeat(64);
    let flags = [&["--sha256", &zeros][..], &["--locked"], &["--lock", "other.lock"], &["--engine", "native"]];
    for command in [&["check", "a.toml"][..], &["policies"], &["policies", "stripe"], &["schema"]] {
        for flag in flags {
            let run = run(&[command, flag].concat());
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{command:?} {flag:?}");
            let expected = format!("`{}` has no meaning for `refrain {}`", flag[0], command[0]);
            assert!(run.stderr.contains(&expected), "{command:?} {flag:?}: {}", run.stderr);
        }
    }
}

#[test]
fn what_is_no_document_is_bad_usage() {
    for (args, part) in [
        (&["check", "policy.yaml"][..], "`.toml` or `.json`"),
        (&["check", "no/such.toml"], "cannot read the document `no/such.toml`"),
        (&["check"], "<FILE>"),
        (&["check", "a.toml", "--policy", "stripe"], "`--policy` has no meaning for `refrain check`"),
        (&["explain", "stripes"], "stripe"),
        (&["policies", "stripes"], "found `stripes`"),
        (&["schema", "--engine", "native"], "`--engine` has no meaning for `refrain schema`"),
    ] {
        let run = run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(part), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn explain_says_a_policy_in_sentences_and_numbers() {
    let text = run(&["explain", "read-only-strict"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for part in
        ["read-only-strict 1.0.0", "sent at most 4 times", "500 ms to 1 s", "up to 7 s", "1 min 30 s if it does"]
    {
        assert!(text.stdout.contains(part), "no {part} in {}", text.stdout);
    }

    let worst = run(&["explain", "read-only-strict", "--json"]).json()["worst_case"].clone();
    assert_eq!(worst["sends"], 4);
    assert_eq!(
        worst["retries"][2],
        json!({
            "index": 2, "transient": { "shortest_ms": 2_000, "longest_ms": 4_000 }, "throttled": null, "total_ms": 7_000
        })
    );
    assert_eq!((&worst["local_ms"], &worst["with_hints_ms"]), (&json!(7_000), &json!(90_000)));
}

#[test]
fn explain_shows_the_problems_of_a_document() {
    let bad = file("unexplained.toml", &format!("{HEAD}[limits]\nmax_retries = 3\n"));
    let run = run(&["explain", bad.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("three retries are `max_attempts = 4`"), "{}", run.stderr);
}

#[test]
fn policies_lists_the_ready_made_ones_and_writes_each() {
    let list = run(&["policies", "--json"]).json();
    let names: Vec<_> =
        list["policies"].as_array().unwrap().iter().map(|policy| policy["name"].as_str().unwrap()).collect();
    assert!(names.iter().copied().eq(ready::names()));
    let text = run(&["policies"]).stdout;
    for name in ready::names() {
        assert!(text.contains(&format!("{name} 1.")), "{name}");
        let written = run(&["policies", name]);
        assert_eq!(
            (written.code, Document::parse(&written.stdout, Format::Toml)),
            (Some(0), Ok(ready::find(name).unwrap().document()))
        );
        let json = run(&["policies", name, "--json"]).stdout;
        assert_eq!(json.trim_end(), ready::find(name).unwrap().document().to_canonical_json());
    }
}

#[test]
fn schema_is_the_published_one() {
    let run = run(&["schema"]);
    assert_eq!((run.code, run.stdout), (Some(0), schema::text()));
}
