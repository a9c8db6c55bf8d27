//! What is explained of a policy is what the core does.

use policy_core::{FailureKind, Method, Millis, Request, Sample};
use proptest::{collection, prelude::*};
use refrain_document::{
    Document, Format,
    explain::{self, Explanation},
    ready,
};
use serde_json::json;

use crate::{
    canonical::{settings, style},
    run::{Reply, Story, run},
};

fn policy(name: &str) -> Document {
    ready::find(name).unwrap().document()
}

#[test]
fn an_explanation_is_json_in_milliseconds_with_null_for_no_limit() {
    let text = r#"
        schema = 1
        name = "endless"
        version = "1.0.0"
        limits = { max_attempts = 2, deadline = "none", max_wait = "none" }
        backoff = { base = "1s", jitter = "none" }
        retry = { statuses = [503], throttled = [] }
    "#;
    let document = Document::parse(text, Format::Toml).unwrap();
    let explanation = serde_json::to_value(Explanation::of(&document)).unwrap();
    assert_eq!((&explanation["name"], &explanation["version"]), (&json!("endless"), &json!("1.0.0")));
    assert_eq!(explanation["sentences"].as_array().map(Vec::len), Some(explain::sentences(&document).len()));
    let retry = json!({
        "index": 0,
        "transient": { "shortest_ms": 1_000, "longest_ms": 1_000 },
        "throttled": null,
        "total_ms": 1_000,
    });
    let expected = json!({ "sends": 2, "retries": [retry], "local_ms": 1_000, "with_hints_ms": null });
    assert_eq!(explanation["worst_case"], expected);
}

#[test]
fn the_cells_of_a_table_are_those_that_are_shown_and_none_is_left_empty() {
    for name in ready::names() {
        let worst = explain::table(&policy(name));
        let (shown, cells) = (worst.to_string(), worst.to_cells());
        assert_eq!(cells.len(), shown.lines().filter(|line| !line.starts_with("(*)")).count() - 1, "{name}");
        for (line, cells) in shown.lines().zip(&cells) {
            assert_eq!(
                line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>(),
                *cells,
                "{name}"
            );
        }
        assert!(shown.ends_with(&worst.summary()), "{name}");
        assert!(worst.note().is_none_or(|note| shown.contains(&note)), "{name}");
    }
}

#[test]
fn a_policy_is_said_in_sentences() {
    let expected = [
        "A request is sent at most 4 times, the first included.",
        "It is sent again after a response with status 429 and 502 to 504.",
        "It is sent again after a name that was not found, a connection that failed, a TLS handshake that broke, the \
         server's word that it did nothing or an outcome that nobody knows (a lost connection, a time-out).",
        "If the server names no time, the first retry waits a random time from 80 ms to 120 ms, and each further one 2 \
         times as long, up to 1.200 s.",
        "The server names a time in `grpc-retry-pushback-ms` (milliseconds below 2^31), else in `retry-after` (seconds or \
         a date).",
        "It waits for that time, in the place of the local one; a time of 0 means at once.",
        "A date may have any of the three forms of RFC 9110; one with a leap second means the next second.",
        "A value that cannot be read but proves a shortest wait, such as a number too large, counts as that wait.",
        "A value of `retry-after` that cannot be read and proves nothing leaves it to the next field, or without one to \
         the local wait.",
        "A value of `grpc-retry-pushback-ms` that cannot be read, or is negative, forbids the retry.",
        "After such a wait the local one begins anew.",
        "What asks for more than 1 min is not waited for: the request is deferred, with the whole wait.",
        "GET, HEAD, OPTIONS, TRACE, QUERY, PUT and DELETE may be repeated as they are; POST and PATCH only with an \
         idempotency key that the server honours, in the field `idempotency-key`.",
        "Any other is repeated only if it certainly was not processed, and none whose body cannot be sent again.",
        "Of the 10 tokens that all requests to one host share, a retry takes 0, every failure 1.",
        "A success gives 0.1.",
        "No retry is made that they do not pay for, and none at 5 or less.",
        "A missing network counts as a failed connection.",
    ];
    assert_eq!(explain::sentences(&policy("grpc-a6")), expected);
    assert!(explain::sentences(&policy("read-only-strict")).contains(&"GET may be repeated as it is.".to_owned()));
    assert!(
        explain::sentences(&policy("openai-anthropic")).contains(
            &"The server may forbid a retry (`false`), or ask for one after any status from 400 (`true`), in \
              `x-should-retry`."
                .to_owned()
        )
    );
}

