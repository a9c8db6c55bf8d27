//! The written form of a document: what is written as canonical JSON and as TOML, and what the JSON Schema describes.
//! Reading is [`Draft`](crate::draft::Draft)'s, which gives better errors; tests hold the two together.

mod of;
mod scalar;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::of::Spelling;
use self::scalar::{Limit, Number, Span, words};
use crate::{
    document::Document,
    draft::{
        OFFLINE,
        backoff::JITTERS,
        budget::SCOPES,
        hints::{CLOCKS, KNOWN, MODES, UNREADABLE, ZEROS},
        limits::DEADLINE_BOUNDS,
        replay::KEY_FORMS,
        retry::FAILURES,
    },
};

/// See [`Document::to_canonical_json`].
pub(crate) fn canonical_json(document: &Document) -> String {
    let shape = Shape::of(document, Spelling::Canonical);
    serde_json::to_string(&shape).expect("a shape is texts, numbers, lists and tables with texts as keys")
}

/// See [`Document::to_toml`].
pub(crate) fn toml(document: &Document) -> String {
    let shape = Shape::of(document, Spelling::People);
    toml::to_string(&shape).expect("a shape has no null and no number beyond TOML's")
}

/// One HTTP retry policy: what is retried, how often, how far apart, and what the server has to say about it. What is
/// left out takes its default; a default gives way to what is written.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Refrain policy")]
pub(crate) struct Shape {
    /// Where this schema stands, for editors.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "uri-reference"))]
    schema_place: Option<String>,
    /// The version of the document's shape.
    #[schemars(extend("const" = 1))]
    schema: u32,
    /// Name of the policy: 1 to 39 lower-case letters, digits and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,39}$"), extend("examples" = ["my-client"]))]
    name: String,
    /// Version of the policy: a semantic version (https://semver.org) of at most 23 characters. A released version does
    /// not change.
    #[schemars(
        length(max = 23),
        regex(pattern = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+][0-9A-Za-z.+-]+)?$"),
        extend("examples" = ["1.0.0"])
    )]
    version: String,
    /// What the policy is for.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    description: String,
    #[serde(rename = "budget", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    no_budget: Option<&'static str>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    backoff: Backoff,
    #[serde(default)]
    retry: Retry,
    #[serde(default)]
    replay: Replay,
    #[serde(default)]
    hints: Hints,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BudgetOrNone")]
    budget: Option<Budget>,
    #[serde(default)]
    offline: Offline,
    #[serde(default)]
    session: Session,
}

/// How often, how long.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Limits {
    /// All sends of one logical request, the first included: three retries are 4.
    #[schemars(range(min = 1, max = 10000))]
    max_attempts: u32,
    /// Time over all attempts, from the start.
    deadline: Limit,
    /// What the deadline bounds: "waits" begins no wait that would reach it; "attempts" also gives each attempt no more
    /// than the time that is left.
    #[schemars(extend("enum" = words(&DEADLINE_BOUNDS)))]
    deadline_bounds: &'static str,
    /// Length of one attempt, up to the head of the response.
    attempt_timeout: Limit,
    /// Longest wait in one process. What asks for more is deferred: handed back with the whole wait, never shortened.
    /// Left out, it is 60 s, or the deadline if that is shorter.
    max_wait: Limit,
}

/// How long to wait when the server does not say: min(cap, base × multiplier^i) before retry i, from 0; then jitter; then
/// the ceiling. These keys hold for every class of results; the tables `transient` and `throttled` hold for one.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Backoff {
    /// The bound of the first retry. Left out, it is 500 ms, and 1 s for throttled results.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Span")]
    base: Option<Span>,
    /// What each further retry multiplies the bound by: 1, or 1.1 to 100, at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "scalar::multiplier")]
    multiplier: Option<Number>,
    /// Limits the bound, before jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    cap: Option<Limit>,
    /// Limits what was drawn, after jitter; for jitters that pass the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    ceiling: Option<Limit>,
    /// What is random about it: "full" is anything from 0 to the bound, "equal" from half of it, "decorrelated" from the
    /// base to three times the last wait; { low, high } is from `low` times to `high` times the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Jitter")]
    jitter: Option<Jitter>,
    /// After a fault that passes, such as 503 or a lost connection; what is left out is as for every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    transient: Option<Class>,
    /// After a status of `retry.throttled`; what is left out is as for every class.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Class")]
    throttled: Option<Class>,
}

/// The backoff of one class of results.
#[derive(Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Class {
    /// The bound of the first retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Span")]
    base: Option<Span>,
    /// What each further retry multiplies the bound by.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "scalar::multiplier")]
    multiplier: Option<Number>,
    /// Limits the bound, before jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    cap: Option<Limit>,
    /// Limits what was drawn, after jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Limit")]
    ceiling: Option<Limit>,
    /// What is random about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Jitter")]
    jitter: Option<Jitter>,
}

/// What is random about a backoff.
#[derive(PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
enum Jitter {
    Word(#[schemars(extend("enum" = words(&JITTERS)))] &'static str),
    Scaled(Scaled),
}

/// From `low` times to `high` times the bound.
#[derive(PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Scaled {
    /// The lower factor, with at most three decimals.
    #[schemars(range(min = 0, max = 100))]
    low: Number,
    /// The upper factor, with at most three decimals.
    #[schemars(range(min = 0, max = 100))]
    high: Number,
}

