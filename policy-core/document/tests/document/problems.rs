//! What is said of a document that is refused, or doubted.

use refrain_document::{Document, Format, Problems};

/// Line 4 is the first of what is added.
const HEAD: &str = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n";

fn parse(rest: &str) -> Result<Document, Problems> {
    Document::parse(&format!("{HEAD}{rest}"), Format::Toml)
}

/// All that is said, warnings of an accepted document included.
fn said(rest: &str) -> String {
    match parse(rest) {
        Ok(document) => document.warnings().to_string(),
        Err(problems) => problems.to_string(),
    }
}

fn all_say(cases: &[(&str, &str)]) {
    for (rest, expected) in cases {
        assert_eq!(said(rest), *expected, "of\n{rest}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let problems = Document::parse("", Format::Toml).unwrap_err();
    assert_eq!(
        problems.to_string(),
        "1:1: error: expected `schema = 1`, the version of the document's shape, found no key `schema`\n\
         1:1: error: expected a name such as `name = \"my-client\"`, found no key `name`\n\
         1:1: error: expected a version such as `version = \"1.0.0\"`, found no key `version`"
    );
}

#[test]
fn a_text_that_is_neither_toml_nor_json_is_refused_with_its_place() {
    let cases = [
        (Format::Toml, "a = [1,\n\n= 2", "3:1: error: this is no TOML: "),
        (Format::Toml, "a = 1\na = 2", "2:1: error: this is no TOML: duplicate key"),
        (Format::Json, "", "1:1: error: expected a JSON object, found nothing"),
        (Format::Json, "[]", "1:1: error: expected a table, found a list"),
        (Format::Json, "{\n  \"a\": 1,\n}", "3:1: error: this is no JSON: trailing comma"),
        (Format::Json, "{} // end", "1:4: error: this is no JSON: trailing characters"),
        (Format::Json, "{ a: 1 }", "1:3: error: this is no JSON: key must be a string"),
        (Format::Json, "{ \"a\": 0x10 }", "1:9: error: this is no JSON: "),
        (Format::Json, "{ \"a\": { \"b\": 1, \"b\": 2 } }", "1:18: error: the key `b` stands here twice"),
    ];
    for (format, text, expected) in cases {
        let problems = Document::parse(text, format).unwrap_err().to_string();
        assert!(problems.starts_with(expected), "of\n{text}\n{problems}");
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for (format, text) in [(Format::Json, "[".repeat(100_000)), (Format::Toml, format!("a = {}", "[".repeat(100_000)))]
    {
        assert!(Document::parse(&text, format).is_err());
    }
}

#[test]
fn an_unknown_key_is_refused_with_the_one_that_was_meant() {
    all_say(&[
        ("[limit]", "4:2: error: there is no key `limit` here; did you mean `limits`?"),
        ("[limits]\nmax-wait = 5", "5:1: error: there is no key `max-wait` here; did you mean `max_wait`?"),
        (
            "[limits]\nmax_retries = 3",
            "5:1: error: there is no key `max_retries` here; `limits.max_attempts` counts every send, the first included: \
             three retries are `max_attempts = 4`",
        ),
        (
            "[hints]\nclip = true",
            "5:1: error: there is no key `clip` here; what the server asks for is never shortened: above \
             `limits.max_wait` the request is deferred",
        ),
        ("[offline]\nxyz = 1", "5:1: error: there is no key `xyz` here; the keys here are `mode`"),
    ]);
}

#[test]
fn a_value_of_the_wrong_kind_or_range_is_refused() {
    all_say(&[
        (
            "description = \"a\\u001b[1m\"",
            "4:15: error: `description`: expected at most 2000 characters, and no control character but line ends",
        ),
        ("limits = 5", "4:10: error: `limits`: expected a table, found `5`"),
        ("budget = 5", "4:10: error: `budget`: expected a table, or \"none\", found `5`"),
        (
            "[limits]\nmax_attempts = 0",
            "5:16: error: `max_attempts`: expected a whole number from 1 to 10000, found `0`",
        ),
        (
            "[limits]\nmax_attempts = 1.5",
            "5:16: error: `max_attempts`: expected a whole number from 1 to 10000, found `1.5`",
        ),
        (
            "[limits]\ndeadline = 1979-05-27",
            "5:12: error: `deadline`: expected a duration such as \"30s\", whole milliseconds, or \"none\", found a date",
        ),
        (
            "[limits]\ndeadline = \"5\"",
            "5:12: error: `deadline`: expected a duration such as \"250ms\", \"30s\" or \"1h30m\", or whole milliseconds, found the text `5`",
        ),
        (
            "[limits]\ndeadline = \"0.5ms\"",
            "5:12: error: `deadline`: expected a duration of whole milliseconds, found `0.5ms`",
        ),
        ("[limits]\ndeadline = 1.5", "5:12: error: `deadline`: expected a duration of whole milliseconds, found `1.5`"),
        (
            "[limits]\ndeadline = 9007199254740991",
            "5:12: error: `deadline`: expected a duration of at most 9007199254740990 ms, found `9007199254740991`",
        ),
        (
            "[limits]\ndeadline_bounds = \"wait\"",
            "5:19: error: `deadline_bounds`: expected `waits` or `attempts`, found `wait`; did you mean `waits`?",
        ),
        (
            "[backoff]\nbase = \"none\"",
            "5:8: error: `base`: expected a duration such as \"250ms\", \"30s\" or \"1h30m\", or whole milliseconds, found `none`",
        ),
        (
            "[backoff]\nmultiplier = 1.05",
            "5:14: error: `multiplier`: expected 1.0, or a number from 1.1 to 100 with at most three decimals, found `1.05`",
        ),
        (
            "[backoff]\nmultiplier = 1e1",
            "5:14: error: `multiplier`: expected 1.0, or a number from 1.1 to 100 with at most three decimals, found `1e1`",
        ),
        (
            "[backoff]\njitter = { low = 1 }",
            "5:10: error: `jitter`: expected both `low` and `high`, such as { low = 0.8, high = 1.2 }, found a table",
        ),
        (
            "[backoff]\njitter = 1",
            "5:10: error: `jitter`: expected a jitter such as \"full\", or { low = 0.8, high = 1.2 }, found `1`",
        ),
        (
            "[hints]\nspread = 0.0001",
            "5:10: error: `spread`: expected a number from 0 to 100 with at most three decimals, found `0.0001`",
        ),
        (
            "[hints]\nspread = nan",
            "5:10: error: `spread`: expected a number from 0 to 100 with at most three decimals, found `nan`",
        ),
        ("[session]\nrequired = \"yes\"", "5:12: error: `required`: expected `true` or `false`, found `yes`"),
    ]);
}

#[test]
fn statuses_and_failures_are_told_what_they_may_be() {
    all_say(&[
        (
            "[retry]\nstatuses = [99, \"504-500\", \"5xx\", 503.5]",
            "5:13: error: `statuses`: expected a status from 100 to 599, or a range such as \"500-504\", found `99`\n\
             5:17: error: `statuses`: expected the lower status first, found `504-500`; write \"500-504\"\n\
             5:28: error: `statuses`: expected a status from 100 to 599, or a range such as \"500-504\", found `5xx`\n\
             5:35: error: `statuses`: expected a status from 100 to 599, or a range such as \"500-504\", found `503.5`",
        ),
        ("[retry]\nstatuses = [503, \"500-504\"]", "5:18: error: `statuses`: expected each item once"),
        (
            "[retry]\nfailures = [\"dns-failed\", \"permanent\"]",
            "5:27: error: `failures`: expected failures that can be retried, found `permanent`; it would fail again, so it \
             is never retried",
        ),
        (
            "[retry]\nfailures = [\"offline\"]",
            "5:13: error: `failures`: expected failures that can be retried, found `offline`; `offline.mode` says what is \
             done without a network",
        ),
        ("[retry]\nfailures = [\"ambiguous\", \"ambiguous\"]", "5:26: error: `failures`: expected each item once"),
    ]);
}

#[test]
fn no_hint_is_a_secret_or_of_unknown_unit_and_retry_after_counts_seconds() {
    for secret in ["Authorization", "set-cookie", "WWW-Authenticate", "proxy-authorization", "Authentication-Info"] {
        let said = said(&format!("[hints]\nfields = [\"{secret}\"]"));
        assert!(said.ends_with("a field that carries a secret never crosses into a policy"), "{said}");
    }
    let many: Vec<_> = (0..11).map(|at| format!("{{ name = \"x-{at}\", unit = \"seconds\" }}")).collect();
    all_say(&[
        (
            "[hints]\nfields = [\"date\"]",
            "5:11: error: `fields`: expected a field that says when to come back, found `date`; dates are measured against \
             the server's own with `clock = \"server-date\"`",
        ),
        (
            "[hints]\nfields = [\"X-RateLimit-Reset\"]",
            "5:11: error: `fields`: expected a unit for the field `x-ratelimit-reset`; some servers mean a moment, { name = \
             \"x-ratelimit-reset\", unit = \"epoch-seconds\" }, others a time from now, { name = \"x-ratelimit-reset\", unit \
             = \"seconds\" }",
        ),
        (
            "[hints]\nfields = [{ name = \"x-wait\" }]",
            "5:11: error: `fields`: expected a unit for the field `x-wait`; write { name = \"x-wait\", unit = \"seconds\" }, \
             or what its server means",
        ),
        (
            "[hints]\nfields = [{ name = \"retry-after\", unit = \"milliseconds\" }]",
            "5:42: error: `fields`: `retry-after` counts seconds (RFC 9110): another unit could send earlier than the server \
             asked; leave the unit out",
        ),
        (
            "[hints]\nfields = [{ name = \"x-should-retry\", bad_value = \"stop\" }]",
            "5:50: error: `fields`: a verdict is `true` or `false`, and every other value is ignored; leave it out",
        ),
        (
            "[hints]\nfields = [{ unit = \"seconds\" }]",
            "5:11: error: `fields`: expected a key `name` in this table, found none",
        ),
        ("[hints]\nfields = [\"retry-after\", \"Retry-After\"]", "5:26: error: `fields`: expected each item once"),
        (
            &format!("[hints]\nfields = [{}]", many.join(",")),
            "5:361: error: `fields`: expected at most 10 fields and 160 letters in all their names",
        ),
    ]);
}

#[test]
fn limits_that_leave_nothing_to_happen_are_refused() {
    all_say(&[
        (
            "[limits]\ndeadline = 0",
            "5:12: error: a deadline of 0 is over before anything is sent; write \"none\" for no limit",
        ),
        (
            "[limits]\nattempt_timeout = \"0s\"",
            "5:19: error: an attempt with a time-out of 0 is over before it begins; write \"none\" for no limit",
        ),
        (
            "[limits]\ndeadline = \"10s\"\nmax_wait = \"10001ms\"",
            "6:12: error: the longest wait is above the deadline, which no wait may reach",
        ),
        ("[limits]\ndeadline = \"10s\"\nmax_wait = \"10s\"", ""),
        (
            "[limits]\ndeadline_bounds = \"attempts\"\nattempt_timeout = \"3m\"",
            "6:19: error: the attempt time-out is above the deadline, which ends every attempt before; by default: a deadline of 2m",
        ),
        ("[limits]\nattempt_timeout = \"3m\"", ""),
        (
            "[limits]\ndeadline_bounds = \"attempts\"\ndeadline = \"none\"",
            "5:19: warning: there is no deadline that could bound attempts",
        ),
        (
            "[limits]\ndeadline = \"none\"\nmax_wait = \"none\"\n[offline]\nmode = \"connect-failed\"",
            "6:12: warning: nothing limits a wait: the server can hold a request for ever",
        ),
        (
            "[limits]\ndeadline = \"none\"\nmax_wait = \"none\"\n[hints]\nfields = [\"x-should-retry\"]",
            "6:12: warning: nothing limits a wait: a missing network can hold a request for ever",
        ),
        (
            "[limits]\ndeadline = \"none\"\nmax_wait = \"none\"\n[hints]\nfields = []\n[offline]\nmode = \"connect-failed\"",
            "",
        ),
        (
            "[limits]\ndeadline = \"none\"\nmax_wait = \"none\"",
            "6:12: warning: nothing limits a wait: the server, or a missing network, can hold a request for ever",
        ),
        (
            "[backoff]\njitter = { low = 1, high = 2 }\nbase = \"2s\"\n[limits]\nmax_wait = \"1s\"",
            "8:12: warning: even the shortest first wait, 2s, is above the longest: every retry without a hint is deferred",
        ),
        (
            "[backoff]\njitter = \"equal\"\nbase = \"20s\"\n[limits]\ndeadline = \"10s\"\nmax_wait = \"none\"",
            "8:12: warning: even the shortest first wait, 10s, reaches the deadline: nothing is retried",
        ),
    ]);
}

#[test]
fn backoffs_that_do_not_grow_or_bring_clients_together_are_found() {
    all_say(&[
        (
            "[backoff]\nbase = \"1s\"\ncap = \"999ms\"",
            "6:7: error: the cap is below the base, so that the backoff never grows",
        ),
        (
            "[backoff]\ncap = \"750ms\"\n[backoff.throttled]\nbase = \"1s\"",
            "5:7: error: the cap is below the base, so that the backoff never grows",
        ),
        (
            "[backoff]\njitter = { low = 1.2, high = 0.8 }",
            "5:10: error: expected `low` no greater than `high`; exchange the two",
        ),
        (
            "[backoff]\nbase = \"1s\"\nceiling = \"999ms\"",
            "6:11: error: the ceiling cuts even the first wait, so that clients come back together",
        ),
        (
            "[backoff]\nbase = \"1s\"\nceiling = \"1s\"\njitter = { low = 0.5, high = 0.9 }\nmultiplier = 1\ncap = \"none\"",
            "6:11: warning: the ceiling is never reached",
        ),
        ("[backoff]\nceiling = \"20s\"", "5:11: warning: the ceiling is never reached"),
        (
            "[backoff]\ncap = \"none\"\nceiling = \"5s\"",
            "6:11: warning: most later waits are cut to the ceiling, so that clients come back together; limit the bound with `cap`, which comes before jitter",
        ),
        ("[backoff]\njitter = { low = 0.8, high = 1.2 }\ncap = \"10s\"\nceiling = \"11s\"", ""),
        (
            "[backoff]\njitter = \"decorrelated\"\ncap = \"10s\"\nceiling = \"10s\"",
            "7:11: warning: the ceiling is never reached",
        ),
        ("[backoff]\ncap = 0", "5:7: warning: this backoff is always 0: retries follow at once"),
        ("[backoff]\nceiling = 0", "5:11: warning: this backoff is always 0: retries follow at once"),
        ("[backoff]\nbase = 0", "5:8: warning: this backoff is always 0: retries follow at once"),
        (
            "[backoff]\njitter = { low = 0, high = 0 }",
            "5:10: warning: this backoff is always 0: retries follow at once",
        ),
        (
            "[backoff]\nmultiplier = 1\ncap = \"5s\"",
            "6:7: warning: the cap is never reached: with a multiplier of 1 the backoff does not grow",
        ),
        ("[backoff]\nmultiplier = 1", ""),
        (
            "[backoff]\njitter = \"decorrelated\"\nmultiplier = 3",
            "6:14: warning: a decorrelated jitter grows by itself and takes no multiplier",
        ),
        (
            "[backoff]\njitter = \"full\"\n[backoff.throttled]\njitter = \"decorrelated\"",
            "5:10: error: either all classes have a decorrelated jitter or none: they share one series",
        ),
        (
            "[retry]\nthrottled = []\n[backoff.throttled]\nbase = \"2s\"",
            "7:8: warning: no status is throttled, so this has no effect",
        ),
        ("[retry]\nthrottled = []\n[backoff]\nbase = \"2s\"", ""),
    ]);
}

#[test]
fn what_is_retried_in_vain_or_by_mistake_is_found() {
    all_say(&[
        (
            "[retry]\nstatuses = [503]\nthrottled = [429]",
            "6:14: error: a throttled status has to be one of the statuses that are retried",
        ),
        (
            "[retry]\nthrottled = [418]",
            "5:14: error: a throttled status has to be one of the statuses that are retried; by default: 408, 429, 500, 502, 503, 504",
        ),
        (
            "[retry]\nstatuses = [101]",
            "5:13: warning: a status below 200 is no final answer, and clients do not report it",
        ),
        ("[retry]\nstatuses = [202]", "5:13: warning: a success is sent again: this is for polling, such as on a 202"),
        (
            "[retry]\nstatuses = [401]",
            "5:13: warning: a 401 comes again: signing in is the caller's business, and then the request is another one",
        ),
        ("[retry]\nstatuses = []\nfailures = []", "5:12: warning: nothing is retried: no status and no failure"),
        ("[retry]\nstatuses = []\nfailures = []\n[hints]\nfields = [\"x-should-retry\"]", ""),
    ]);
}

#[test]
fn writes_that_could_be_applied_twice_or_want_for_a_key_are_found() {
    all_say(&[
        (
            "[replay]\nmethods = [\"GET\", \"POST\"]",
            "5:19: warning: a repeated POST may be applied twice (RFC 9110 §9.2.2); list it in `keyed_methods` if the server honours a key",
        ),
        (
            "[replay]\nmethods = [\"GET\", \"PUT\"]\nkeyed_methods = [\"PUT\"]",
            "6:18: error: PUT may be repeated with a key only, or without one: not both",
        ),
        (
            "[replay]\nkey_field = \"none\"\nkeyed_methods = [\"POST\"]",
            "6:18: error: POST needs a key, but there is no field that carries one",
        ),
        (
            "[replay]\nkey_field = \"none\"\nkey_form = \"quoted\"",
            "6:12: warning: no key is sent, so its form has no effect",
        ),
        (
            "[replay]\nkey_field = \"Content-Length\"",
            "5:13: error: `key_field`: expected a request field that is free for a key, such as \"Idempotency-Key\", found `Content-Length`",
        ),
        (
            "[replay]\nkey_field = \"a b\"",
            "5:13: error: `key_field`: expected the name of a field: 1 to 64 letters, digits, `-`, `_` and `.`, found `a b`",
        ),
    ]);
}

#[test]
fn hints_that_are_never_read_or_never_matter_are_found() {
    all_say(&[
        (
            "[hints]\nstatuses = []",
            "5:12: error: the fields are read on no status; to ignore the server, write `fields = []`",
        ),
        ("[hints]\nstatuses = []\nfields = []", ""),
        (
            "[hints]\nzero = \"at-once\"",
            "5:8: error: `zero` needs `mode = \"instead\"`: else a hint of 0 is shorter than the local backoff, which holds; by default: `mode = \"at-least\"`",
        ),
        (
            "[hints]\nclock = \"server-date\"\nfields = [\"retry-after-ms\", \"x-should-retry\"]",
            "5:9: error: no field is read that names a moment, so there is nothing to measure by the server's clock",
        ),
        ("[hints]\nclock = \"server-date\"", ""),
        ("[hints]\nstatuses = [404]", "5:12: warning: hints are read on none of the statuses that are retried"),
        (
            "[hints]\nfields = [{ name = \"retry-after-ms\", unit = \"seconds\" }]",
            "5:11: warning: `retry-after-ms` is usually in another unit, `milliseconds`",
        ),
    ]);
}

#[test]
fn budgets_that_never_open_or_never_fill_are_found() {
    all_say(&[
        ("[budget]\ncapacity = 0", "5:12: error: even the full budget never allows a retry"),
        ("[budget]\ncapacity = 10\nretry = 11", "5:12: error: even the full budget never allows a retry"),
        ("[budget]\nthreshold = 500", "5:13: error: even the full budget never allows a retry"),
        ("[budget]\nthreshold = 499.999", ""),
        ("[budget]\non_failure = 496", "5:14: error: even the full budget never allows a retry"),
        ("[budget]\nthrottled = 501", "5:13: error: even the full budget never allows a throttled retry"),
        ("[budget]\nthrottled = 501\n[retry]\nthrottled = []", ""),
        ("[budget]\ntimed_out = 501", "5:13: error: even the full budget never allows a retry after a time-out"),
        (
            "[budget]\nsuccess = 0",
            "5:11: warning: a success without a retry gives nothing back, so that an empty budget stays empty",
        ),
    ]);
}

#[test]
fn a_default_gives_way_to_what_is_written() {
    let rules = |rest| parse(rest).unwrap().policy().rules();
    assert_eq!(rules("[limits]\ndeadline = \"10s\"").max_wait, Some(policy_core::Millis::from_secs(10)));
    assert!(rules("[retry]\nstatuses = [503]").throttle.is_empty());
    assert_eq!(rules("[replay]\nkey_field = \"none\"").keyed_methods, policy_core::MethodSet::EMPTY);
    let keyed = rules("[replay]\nkeyed_methods = [\"PUT\"]");
    assert!(!keyed.methods.contains(policy_core::Method::Put) && keyed.methods.contains(policy_core::Method::Get));
}

#[test]
fn contradictions_are_found_all_at_once_and_shown_at_both_places() {
    let problems = parse(
        "[limits]\ndeadline = \"10s\"\nmax_wait = \"20s\"\n[backoff]\nbase = \"5s\"\ncap = \"1s\"\n[hints]\nzero = \"at-once\"",
    )
    .unwrap_err()
    .in_file("policy.toml");
    assert_eq!(problems.len(), 3);
    assert_eq!(
        problems.render(false),
        "\
error: the longest wait is above the deadline, which no wait may reach
 --> policy.toml:6:12
  |
5 | deadline = \"10s\"
  |            ----- a deadline of 10s
6 | max_wait = \"20s\"
  |            ^^^^^ a wait of up to 20s

error: the cap is below the base, so that the backoff never grows
 --> policy.toml:9:7
  |
8 | base = \"5s\"
  |        ---- a base of 5s
9 | cap = \"1s\"
  |       ^^^^ a cap of 1s

error: `zero` needs `mode = \"instead\"`: else a hint of 0 is shorter than the local backoff, which holds
  --> policy.toml:11:8
   |
11 | zero = \"at-once\"
   |        ^^^^^^^^^ has no effect
   |
   = help: by default: `mode = \"at-least\"`"
    );
    assert!(!problems.render(false).contains('\u{1b}') && problems.render(true).contains('\u{1b}'));
}

#[test]
fn places_are_counted_in_characters() {
    let problems = Document::parse("{ \"näme\": 1 }", Format::Json).unwrap_err();
    let unknown = problems.iter().find(|problem| problem.message.contains("näme")).unwrap();
    let position = problems.position(&unknown.place);
    assert_eq!((position.line, position.column), (1, 3));
    let text = format!("{HEAD}description = \"Größe\" # ä\nlimit = 1");
    let problems = Document::parse(&text, Format::Toml).unwrap_err();
    assert!(problems.to_string().starts_with("5:1: "), "{problems}");
}

/// The first block of this language in the README.
fn in_the_readme(language: &str) -> &'static str {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once(&format!("```{language}\n")).expect("a block of this language");
    rest.split_once("```").expect("the end of the block").0
}

#[test]
fn the_example_of_the_readme_is_accepted_and_refused_as_it_says() {
    let text = in_the_readme("toml");
    assert!(Document::parse(text, Format::Toml).unwrap().warnings().is_empty());
    let broken = text.replace("deadline = \"30s\"", "deadline = \"30s\"\nmax_wait = \"1m\"");
    let problems = Document::parse(&broken, Format::Toml).unwrap_err().in_file("orders-client.toml");
    assert_eq!(problems.render(false).trim_end(), in_the_readme("text").trim_end());
}

#[test]
fn a_description_of_several_lines_may_end_them_as_windows_does() {
    for ends in ["\"\"\"\nFirst.\nSecond.\n\"\"\"", "\"First.\\nSecond.\\n\"", "\"First.\\r\\nSecond.\\r\\n\""] {
        let text = format!("{HEAD}description = {ends}\n");
        let unix = Document::parse(&text, Format::Toml).unwrap();
        let windows = Document::parse(&text.replace('\n', "\r\n"), Format::Toml).unwrap();
        assert_eq!(unix.description(), "First.\nSecond.\n");
        assert_eq!(windows, unix);
        assert_eq!(windows.to_canonical_json(), unix.to_canonical_json());
    }
    assert!(said("description = \"a\\rb\"").contains("no control character but line ends"));
}

#[test]
fn json_is_what_rfc_8259_says_and_not_what_a_lax_parser_takes() {
    let control = "control character (\\u0000-\\u001F) found while parsing a string";
    let cases = [
        ("{\n\"a\": \"one\ntwo\" }", "2:", control),
        ("{ \"a\": \"one\ttwo\" }", "1:", control),
        ("{\n\"a\":\u{a0}1 }", "2:5: ", "expected value"),
        ("{\n\u{b}\"a\": 1 }", "2:1: ", "key must be a string"),
        ("{\u{2028}}", "1:2: ", "key must be a string"),
        ("\u{feff}{}", "1:1: ", "expected value"),
        ("{ \"a\": \"\\ud800\" }", "1:", "unexpected end of hex escape"),
        ("{ \"a\": \"\\x\" }", "1:", "invalid escape"),
        ("{ \"ä\": 01 }", "1:9: ", "invalid number"),
        ("{", "1:1: ", "EOF while parsing an object"),
    ];
    for (text, place, what) in cases {
        let problems = Document::parse(text, Format::Json).unwrap_err();
        let said = problems.to_string();
        assert!(
            said.starts_with(place) && said.contains(&format!("error: this is no JSON: {what}")),
            "{text:?}\n{said}"
        );
        assert_eq!(problems.len(), 1);
        assert!(!problems.render(false).is_empty());
    }
}

#[test]
fn a_document_that_is_longer_than_any_is_refused_unread() {
    let fill = |text: &str, len: usize| format!("{text}#{}", " ".repeat(len - text.len() - 1));
    let most = refrain_document::DOCUMENT_MAX;
    assert!(Document::parse(&fill(HEAD, most), Format::Toml).is_ok());
    let problems = Document::parse(&fill("= broken", most + 1), Format::Toml).unwrap_err();
    assert_eq!(problems.to_string(), "1:1: error: expected a document of at most 65536 bytes, found 65537");
    assert!(problems.render(false).starts_with("error: expected a document of at most 65536 bytes, found 65537"));
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_refused() {
    let error = refrain_document::read("/dev/zero").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    assert_eq!(error.to_string(), "expected a document of at most 65536 bytes, found more");
}

#[test]
fn a_file_is_read_whole() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/stripe.toml");
    assert_eq!(refrain_document::read(path).unwrap(), refrain_document::ready::find("stripe").unwrap().toml);
    assert_eq!(refrain_document::read("no-such-file").unwrap_err().kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn only_what_cannot_be_read_is_said_to_be_the_first_of_the_problems() {
    let unread = parse("limits = { max_attempts = 0, max_wait = \"long\", deadline = \"1s\" }").unwrap_err();
    let contradiction = parse("limits = { max_wait = \"2s\", deadline = \"1s\" }").unwrap_err();
    assert!(unread.are_first() && unread.render(false).ends_with("once all of them can be read"));
    assert!(!contradiction.are_first() && !contradiction.render(false).contains("once all of them"));
}

#[test]
fn a_unit_that_is_unknown_is_one_problem_and_a_missing_one_is_guessed_from_the_name() {
    let problem = |field: &str| parse(&format!("hints.fields = [{field}]")).unwrap_err().to_string();
    assert_eq!(problem("{ name = \"x-pause-ms\", unit = \"ms\" }").lines().count(), 1);
    assert!(problem("\"x-pause-ms\"").contains("unit = \"milliseconds\""));
    assert!(problem("\"x-pause\"").contains("unit = \"seconds\""));
}

#[test]
fn of_thousands_of_problems_the_first_are_shown_and_the_others_counted() {
    let unknown: Vec<_> = (0..7_000).map(|at| format!("k{at}=1\n")).collect();
    let twice: Vec<_> = (0..7_000).map(|_| "\n\"a\":1".to_owned()).collect();
    let problems = [
        (parse(&unknown[..21].concat()).unwrap_err(), 21, "and 1 more problem"),
        (parse(&unknown.concat()).unwrap_err(), 7_000, "and 6980 more problems"),
        (
            Document::parse(&format!("{{{}}}", twice.join(",")), Format::Json).unwrap_err(),
            6_999,
            "and 6979 more problems",
        ),
    ];
    for (problems, count, end) in problems {
        let shown = problems.render(false);
        assert_eq!((problems.len(), shown.matches("error: ").count()), (count, 20));
        let rest = "\n\ncontradictions between settings are looked for once all of them can be read";
        assert!(shown.strip_suffix(rest).is_some_and(|shown| shown.ends_with(end)), "{shown}");
        assert_eq!(problems.to_string().lines().count(), count);
    }
    assert!(!parse(&unknown[..20].concat()).unwrap_err().render(false).contains("more problem"));
}

#[test]
fn no_default_of_the_backoff_contradicts_what_is_written() {
    let classes = |rest: &str| {
        let document = parse(rest).unwrap_or_else(|problems| panic!("{rest}\n{problems}"));
        let rules = document.policy().rules();
        [rules.transient, rules.throttled]
    };
    let bounds = |rest| classes(rest).map(|class| (class.base.get(), class.cap.get()));
    let jitters = |rest| classes(rest).map(|class| class.jitter);
    assert_eq!(bounds("[backoff]\ncap = \"800ms\""), [(500, 800), (800, 800)]);
    assert_eq!(bounds("[backoff]\nbase = \"30s\""), [(30_000, 30_000); 2]);
    assert_eq!(bounds("[backoff]\nceiling = \"800ms\""), [(500, 20_000), (800, 20_000)]);
    assert_eq!(bounds("[backoff]\nceiling = \"300ms\"\njitter = { low = 0, high = 1.5 }"), [(200, 20_000); 2]);
    assert_eq!(bounds("[backoff.throttled]\nbase = \"1m\""), [(500, 20_000), (60_000, 60_000)]);
    assert_eq!(bounds("[backoff.transient]\ncap = \"100ms\""), [(100, 100), (1_000, 20_000)]);
    assert_eq!(bounds("[backoff.throttled]\nceiling = \"100ms\""), [(500, 20_000), (100, 20_000)]);
    assert_eq!(bounds("[backoff]\ncap = \"100ms\"\nceiling = \"50ms\""), [(50, 100); 2]);
    let all = [policy_core::Jitter::Decorrelated; 2];
    assert_eq!(jitters("[backoff.transient]\njitter = \"decorrelated\"\n[retry]\nthrottled = []"), all);
    assert_eq!(jitters("[backoff.throttled]\njitter = \"decorrelated\""), all);
    assert_ne!(jitters("[backoff.throttled]\njitter = \"equal\"")[0], policy_core::Jitter::Equal);
}

#[test]
fn a_hint_field_with_a_slip_is_told_its_name_and_not_a_unit() {
    let slips = [
        ("retry-afer", "retry-after"),
        ("Retry_After", "retry-after"),
        ("retry-after-msec", "retry-after-ms"),
        ("x-should-retri", "x-should-retry"),
        ("x-rate-limit-reset", "x-ratelimit-reset"),
        ("grpc-retry-pushback", "grpc-retry-pushback-ms"),
    ];
    for (slip, meant) in slips {
        for field in [format!("\"{slip}\""), format!("{{ name = \"{slip}\" }}")] {
            let said = said(&format!("[hints]\nfields = [{field}]"));
            assert!(said.ends_with(&format!("; did you mean `{meant}`?")), "{said}");
        }
    }
    assert_eq!(said("[hints]\nfields = [{ name = \"retry-afer\", unit = \"seconds\" }]"), "");
}

#[test]
fn a_retried_status_without_hints_beside_others_with_hints_is_doubted() {
    all_say(&[
        (
            "[hints]\nstatuses = [429]",
            "5:12: warning: no hint is read on 408, 500, 502-504, retried all the same: the server may be asked again too early",
        ),
        ("[hints]\nstatuses = [429]\n[retry]\nstatuses = [429]", ""),
        ("[hints]\nstatuses = [408, 429, \"500-599\"]", ""),
        ("[hints]\nstatuses = [429]\nfields = [\"x-should-retry\"]", ""),
    ]);
}

#[test]
fn limits_that_most_first_waits_pass_are_doubted() {
    all_say(&[
        (
            "[limits]\nmax_wait = \"0s\"",
            "5:12: warning: a first wait may be up to 1s, which is above the longest: such a retry is deferred; by default: a \
             first wait of up to 1s",
        ),
        (
            "[limits]\ndeadline = \"800ms\"",
            "5:12: warning: a first wait may be up to 1s, which reaches the deadline: such a retry is not made; by default: a \
             first wait of up to 1s",
        ),
        ("[limits]\ndeadline = \"1001ms\"", ""),
        ("[limits]\nmax_wait = \"1s\"", ""),
        ("[limits]\nmax_wait = \"500ms\"\n[retry]\nthrottled = []", ""),
    ]);
}

#[test]
fn a_backoff_without_anything_random_is_doubted() {
    let message = "all clients wait the same time, so that those who failed together come back together";
    for jitter in ["\"none\"", "{ low = 1, high = 1 }"] {
        assert_eq!(said(&format!("[backoff]\njitter = {jitter}")), format!("5:10: warning: {message}"));
    }
    for jitter in ["\"full\"", "\"equal\"", "\"decorrelated\"", "{ low = 0.9, high = 1 }"] {
        assert_eq!(said(&format!("[backoff]\njitter = {jitter}")), "");
    }
}

#[test]
fn a_wide_range_of_statuses_is_doubted_for_each_class_in_it() {
    let said = said("[retry]\nstatuses = [\"100-599\"]");
    let doubts: Vec<_> = said.lines().collect();
    assert_eq!(doubts.len(), 3, "{said}");
    for (doubt, begins) in doubts.iter().zip(["a status below 200", "a success is sent again", "a 401 comes again"]) {
        assert!(doubt.starts_with(&format!("5:13: warning: {begins}")), "{doubt}");
    }
}

#[test]
fn no_key_is_written_into_a_field_of_secrets_or_of_responses() {
    let taken = ["X-Api-Key", "cookie", "Set-Cookie", "x-amz-security-token", "Retry-After", "x-should-retry", "Date"];
    for name in taken.into_iter().chain(["Server", "ETag", "Content-Type", "Transfer-Encoding", "X-RateLimit-Reset"]) {
        let said = said(&format!("[replay]\nkey_field = \"{name}\""));
        let expected = "`key_field`: expected a request field that is free for a key, such as \"Idempotency-Key\"";
        assert_eq!(said, format!("5:13: error: {expected}, found `{name}`"));
    }
}

#[test]
fn the_word_for_no_key_is_no_field_in_any_case() {
    for word in ["none", "None", "NONE"] {
        let document = parse(&format!("[replay]\nkey_field = \"{word}\"")).unwrap();
        assert_eq!(document.host().key, None, "{word}");
    }
}

#[test]
fn the_keys_of_a_table_are_listed_once() {
    let said = Document::parse("xyzzy = 1", Format::Toml).unwrap_err().to_string();
    let keys = said.lines().find(|line| line.contains("the keys here are")).unwrap();
    for key in ["`schema`", "`name`", "`version`", "`budget`", "`limits`"] {
        assert_eq!(keys.matches(key).count(), 1, "{keys}");
    }
}

#[test]
fn a_number_or_switch_in_quotes_is_called_a_text() {
    let schema = Document::parse("schema = \"1\"\nname = \"a\"\nversion = \"1.0.0\"", Format::Toml).unwrap_err();
    assert_eq!(
        schema.to_string(),
        "1:10: error: `schema`: expected `1`, the version of the document's shape, found the text `1`"
    );
    all_say(&[
        (
            "[retry]\nstatuses = [\"500\"]",
            "5:13: error: `statuses`: expected a status from 100 to 599, or a range such as \"500-504\", found the text `500`",
        ),
        (
            "[session]\nrequired = \"true\"",
            "5:12: error: `required`: expected `true` or `false`, found the text `true`",
        ),
    ]);
}
