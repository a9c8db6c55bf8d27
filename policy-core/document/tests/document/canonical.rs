//! Equal documents are equal however they are written, and compile to the same bytes.

use std::collections::BTreeMap;

use policy_core::{FailureKind, Method, Millis};
use proptest::{collection, prelude::*, sample};
use refrain_document::{Document, Format, Problems, decimal, duration, ready};

/// A value of a setting, before it is spelled.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Word(&'static str),
    Number(u32),
    Thousandths(u32),
    Switch(bool),
    Span(u64),
    /// In any order.
    Words(Vec<&'static str>),
    Statuses(Vec<u16>),
    Table(Vec<(&'static str, Value)>),
    /// In this order.
    List(Vec<Value>),
}

/// What a document says, by section and key.
pub(super) type Settings = BTreeMap<(&'static str, &'static str), Value>;

/// Settings that do not contradict themselves.
pub(super) fn settings() -> impl Strategy<Value = Settings> {
    let sections = (limits(), backoff(), retry(), replay(), hints(), budget(), host());
    sections.prop_map(|(limits, backoff, retry, replay, hints, budget, host)| {
        let sections = [
            ("limits", limits),
            ("backoff", backoff),
            ("retry", retry),
            ("replay", replay),
            ("hints", hints),
            ("budget", budget),
        ];
        let all = sections
            .into_iter()
            .flat_map(|(section, settings)| settings.into_iter().map(move |(key, value)| ((section, key), value)));
        all.chain(host).collect()
    })
}

type Section = Vec<(&'static str, Value)>;

fn limit(range: std::ops::Range<u64>) -> impl Strategy<Value = Value> {
    prop_oneof![3 => range.prop_map(Value::Span), 1 => Just(Value::Word("none"))]
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    sample::select(words).prop_map(Value::Word)
}

fn limits() -> impl Strategy<Value = Section> {
    let deadline = limit(100_000..(1 << 53) - 1);
    (1..=10_000_u32, deadline, limit(1..100_000), limit(0..100_000), word(&["waits", "attempts"])).prop_map(
        |(attempts, deadline, timeout, wait, bounds)| {
            vec![
                ("max_attempts", Value::Number(attempts)),
                ("deadline", deadline),
                ("attempt_timeout", timeout),
                ("max_wait", wait),
                ("deadline_bounds", bounds),
            ]
        },
    )
}

fn backoff() -> impl Strategy<Value = Section> {
    let multiplier = prop_oneof![Just(1_000), 1_100..=100_000_u32];
    let scaled = (0..=1_000_u32, 1_000..=2_000_u32).prop_map(|(low, high)| {
        Value::Table(vec![("low", Value::Thousandths(low)), ("high", Value::Thousandths(high))])
    });
    let jitter = prop_oneof![word(&["none", "full", "equal"]), scaled];
    (0..10_000_u64, 0..10_000_u64, multiplier, limit(10_000..1 << 40), limit(20_000..1 << 40), jitter, any::<bool>())
        .prop_map(|(base, throttled, multiplier, cap, ceiling, jitter, decorrelated)| {
            let jitter = if decorrelated { Value::Word("decorrelated") } else { jitter };
            vec![
                ("base", Value::Span(base)),
                ("multiplier", Value::Thousandths(multiplier)),
                ("cap", cap),
                ("ceiling", ceiling),
                ("jitter", jitter),
                ("throttled", Value::Table(vec![("base", Value::Span(throttled))])),
            ]
        })
}

fn retry() -> impl Strategy<Value = Section> {
    let codes = sample::subsequence((400..=599).collect::<Vec<u16>>(), 0..=200);
    let statuses =
        codes.prop_flat_map(|codes| (Just(codes.clone()), sample::subsequence(codes.clone(), 0..=codes.len())));
    let kinds = FailureKind::ALL.map(FailureKind::name)[..5].to_vec();
    (statuses, sample::subsequence(kinds, 0..=5)).prop_map(|((statuses, throttled), failures)| {
        vec![
            ("statuses", Value::Statuses(statuses)),
            ("throttled", Value::Statuses(throttled)),
            ("failures", Value::Words(failures)),
        ]
    })
}

fn replay() -> impl Strategy<Value = Section> {
    let names: Vec<_> = Method::ALL.map(Method::name).into_iter().filter(|name| !name.is_empty()).collect();
    let sides = collection::vec(0..3_u8, names.len());
    (sides, word(&["idempotency-key", "X-Request-Key"]), word(&["bare", "quoted"])).prop_map(
        move |(sides, field, form)| {
            let side = |side| names.iter().zip(&sides).filter(|(_, at)| **at == side).map(|(name, _)| *name).collect();
            vec![
                ("methods", Value::Words(side(1))),
                ("keyed_methods", Value::Words(side(2))),
                ("key_field", field),
                ("key_form", form),
            ]
        },
    )
}

fn hint_field(name: &'static str) -> impl Strategy<Value = Value> {
    let unit = word(if name == "retry-after" {
        &["seconds"]
    } else {
        &["seconds", "milliseconds", "pushback-milliseconds", "epoch-seconds", "epoch-milliseconds"]
    });
    (unit, any::<bool>(), word(&["next", "backoff", "stop"])).prop_map(move |(unit, decimals, bad_value)| {
        Value::Table(vec![
            ("name", Value::Word(name)),
            ("unit", unit),
            ("decimals", Value::Switch(decimals)),
            ("bad_value", bad_value),
        ])
    })
}

fn hints() -> impl Strategy<Value = Section> {
    let verdict = word(&["x-should-retry", "stripe-should-retry"]);
    let timing = (hint_field("x-wait"), hint_field("retry-after-ms"), hint_field("retry-after"), any::<u8>());
    let fields = (verdict, timing).prop_map(|(verdict, (one, two, three, which))| {
        let all = [verdict, one, two, three].into_iter().enumerate();
        let mut some: Vec<_> = all.filter(|(at, _)| which >> at & 1 == 1).map(|(_, field)| field).collect();
        let first = usize::from(which >> 4) % some.len().max(1);
        some.rotate_left(first);
        some
    });
    let codes = sample::subsequence((100..=599).collect::<Vec<u16>>(), 1..=500).prop_map(Value::Statuses);
    let statuses = prop_oneof![Just(Value::Word("all")), codes];
    let mode = prop_oneof![
        Just(vec![("mode", Value::Word("at-least"))]),
        word(&["backoff", "at-once"]).prop_map(|zero| vec![("mode", Value::Word("instead")), ("zero", zero)]),
    ];
    (fields, statuses, mode, 0..=100_000_u32, any::<[bool; 3]>(), word(&["lower-bound", "backoff"])).prop_map(
        |(fields, statuses, mode, spread, [obsolete, strict, resets], unreadable)| {
            let others = [
                ("fields", Value::List(fields)),
                ("statuses", statuses),
                ("spread", Value::Thousandths(spread)),
                ("obsolete_dates", Value::Switch(obsolete)),
                ("strict_dates", Value::Switch(strict)),
                ("resets_backoff", Value::Switch(resets)),
                ("unreadable", unreadable),
            ];
            others.into_iter().chain(mode).collect()
        },
    )
}

fn budget() -> impl Strategy<Value = Section> {
    let tokens = || (0..=1_000_u32).prop_map(Value::Thousandths);
    let parts =
        (10_000..=1_000_000_000_u32, [(); 6].map(|()| tokens()), any::<bool>(), word(&["policy", "host", "key"]));
    parts.prop_map(|(capacity, [on_failure, retry, throttled, timed_out, success, threshold], refund, per)| {
        vec![
            ("capacity", Value::Thousandths(capacity)),
            ("on_failure", on_failure),
            ("retry", retry),
            ("throttled", throttled),
            ("timed_out", timed_out),
            ("success", success),
            ("threshold", threshold),
            ("refund", Value::Switch(refund)),
            ("per", per),
        ]
    })
}

fn host() -> impl Strategy<Value = Vec<((&'static str, &'static str), Value)>> {
    (word(&["await", "connect-failed"]), any::<bool>()).prop_map(|(mode, required)| {
        vec![(("offline", "mode"), mode), (("session", "required"), Value::Switch(required))]
    })
}

/// How one document is spelled: each choice takes the next number.
#[derive(Clone, Debug)]
pub(super) struct Style {
    choices: Vec<u8>,
    at: usize,
    format: Format,
}

impl Style {
    fn choose(&mut self, among: usize) -> usize {
        self.at += 1;
        usize::from(self.choices[self.at % self.choices.len()]) % among
    }

    fn shuffled<T>(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut items: Vec<_> = items.into_iter().collect();
        for at in (1..items.len()).rev() {
            items.swap(at, self.choose(at + 1));
        }
        items
    }

    /// The text of a document.
    fn text(&mut self, settings: &Settings) -> String {
        let head = [("schema", Value::Number(1)), ("name", Value::Word("a")), ("version", Value::Word("1.0.0"))];
        let mut sections: BTreeMap<&str, Section> = BTreeMap::new();
        for ((section, key), value) in settings {
            sections.entry(section).or_default().push((key, value.clone()));
        }
        let (head, sections) = (self.shuffled(head), self.shuffled(sections));
        match self.format {
            Format::Json => {
                let sections = sections.into_iter().map(|(name, section)| (name, Value::Table(section)));
                let members = self.shuffled(head.into_iter().chain(sections));
                self.value(&Value::Table(members))
            }
            Format::Toml => {
                let head: Vec<_> = head.iter().map(|(key, value)| format!("{key} = {}\n", self.value(value))).collect();
                // Dotted keys and inline tables belong to the root, so they come before the first header.
                let mut parts: Vec<_> =
                    sections.into_iter().map(|(name, section)| self.section(name, section)).collect();
                parts.sort_by_key(|part| part.starts_with('['));
                format!("{}{}", head.concat(), parts.concat())
            }
        }
    }

    /// A section of a TOML document.
    fn section(&mut self, name: &str, section: Section) -> String {
        let form = self.choose(3);
        if form == 0 {
            return format!("{name} = {}\n", self.value(&Value::Table(section)));
        }
        let prefix = if form == 1 { format!("{name}.") } else { String::new() };
        let section = self.shuffled(section);
        let lines = section.iter().map(|(key, value)| format!("{prefix}{key} = {}\n", self.value(value)));
        let lines: Vec<_> = lines.collect();
        let header = if form == 1 { String::new() } else { format!("[{name}]\n") };
        format!("{header}{}", lines.concat())
    }

    fn value(&mut self, value: &Value) -> String {
        match value {
            Value::Word(word) => quoted(word),
            Value::Number(number) => number.to_string(),
            Value::Switch(on) => on.to_string(),
            Value::Thousandths(thousandths) => self.decimal(*thousandths),
            Value::Span(ms) => self.span(*ms),
            Value::Words(words) => list(self.shuffled(words).into_iter().map(|word| quoted(word))),
            Value::Statuses(codes) => self.statuses(codes),
            Value::List(items) => list(items.iter().map(|item| self.value(item)).collect::<Vec<_>>()),
            Value::Table(entries) => {
                let entries = self.shuffled(entries);
                let entry = |(key, value): &(&str, Value)| match self.format {
                    Format::Json => format!("{}: {}", quoted(key), self.value(value)),
                    Format::Toml => format!("{key} = {}", self.value(value)),
                };
                format!("{{ {} }}", entries.into_iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn decimal(&mut self, thousandths: u32) -> String {
        let (whole, fraction) = (thousandths / 1_000, thousandths % 1_000);
        match self.choose(2) {
            0 if fraction == 0 => whole.to_string(),
            _ => format!("{whole}.{fraction:03}"),
        }
    }

    fn span(&mut self, ms: u64) -> String {
        match self.choose(4) {
            0 => ms.to_string(),
            1 => quoted(&format!("{ms}ms")),
            2 => quoted(&format!("{}.{:03}s", ms / 1_000, ms % 1_000)),
            _ => quoted(&duration::written(Millis::new(ms))),
        }
    }

    /// Each run of codes cut into pieces, in any order.
    fn statuses(&mut self, codes: &[u16]) -> String {
        let mut pieces: Vec<(u16, u16)> = Vec::new();
        for code in codes {
            match pieces.last_mut() {
                Some((_, last)) if *last + 1 == *code && self.choose(4) > 0 => *last = *code,
                _ => pieces.push((*code, *code)),
            }
        }
        list(self.shuffled(pieces).into_iter().map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => quoted(&format!("{first}-{last}")),
        }))
    }

    pub(super) fn document(&mut self, settings: &Settings) -> Result<Document, Problems> {
        Document::parse(&self.text(settings), self.format)
    }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

pub(super) fn style() -> impl Strategy<Value = Style> {
    let format = prop_oneof![Just(Format::Toml), Just(Format::Json)];
    (collection::vec(any::<u8>(), 64), format).prop_map(|(choices, format)| Style { choices, at: 0, format })
}

fn parsed(text: &str, format: Format) -> Document {
    Document::parse(text, format).unwrap_or_else(|problems| panic!("{text}\n{problems}"))
}

fn toml(rest: &str) -> Document {
    parsed(&format!("schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n{rest}"), Format::Toml)
}

#[test]
fn a_class_takes_its_own_setting_else_that_of_every_class_else_its_default() {
    let bases = |rest| {
        let rules = toml(rest).policy().rules();
        [rules.transient.base.get(), rules.throttled.base.get()]
    };
    assert_eq!(bases(""), [500, 1_000]);
    assert_eq!(bases("[backoff]\nbase = 7"), [7, 7]);
    assert_eq!(bases("[backoff.transient]\nbase = 7"), [7, 1_000]);
    assert_eq!(bases("[backoff]\nbase = 7\ntransient = { base = 8 }\nthrottled = { base = 9 }"), [8, 9]);
    assert_eq!(bases("[backoff]\nbase = 7\nthrottled = { cap = \"5s\" }"), [7, 7]);
}

#[test]
fn the_case_of_a_field_and_the_editors_schema_mean_nothing() {
    let plain = "[replay]\nkey_field = \"x-key\"\n[hints]\nfields = [\"retry-after-ms\"]";
    let other = "\"$schema\" = \"a.json\"\n[replay]\nkey_field = \"X-Key\"\n[hints]\nfields = [\"Retry-After-Ms\"]";
    assert_eq!(toml(plain), toml(other));
    assert_eq!(toml(plain).to_canonical_json(), toml(other).to_canonical_json());
}

#[test]
fn warnings_do_not_count() {
    let (doubtful, plain) = (toml("[backoff]\nmultiplier = 1\ncap = \"20s\""), toml("[backoff]\nmultiplier = 1"));
    assert_eq!((doubtful.warnings().len(), plain.warnings().len()), (1, 0));
    assert_eq!(doubtful, plain);
}

proptest! {
    #[test]
    fn the_spelling_of_a_document_means_nothing(settings in settings(), styles in [style(), style(), style(), style()]) {
        let documents = styles.map(|mut style| parsed(&style.text(&settings), style.format));
        for document in &documents {
            prop_assert_eq!(document, &documents[0]);
            prop_assert_eq!(document.to_canonical_json(), documents[0].to_canonical_json());
            prop_assert_eq!(document.policy().to_bytes(), documents[0].policy().to_bytes());
            prop_assert_eq!(document.slot().to_bytes(), documents[0].slot().to_bytes());
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_document(settings in settings(), mut style in style()) {
        let document = parsed(&style.text(&settings), style.format);
        let canonical = document.to_canonical_json();
        prop_assert_eq!(&parsed(&canonical, Format::Json), &document);
        prop_assert_eq!(parsed(&canonical, Format::Json).to_canonical_json(), canonical);
        prop_assert_eq!(&parsed(&document.to_toml(), Format::Toml), &document);
    }

    #[test]
    fn a_default_may_be_spelled_out_or_left_out(settings in settings(), mut style in style(), out in collection::vec(any::<bool>(), 40)) {
        let short = settings.into_iter().zip(out).filter(|(_, out)| !out).map(|(setting, _)| setting).collect();
        if let Ok(document) = style.document(&short) {
            prop_assert_eq!(&parsed(&document.to_canonical_json(), Format::Json), &document);
            prop_assert_eq!(&parsed(&document.to_toml(), Format::Toml), &document);
        }
    }

    #[test]
    fn documents_are_equal_exactly_if_their_canonical_json_is(
        one in settings(), other in settings(), key in any::<sample::Index>(), mut style in style()
    ) {
        // They differ in one setting, or in none.
        let key = *key.get(&one.keys().copied().collect::<Vec<_>>());
        let mut changed = one.clone();
        if let Some(value) = other.get(&key) {
            changed.insert(key, value.clone());
        }
        if let (Ok(one), Ok(other)) = (style.document(&one), style.document(&changed)) {
            let same = one.to_canonical_json() == other.to_canonical_json();
            prop_assert_eq!(same, one == other);
            prop_assert_eq!(same, one.slot() == other.slot() && one.host() == other.host());
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in ".{0,200}", cut in any::<sample::Index>()) {
        for format in [Format::Toml, Format::Json] {
            let _ = Document::parse(&text, format);
        }
        let toml = ready::find("polite-default").unwrap().toml;
        let at = toml.char_indices().map(|(at, _)| at).nth(cut.index(toml.len())).unwrap_or(0);
        for broken in [toml[..at].to_owned(), format!("{}{text}{}", &toml[..at], &toml[at..])] {
            if let Err(problems) = Document::parse(&broken, Format::Toml) {
                prop_assert!(problems.has_errors());
                prop_assert!(!problems.to_string().is_empty() && !problems.render(true).is_empty());
            }
        }
    }

    #[test]
    fn a_span_that_is_read_is_one_that_the_schema_takes(text in "[0-9]{0,3}[.]?[0-9]{1,2}(d|h|m|s|ms)([0-9]{1,2}[.]?[0-9]{0,2}(h|m|s|ms)?)?") {
        let document = serde_json::json!({ "schema": 1, "name": "a", "version": "1.0.0", "limits": { "attempt_timeout": text } });
        if duration::parse(&text).is_ok() {
            prop_assert!(super::schema::validator().is_valid(&document), "{text}");
        }
    }

    #[test]
    fn thousandths_are_written_as_the_number_that_they_are(thousandths in 0..=1_000_000_000_u32) {
        let text = format!(
            "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n[budget]\nretry = 0\nthrottled = 0\ntimed_out = 0\nthreshold = 0\n\
             capacity = 1000000\nsuccess = {}.{:03}",
            thousandths / 1_000, thousandths % 1_000
        );
        let json: serde_json::Value = serde_json::from_str(&parsed(&text, Format::Toml).to_canonical_json()).unwrap();
        prop_assert_eq!(decimal::scaled(&json["budget"]["success"].to_string(), 3), Some(thousandths.into()));
    }
}