#[test]
fn every_setting_of_the_hints_is_heard_in_a_sentence() {
    let sentences = |settings: &[(&str, String)]| {
        let lines: Vec<_> = settings.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let text = format!("schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[hints]\n{}", lines.concat());
        explain::sentences(
            &Document::parse(&text, Format::Toml).unwrap_or_else(|problems| panic!("{text}\n{problems}")),
        )
    };
    let field = |name: &str, unit: &str, rest: &str| format!("{{ name = \"{name}\", unit = \"{unit}\"{rest} }}");
    let units = ["seconds", "milliseconds", "pushback-milliseconds", "epoch-seconds", "epoch-milliseconds"];
    let read = units.map(|unit| field("x-a", unit, ""));
    let how = [", decimals = true", ", bad_value = \"backoff\"", ", bad_value = \"stop\""];
    let how = how.map(|rest| field("x-a", "seconds", rest));
    let lists = read.iter().chain(&how).flat_map(|one| [format!("[{one}]"), format!("[{one}, \"retry-after\"]")]);
    let others = ["[]", "[\"x-should-retry\"]", "[\"x-should-retry\", \"stripe-should-retry\"]"]
        .into_iter()
        .chain(["[\"stripe-should-retry\", \"x-should-retry\"]", "[\"retry-after\", \"retry-after-ms\"]"])
        .chain(["[\"retry-after-ms\", \"retry-after\"]", "[\"retry-after\", \"x-should-retry\"]"]);
    let lists: Vec<_> = lists.chain(others.map(str::to_owned)).collect();
    let choices: [(&str, &[&str]); 9] = [
        ("statuses", &["\"all\"", "[429]", "[429, \"500-599\"]"]),
        ("mode", &["\"instead\"", "\"at-least\""]),
        ("zero", &["\"at-once\"", "\"backoff\""]),
        ("spread", &["0", "0.1", "0.101"]),
        ("obsolete_dates", &["true", "false"]),
        ("strict_dates", &["true", "false"]),
        ("unreadable", &["\"lower-bound\"", "\"backoff\""]),
        ("clock", &["\"wall\"", "\"server-date\""]),
        ("resets_backoff", &["false", "true"]),
    ];
    let said: std::collections::BTreeSet<_> =
        lists.iter().map(|list| sentences(&[("fields", list.clone())]).join(" ")).collect();
    assert_eq!(said.len(), lists.len(), "two lists of fields are explained in the same words");
    // With `zero`, the mode is "instead".
    let usual = [("mode", "\"instead\"".to_owned())];
    for (key, values) in choices {
        let base: &[_] = if key == "zero" { &usual } else { &[] };
        let said: std::collections::BTreeSet<_> =
            values.iter().map(|value| sentences(&[base, &[(key, (*value).to_owned())]].concat()).join(" ")).collect();
        assert_eq!(said.len(), values.len(), "two values of `{key}` are explained in the same words");
    }
    let verdicts = |statuses: &str| {
        sentences(&[("fields", "[\"x-should-retry\"]".to_owned()), ("statuses", statuses.to_owned())]).join(" ")
    };
    assert!(verdicts("[409, 429]").contains("(`true`), in `x-should-retry`, read with status 409 and 429."));
    assert_ne!(verdicts("[409]"), verdicts("[409, 429]"));
}

#[test]
fn a_decimal_is_heard_with_its_unit() {
    let sentences = explain::sentences(&policy("openai-anthropic")).join(" ");
    let expected = "The server names a time in `retry-after-ms` (milliseconds, decimals too), else in `retry-after` \
                    (seconds or a date, decimals too).";
    assert!(sentences.contains(expected), "{sentences}");
}

#[test]
fn the_reset_after_of_discord_is_read_with_its_decimals() {
    let wait = |field: &str| {
        let text = format!(
            "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[backoff]\nbase = 1\n[hints]\nspread = 0\nfields = [{field}]"
        );
        let document = Document::parse(&text, Format::Toml).unwrap();
        let replies = [Reply::Says(429, "x-ratelimit-reset-after", "1.57"), Reply::Status(200)];
        run(&document, &Request::new(Method::Get), Sample::ONE, &replies).waits
    };
    assert_eq!(wait("\"x-ratelimit-reset-after\""), [1_570]);
    assert_eq!(wait("{ name = \"x-ratelimit-reset-after\" }"), [1_570]);
    assert_eq!(wait("{ name = \"x-ratelimit-reset-after\", decimals = false }"), [1]);
}

#[test]
fn the_longest_waits_are_shown_as_a_table() {
    assert_eq!(
        explain::table(&policy("polite-default")).to_string(),
        "\
retry  after a fault that passes  after throttling  all waits so far
0      0 ms to 500 ms             0 ms to 1 s       up to 1 s
1      0 ms to 1 s                0 ms to 2 s       up to 3 s
2      0 ms to 2 s                0 ms to 4 s       up to 7 s
4 sends at most. All waits together: at most 7 s if the server names no time, 2 min if it does."
    );
    let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[limits]\nmax_attempts = 9\nmax_wait = \"3s\"\ndeadline = \"1h\"\n[backoff]\n\
                base = \"1s\"\ncap = \"4s\"\njitter = \"none\"\n[retry]\nthrottled = []\n[hints]\nfields = []";
    assert_eq!(
        explain::table(&Document::parse(text, Format::Toml).unwrap()).to_string(),
        "\
retry   after a fault that passes  all waits so far
0       1 s                        up to 1 s
1       2 s                        up to 3 s
2 to 7  4 s (*)                    up to 21 s
(*) deferred above 3 s
9 sends at most. All waits together: at most 21 s if the server names no time, 21 s if it does."
    );
    let once = text.replace("max_attempts = 9", "max_attempts = 1");
    assert_eq!(
        explain::table(&Document::parse(&once, Format::Toml).unwrap()).to_string(),
        "1 send. All waits together: at most 0 ms if the server names no time, 0 ms if it does."
    );
}

