//! What the server may say.

use policy_core::{BadValue, HintMode, HintRules, StatusSet, Unit};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Spelling, defaults,
    retry::{StatusOrRange, statuses},
    scalar::{Number, word, words},
};
use crate::draft::hints::{self, ALL, CLOCKS, KNOWN, MODES, UNREADABLE, ZEROS};

/// What the server may say about when to come back.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Hints {
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
pub(super) enum NameOrField {
    /// A field that is read as all who send it mean it.
    Name(#[schemars(extend("enum" = KNOWN.map(|(name, ..)| name)))] String),
    Field(Field),
}

/// A response field and how it is read.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Field {
    /// Its name.
    #[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))]
    name: String,
    /// What its value means. Known fields have a usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = Unit::ALL.map(Unit::name)))]
    unit: Option<&'static str>,
    /// A decimal fraction is read too, and rounded up to the millisecond. Left out: only in fields whose senders are known
    /// to write one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    decimals: Option<bool>,
    /// What a value does that cannot be read: "next" asks the next field, "backoff" takes the local backoff, "stop" forbids
    /// the retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("enum" = BadValue::ALL.map(BadValue::name)))]
    bad_value: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum AllOrStatuses {
    All(#[schemars(extend("const" = "all"))] &'static str),
    Statuses(Vec<StatusOrRange>),
}

impl Hints {
    pub(super) fn of(rules: &HintRules, spelling: Spelling) -> Self {
        let (instead, zero) = match rules.mode {
            HintMode::AtLeast => (false, None),
            HintMode::Instead { zero_at_once } => (true, Some(word(&ZEROS, zero_at_once))),
        };
        Self {
            fields: rules.fields.iter().map(|field| NameOrField::of(&field.into(), spelling)).collect(),
            statuses: match statuses(rules.statuses) {
                _ if rules.statuses == StatusSet::ALL => AllOrStatuses::All(ALL),
                some => AllOrStatuses::Statuses(some),
            },
            mode: word(&MODES, instead),
            zero,
            spread: rules.spread.into(),
            obsolete_dates: rules.dates.obsolete,
            strict_dates: rules.dates.strict,
            unreadable: word(&UNREADABLE, rules.unreadable),
            clock: word(&CLOCKS, rules.skew_from_date),
            resets_backoff: rules.resets_backoff,
        }
    }
}

impl NameOrField {
    pub(super) fn of(field: &hints::Field, spelling: Spelling) -> Self {
        if spelling == Spelling::People && hints::Field::usual(&field.name).as_ref() == Some(field) {
            return Self::Name(field.name.clone());
        }
        let is_verdict = field.unit == Unit::Verdict;
        Self::Field(Field {
            name: field.name.clone(),
            unit: Some(field.unit.name()),
            decimals: (!is_verdict).then_some(field.decimals),
            bad_value: (!is_verdict).then_some(field.bad_value.name()),
        })
    }
}

impl Default for Hints {
    fn default() -> Self {
        defaults().hints
    }
}
