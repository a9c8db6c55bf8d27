//! Two policies beside each other.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::support::{Run, bare_command, scratch};

fn diff(args: &[&str]) -> Run {
    bare_command().args(["diff", "--engine", "native"]).args(args).output().unwrap().into()
}

/// A document with these lines, in a file of this name.
fn document(name: &str, lines: &str) -> PathBuf {
    let path = scratch(name).with_extension("toml");
    fs::write(&path, format!("schema = 1\nname = \"tested\"\nversion = \"1.0.0\"\n{lines}")).unwrap();
    path
}

#[test]
fn a_policy_does_not_differ_from_itself() {
    let run = diff(&["api-client", "api-client"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("Nothing changes for callers."), "{}", run.stdout);
    let json = diff(&["--json", "api-client", "api-client"]).json();
    assert_eq!(json["same"], json!(true));
    assert_eq!(json["vectors"]["different"], json!([]));
    assert!(json["vectors"]["total"].as_u64() > Some(1_500));
}

#[test]
fn another_name_and_version_are_no_change_for_callers() {
    let (one, other) = (document("diff-name-a", ""), scratch("diff-name-b").with_extension("toml"));
    fs::write(&other, "schema = 1\nname = \"renamed\"\nversion = \"2.0.0\"\n").unwrap();
    let run = diff(&[one.to_str().unwrap(), other.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains("\"tested\" → \"renamed\""), "{}", run.stdout);
}

#[test]
fn a_change_is_named_said_in_words_and_shown_by_vectors() {
    let (one, other) = (document("diff-words-a", ""), document("diff-words-b", "limits.max_attempts = 2\n"));
    let run = diff(&[one.to_str().unwrap(), other.to_str().unwrap()]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for text in ["limits.max_attempts  4 → 2", "at most 4 times", "at most 2 times", "decide differently"] {
        assert!(run.stdout.contains(text), "`{text}` in {}", run.stdout);
    }
}

#[test]
fn a_vector_names_the_first_answer_that_differs() {
    let json = diff(&["--json", "aws-standard-2-0", "aws-standard-2-1"]).json();
    let different = json["vectors"]["different"].as_array().unwrap();
    let quota = different.iter().find(|vector| vector["id"] == "aws-standard-2-0-quota").unwrap();
    let expected = json!({
        "id": "aws-standard-2-0-quota", "call": 1, "member": "delay", "from": 1_000, "to": 50,
    });
    assert_eq!(*quota, expected);
    let setting = |path: &str| {
        let all = json["settings"].as_array().unwrap();
        all.iter().find(|setting| setting["path"] == path).cloned().unwrap_or(Value::Null)
    };
    assert_eq!(setting("budget.retry"), json!({"path": "budget.retry", "from": "5", "to": "14"}));
}

#[test]
fn a_vector_that_differs_in_tokens_alone_is_not_said_to_decide_differently() {
    let costs = |name: &str, retry: u32| document(name, &format!("[budget]\ncapacity = 500\nretry = {retry}\n"));
    let (one, other) = (costs("diff-tokens-a", 5), costs("diff-tokens-b", 6));
    let args = [one.to_str().unwrap(), other.to_str().unwrap()];
    let json = diff(&[&["--json"], &args[..]].concat()).json();
    let different = json["vectors"]["different"].as_array().unwrap();
    assert!(different.iter().all(|vector| !vector["member"].as_str().unwrap().contains("token")), "{different:?}");
    let tokens_only = json["vectors"]["tokens_only"].as_u64().unwrap();
    assert!(tokens_only > 100, "{tokens_only}");
    let text = diff(&args).stdout;
    assert!(text.contains(&format!("  and {tokens_only} in tokens alone, which decides nothing\n")), "{text}");
    assert!(text.contains(&format!("  {} of ", different.len())), "{text}");

    let same = diff(&["api-client", "api-client"]).stdout;
    assert!(!same.contains("tokens alone"), "{same}");
}

#[test]
fn all_vectors_are_named_on_request_only() {
    let few = diff(&["api-client", "read-only-strict"]).stdout;
    let all = diff(&["api-client", "read-only-strict", "--all"]).stdout;
    assert!(few.contains("more; `--all` names them") && few.lines().count() < 80, "{few}");
    assert!(!all.contains("--all") && all.lines().count() > 200, "{all}");
}

#[test]
fn what_is_no_policy_is_bad_usage() {
    let run = diff(&["api-client", "no-such-policy"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("no-such-policy") && run.stderr.contains("read-only-strict"), "{}", run.stderr);
    let run = diff(&["--policy", "stripe", "api-client", "api-client"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