/// What is retried.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Retry {
    /// Statuses that are retried.
    statuses: Vec<StatusOrRange>,
    /// Those of them that say "too much": they have a backoff and a token price of their own. Left out, it is 429 if that
    /// is retried.
    throttled: Vec<StatusOrRange>,
    /// Failures that are retried, named by what is known about processing. "permanent" failures never are, and for
    /// "offline" there is `offline.mode`.
    #[schemars(extend("items" = scalar::one_of(FAILURES.map(policy_core::FailureKind::name))))]
    failures: Vec<&'static str>,
}

/// A status, or a range of them such as "500-504".
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum StatusOrRange {
    Status(#[schemars(range(min = 100, max = 599))] u16),
    Range(#[schemars(regex(pattern = r"^[1-5][0-9]{2}-[1-5][0-9]{2}$"))] String),
}

/// What may be sent again.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Replay {
    /// Methods that may be repeated as they are.
    #[schemars(extend("items" = scalar::methods()))]
    methods: Vec<&'static str>,
    /// Methods that may be repeated with an idempotency key that the server honours.
    #[schemars(extend("items" = scalar::methods()))]
    keyed_methods: Vec<&'static str>,
    /// The request field that carries the key; "none" if keys are not sent.
    #[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))]
    key_field: String,
    /// How the key is written: "bare" as it is, "quoted" as a string of a structured field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = words(&KEY_FORMS)))]
    key_form: Option<&'static str>,
}

/// What the server may say about when to come back.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Hints {
    /// Response fields that are read, the most trusted first; the first that is there decides. An empty list: the server
    /// is not listened to.
    #[schemars(length(max = 10))]
    fields: Vec<NameOrField>,
    /// Statuses on which they are read.
    statuses: AllOrStatuses,
    /// How a hint and the local backoff go together: "at-least" takes the longer, "instead" the hint.
    #[schemars(extend("enum" = words(&MODES)))]
    mode: &'static str,
    /// With `mode = "instead"`: whether a hint of zero means at once, or the local backoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = words(&ZEROS), "default" = "backoff"))]
    zero: Option<&'static str>,
    /// A random share of the hint that is added to it, so that clients that were told the same do not return together;
    /// at most three decimals.
    #[schemars(range(min = 0, max = 100))]
    spread: Number,
    /// The RFC 850 and asctime forms of a date are read too.
    obsolete_dates: bool,
    /// A date with a leap second is refused.
    strict_dates: bool,
    /// What a hint does that cannot be read but still proves something, such as a number too large: "lower-bound" respects
    /// what it proves, "backoff" takes the local backoff.
    #[schemars(extend("enum" = words(&UNREADABLE)))]
    unreadable: &'static str,
    /// What dates are measured against: the host's wall clock, or the response's own Date.
    #[schemars(extend("enum" = words(&CLOCKS)))]
    clock: &'static str,
    /// After a wait that a hint fixed, the local backoff begins again at its base.
    resets_backoff: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum NameOrField {
    /// A field that is read as all who send it mean it.
    Name(#[schemars(extend("enum" = KNOWN.map(|(name, ..)| name)))] String),
    Field(Field),
}

/// A response field and how it is read.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Field {
    /// Its name.
    #[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))]
    name: String,
    /// What its value means. Known fields have a usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = policy_core::Unit::ALL.map(policy_core::Unit::name)))]
    unit: Option<&'static str>,
    /// A decimal fraction is read too, and rounded up to the millisecond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", extend("default" = false))]
    decimals: Option<bool>,
    /// What a value does that cannot be read: "next" asks the next field, "backoff" takes the local backoff, "stop" forbids
    /// the retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = policy_core::BadValue::ALL.map(policy_core::BadValue::name)))]
    bad_value: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum AllOrStatuses {
    All(#[schemars(extend("const" = "all"))] &'static str),
    Statuses(Vec<StatusOrRange>),
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used; the two are written at different places of a TOML document")]
enum BudgetOrNone {
    /// Every retry is free.
    None(#[schemars(extend("const" = "none"))] &'static str),
    Budget(Budget),
}

/// Tokens that requests share, so that retries stay a small share of all traffic. At most three decimals.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Budget {
    /// The most there can be, and what a new budget begins with.
    #[schemars(range(min = 0, max = 1000000))]
    capacity: Number,
    /// What every retryable result takes, whether or not a retry follows.
    #[schemars(range(min = 0, max = 1000000))]
    on_failure: Number,
    /// What a retry takes.
    #[schemars(range(min = 0, max = 1000000))]
    retry: Number,
    /// What a retry after a throttling status takes.
    #[schemars(range(min = 0, max = 1000000))]
    throttled: Number,
    /// What a retry after a time-out takes.
    #[schemars(range(min = 0, max = 1000000))]
    timed_out: Number,
    /// What a success gives back if no retry of its request was paid for, or if there is no refund.
    #[schemars(range(min = 0, max = 1000000))]
    success: Number,
    /// A retry needs more than this.
    #[schemars(range(min = 0, max = 1000000))]
    threshold: Number,
    /// A success gives back what the last retry of its request took.
    refund: bool,
    /// Who shares the tokens: all requests under this policy, all to one host, or all for which the caller names one key.
    #[schemars(extend("enum" = words(&SCOPES)))]
    per: &'static str,
}

/// Without a network.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Offline {
    /// What an attempt is that was not sent for want of a network: "await" gives its number back and waits for the
    /// network, "connect-failed" counts it as a failed connection.
    #[schemars(extend("enum" = words(&OFFLINE)))]
    mode: &'static str,
}

/// Sign-in.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Session {
    /// A host without a session handle refuses to start.
    required: bool,
}
