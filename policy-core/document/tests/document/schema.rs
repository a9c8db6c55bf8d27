//! The published JSON Schema, and its agreement with what is read.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

use jsonschema::Validator;
use refrain_document::{Document, Format, ready, schema};
use serde_json::{Value, json};

fn published() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("policy.schema.json")
}

pub(super) fn validator() -> Validator {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("no schema: {error}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("no schema: {error}"))
}

/// `REFRAIN_ACCEPT=1 cargo test -p refrain-document` writes the file anew.
#[test]
fn the_published_schema_is_the_one_of_this_version() {
    if env::var_os("REFRAIN_ACCEPT").is_some() {
        fs::write(published(), schema::text()).unwrap();
    }
    assert_eq!(fs::read_to_string(published()).unwrap(), schema::text(), "REFRAIN_ACCEPT=1 writes it anew");
}

#[test]
fn every_ready_made_policy_is_valid_in_every_spelling() {
    let validator = validator();
    for name in ready::names() {
        let ready = ready::find(name).unwrap();
        let document = ready.document();
        let canonical: Value = serde_json::from_str(&document.to_canonical_json()).unwrap();
        let texts = [ready.toml, &document.to_toml()].map(|text| toml::from_str::<Value>(text).unwrap());
        for value in texts.into_iter().chain([canonical]) {
            assert!(validator.validate(&value).is_ok(), "{name}: {:?}", validator.validate(&value));
        }
    }
}

/// A document with one more member, of a section or of its root.
fn with(section: &str, key: &str, value: &Value) -> Value {
    let mut document = json!({ "schema": 1, "name": "a", "version": "1.0.0" });
    match section {
        "" => document[key] = value.clone(),
        section => document[section] = json!({ key: value }),
    }
    document
}

#[test]
fn what_the_reader_refuses_by_its_form_the_schema_refuses_too() {
    let validator = validator();
    let cases = [
        ("", "schema", json!(2)),
        ("", "name", json!("Polite")),
        ("", "version", json!("1.0")),
        ("", "version", json!("01.0.0")),
        ("", "extra", json!(1)),
        ("", "budget", json!("some")),
        ("limits", "max_attempts", json!(0)),
        ("limits", "max_attempts", json!(10_001)),
        ("limits", "max_attempts", json!("4")),
        ("limits", "deadline", json!("5")),
        ("limits", "deadline", json!("1m1m")),
        ("limits", "deadline", json!(-1)),
        ("limits", "deadline", json!(1.5)),
        ("limits", "deadline", json!(null)),
        ("limits", "deadline", json!(9_007_199_254_740_991_u64)),
        ("limits", "dead_line", json!("5s")),
        ("limits", "deadline_bounds", json!("all")),
        ("backoff", "base", json!("none")),
        ("backoff", "multiplier", json!(1.05)),
        ("backoff", "multiplier", json!(100.5)),
        ("backoff", "jitter", json!("half")),
        ("backoff", "jitter", json!({ "low": 1 })),
        ("backoff", "jitter", json!({ "low": 1, "high": 101 })),
        ("backoff", "throttled", json!({ "transient": {} })),
        ("retry", "statuses", json!([99])),
        ("retry", "statuses", json!([600])),
        ("retry", "statuses", json!(["500"])),
        ("retry", "statuses", json!("all")),
        ("retry", "failures", json!(["permanent"])),
        ("replay", "methods", json!(["get"])),
        ("replay", "key_field", json!("a b")),
        ("hints", "fields", json!(["x-ratelimit-reset"])),
        ("hints", "fields", json!([{ "unit": "seconds" }])),
        ("hints", "fields", json!([{ "name": "a", "unit": "hours" }])),
        ("hints", "statuses", json!("some")),
        ("hints", "spread", json!(-0.1)),
        ("budget", "capacity", json!(1_000_001)),
        ("budget", "per", json!("request")),
        ("offline", "mode", json!("wait")),
        ("session", "required", json!("yes")),
    ];
    for (section, key, value) in cases {
        let document = with(section, key, &value);
        assert!(!validator.is_valid(&document), "the schema takes `{section}.{key}` = {value}");
        assert!(Document::parse(&document.to_string(), Format::Json).is_err(), "`{section}.{key}` = {value} is read");
    }
}

#[test]
fn the_reader_knows_exactly_the_keys_of_the_schema() {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    let keys = |table: &Value| table["properties"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let sections = [
        ("Limits", "/limits"),
        ("Backoff", "/backoff"),
        ("Class", "/backoff/transient"),
        ("Class", "/backoff/throttled"),
        ("Scaled", "/backoff/jitter"),
        ("Retry", "/retry"),
        ("Replay", "/replay"),
        ("Hints", "/hints"),
        ("Field", "/hints/fields"),
        ("Budget", "/budget"),
        ("Offline", "/offline"),
        ("Session", "/session"),
    ];
    assert_eq!(keys(&schema), known_keys(""));
    for (definition, path) in sections {
        assert_eq!(keys(&schema["$defs"][definition]), known_keys(path), "{path}");
    }
}

/// The keys that the reader lists when it meets one that it does not know.
fn known_keys(path: &str) -> BTreeSet<String> {
    let mut document = json!({ "schema": 1, "name": "a", "version": "1.0.0" });
    let mut table = &mut document;
    for key in path.split('/').filter(|key| !key.is_empty()) {
        table = &mut table[key];
        *table = json!({});
    }
    table["ŧ"] = json!(1);
    if path.ends_with("fields") {
        *table = json!([table.clone()]);
    }
    let problems = Document::parse(&document.to_string(), Format::Json).unwrap_err();
    let unknown = problems.iter().find(|problem| problem.message.contains("no key `ŧ`")).unwrap();
    let help = unknown.help.as_deref().unwrap().trim_start_matches("the keys here are ");
    help.split([',', ' ']).filter(|word| word.starts_with('`')).map(|word| word.trim_matches('`').to_owned()).collect()
}

#[test]
fn the_schema_shows_the_defaults_of_the_core() {
    let schema: Value = serde_json::from_str(&schema::text()).unwrap();
    let default = |definition: &str, key: &str| schema["$defs"][definition]["properties"][key]["default"].clone();
    assert_eq!(default("Limits", "max_attempts"), json!(4));
    assert_eq!(default("Limits", "deadline"), json!("2m"));
    assert_eq!(default("Hints", "spread"), json!(0.1));
    assert_eq!(default("Retry", "statuses"), json!([408, 429, 500, "502-504"]));
    assert_eq!(default("Budget", "timed_out"), json!(10));
}

/// Every key of every table has help at its place, and what it says comes from the schema.
#[test]
fn every_key_that_is_written_has_help_at_its_place() {
    let full = ready::find("grpc-a6").unwrap().document().to_toml();
    let mut keys = BTreeSet::new();
    for (at, _) in full.match_indices('\n') {
        let help = schema::help(&full, at);
        assert!(!help.description.is_empty(), "nothing at {at} of {full}");
        keys.insert(help.key);
    }
    for key in ["schema", "limits.deadline", "retry.statuses", "budget.capacity", "hints.fields", "backoff.jitter.low"]
    {
        assert!(keys.contains(key), "{key} not among {keys:?}");
    }
}

#[test]
fn help_says_what_a_value_can_be() {
    let at_end = |text: &str| schema::help(text, text.len());
    assert_eq!(at_end("[limits]\nmax_attempts = ").values, ["a whole number from 1 to 10000"]);
    let jitter = at_end("backoff.jitter = ");
    assert_eq!(jitter.values, ["`\"none\"`, `\"full\"`, `\"equal\"`, `\"decorrelated\"`", "a table"]);
    assert_eq!((jitter.default.as_deref(), jitter.keys), (Some("\"full\""), vec!["high".to_owned(), "low".to_owned()]));
    let statuses = at_end("[retry]\nstatuses = ");
    assert_eq!(statuses.default.as_deref(), Some("[408, 429, 500, \"502-504\"]"));
    assert_eq!(statuses.values, ["a list of: a whole number from 100 to 599"]);
    let deadline = at_end("[limits]\ndeadline = ");
    assert_eq!(
        deadline.values,
        ["`\"none\"`", "a whole number", "for example `\"none\"`, `\"30s\"`, `\"1h30m\"`, `500`"]
    );
    assert_eq!(at_end("backoff.multiplier = ").values, ["`1`", "a number from 1.1 to 100"]);
    assert_eq!(at_end("hints.fields = [{ bad_value = ").values, ["`\"next\"`, `\"backoff\"`, `\"stop\"`"]);
}

#[test]
fn help_for_what_the_schema_does_not_know_is_that_of_the_table_around_it() {
    let help = schema::help("[limits]\nmax_tries = 3", 12);
    assert_eq!((help.key.as_str(), help.description.as_str()), ("limits", "How often, how long."));
    assert!(schema::help("", 0).keys.contains(&"limits".to_owned()));
}