#[test]
fn a_long_table_shows_its_beginning_and_its_end() {
    let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[limits]\nmax_attempts = 40\n[backoff]\ncap = \"none\"";
    let table = explain::table(&Document::parse(text, Format::Toml).unwrap()).to_string();
    let firsts: Vec<_> = table.lines().map(|line| line.split("  ").next().unwrap()).collect();
    assert_eq!(firsts[13..18], ["12", "13", "…", "37", "38"]);
    assert_eq!(table.lines().count(), 20);
}

#[test]
fn the_longest_time_of_the_server_is_reached() {
    let document = policy("openai-anthropic");
    let longest = [Reply::Says(503, "retry-after-ms", "60000")];
    let story = run(&document, &Request::new(Method::Get), Sample::ONE, &longest);
    let total = story.waits.iter().sum();
    assert_eq!(explain::table(&document).with_hints, Some(Millis::new(total)));
    assert_eq!(total, 120_000);
}

#[derive(Clone, Copy, Debug)]
enum Result {
    Status(u16),
    Hint(u64),
    Fails(FailureKind),
    TimesOut,
}

fn results() -> impl Strategy<Value = Vec<Result>> {
    let result = prop_oneof![
        (400..=599_u16).prop_map(Result::Status),
        (0..200_000_u64).prop_map(Result::Hint),
        Just(Result::Fails(FailureKind::ConnectFailed)),
        Just(Result::TimesOut),
    ];
    collection::vec(result, 1..12)
}

/// A request that every document lets through, as far as it lets any.
fn story(document: &Document, results: &[Result], sample: Sample) -> Story {
    let rules = document.policy().rules();
    let methods = Method::ALL.into_iter().filter(|method| *method != Method::Other);
    let listed = |method: &Method| rules.methods.contains(*method) || rules.keyed_methods.contains(*method);
    let method = methods.into_iter().find(listed).unwrap_or(Method::Get);
    let request = Request { key: policy_core::IdempotencyKey::Honoured, ..Request::new(method) };
    let retried = (400..=599).find(|code| rules.retry.contains(*code)).unwrap_or(503);
    let field = rules.hint.fields.iter().find(|field| field.unit == policy_core::Unit::Milliseconds);
    let name = field.map(|field| field.name);
    let texts: Vec<_> = results.iter().map(Result::text).collect();
    let replies = results.iter().zip(&texts).map(|(result, text)| result.reply(retried, name, text));
    let replies: Vec<_> = replies.chain([Reply::Status(204)]).collect();
    run(document, &request, sample, &replies)
}

impl Result {
    fn text(&self) -> String {
        if let Self::Hint(ms) = self { ms.to_string() } else { String::new() }
    }

    fn reply<'a>(&self, retried: u16, name: Option<&'a str>, text: &'a str) -> Reply<'a> {
        match (*self, name) {
            (Self::Status(code), _) => Reply::Status(code),
            (Self::Hint(_), Some(name)) => Reply::Says(retried, name, text),
            (Self::Hint(_), None) => Reply::Status(retried),
            (Self::Fails(kind), _) => Reply::Fails(kind),
            (Self::TimesOut, _) => Reply::TimesOut,
        }
    }
}

proptest! {
    #[test]
    fn no_request_waits_longer_or_is_sent_more_often_than_the_table_says(
        settings in settings(), mut style in style(), results in results(), sample in any::<u32>()
    ) {
        let Ok(document) = style.document(&settings) else { return Ok(()) };
        let table = explain::table(&document);
        let story = story(&document, &results, Sample::new(sample));
        prop_assert!(story.sends <= table.sends);
        let total: u64 = story.waits.iter().sum();
        if let Some(with_hints) = table.with_hints {
            prop_assert!(total <= with_hints.get(), "{total} of {with_hints:?}");
        }
        if !results.iter().any(|result| matches!(result, Result::Hint(_))) {
            prop_assert!(total <= table.local.get(), "{total} of {:?}", table.local);
            for (wait, retry) in story.waits.iter().zip(&table.retries) {
                let classes = [Some(retry.transient), retry.throttled];
                let fits = classes.into_iter().flatten().any(|waits| waits.shortest.get() <= *wait && *wait <= waits.longest.get());
                prop_assert!(fits, "{wait} of {retry:?}");
            }
        }
        prop_assert!(explain::sentences(&document).iter().all(|sentence| sentence.ends_with('.') && !sentence.contains("  ")));
        prop_assert!(!table.to_string().is_empty());
    }
}
