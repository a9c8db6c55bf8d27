use serde_json::{Value, json};

use crate::support::{Run, bare_command, refrain};

fn decide(engine: &str, args: &str) -> Value {
    let fixed = ["decide", "--json", "--now", "784111777", "--engine", engine];
    let run = refrain(fixed.into_iter().chain(args.split_whitespace()));
    assert_eq!(run.code, Some(0), "{args}: {}", run.stderr);
    run.json()
}

/// What the shell makes of a line: words, some of them in single quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let quoted_or_not = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    quoted_or_not.collect()
}

#[test]
fn every_example_of_the_help_can_be_run() {
    let help: Run = bare_command().args(["decide", "--help"]).output().unwrap().into();
    let examples: Vec<_> = help.stdout.lines().filter_map(|line| line.strip_prefix("  refrain ")).map(words).collect();
    assert!(examples.len() >= 5, "{}", help.stdout);
    for example in examples {
        let run: Run = bare_command().args(&example).args(["--engine", "native"]).output().unwrap().into();
        assert_eq!(run.code, Some(0), "{example:?}: {}", run.stderr);
    }
}

#[test]
fn a_retry_names_its_delay_and_what_fixed_it() {
    let decision = decide("wasm", "--status 429 --retry-after 20 --retry-index 1");
    for (name, value) in [
        ("decision", json!("retry")),
        ("end", Value::Null),
        ("bound", json!("hint")),
        ("attempts", json!(2)),
        ("delay_ms", json!(20_000)),
        ("local_backoff_ms", json!(0)),
        ("token_thousandths_before", json!(500_000)),
        ("token_thousandths_after", json!(495_000)),
    ] {
        assert_eq!(decision[name], value, "{name}");
    }
}

#[test]
fn a_deferral_names_the_whole_wait_and_the_moment() {
    let decision = decide("wasm", "--status 503 --retry-after 86400");
    let resume = json!({"delay_ms": 86_400_000, "not_before_unix_ms": 784_198_177_000_u64, "attempts_used": 1});
    assert_eq!((&decision["decision"], &decision["resume"]), (&json!("defer"), &resume));
}

#[test]
fn the_check_that_failed_is_named_and_none_after_it_was_asked() {
    for (args, end, failed) in [
        ("--status 503 --session-changed", "session-changed", "session"),
        ("--status 503 --cancelled", "cancelled", "cancel"),
        ("--status 404", "not-retryable", "result"),
        ("--status 503 --elapsed 2m", "deadline", "deadline"),
        ("--status 503 --nested-gave-up", "nested", "nested layers"),
        ("--status 503 --retry-index 3", "attempts-used", "attempts"),
        ("--status 503 --retry-index 9", "attempts-used", "attempts"),
        ("--status 503 --one-shot-body", "body-not-replayable", "body"),
        ("--failure ambiguous --method POST --key sent", "not-idempotent", "method and key"),
        ("--status 503 --retry-after 61", "deferred", "max-wait"),
        ("--status 503 --retry-after 20 --deadline 20s", "deadline", "room before the deadline"),
        ("--status 503 --tokens 4.999", "budget-empty", "budget"),
    ] {
        let decision = decide("native", args);
        let checks = decision["checks"].as_array().unwrap();
        let at = checks.iter().position(|check| check["passed"] == json!(false)).expect(args);
        assert_eq!((&decision["end"], &checks[at]["check"]), (&json!(end), &json!(failed)), "{args}");
        assert!(checks[..at].iter().all(|check| check["passed"] == json!(true)), "{args}");
        assert!(checks[at + 1..].iter().all(|check| check["passed"].is_null()), "{args}");
    }
}

#[test]
fn words_say_why() {
    let run = refrain(["decide", "--status", "503", "--retry-after", "20"]);
    for text in ["retry: send again after 20 s: the server named the time", "✓ attempts", "1 made; the policy allows 4"]
    {
        assert!(run.stdout.contains(text), "no `{text}` in {}", run.stdout);
    }
}

#[test]
fn words_say_what_a_refused_hint_still_does() {
    for (value, sentence) in [
        ("5, 7", "send again after 7 s: the server named several times that disagree, and the largest is respected"),
        ("-5", "send again after 0 ms: local backoff, the server's hint was refused (signed) and does not prolong it"),
    ] {
        let run = refrain(["decide", "--status", "503", "--retry-after", value]);
        assert!(run.stdout.contains(sentence), "{value}: {}", run.stdout);
    }
}

#[test]
fn both_engines_decide_the_same() {
    for args in [
        "--status 200",
        "--status 503",
        "--status 503 --retry-after 10,20",
        "--status 503 --retry-after 99999999999999999999999",
        "--status 429 --retry-after 60 --sample 0.5",
        "--status 429 --retry-after 61 --sample 0",
        "--status 503 --retry-after -5 -H date:x -H age:1",
        "--failure ambiguous --timed-out --key honoured --method POST",
        "--failure offline --network down",
        "--failure permanent",
        "--status 503 --max-attempts 1 --deadline 1s --max-wait 1s",
        "--status 503 --retry-index 4294967295",
    ] {
        assert_eq!(decide("wasm", args), decide("native", args), "{args}");
    }
}
