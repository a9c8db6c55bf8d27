//! From a document to its written form.

use policy_core::{DeadlineScope, FailureKind, HintMode, HintRules, Method, MethodSet, Millis, Rules, StatusSet};

use super::{
    AllOrStatuses, Backoff, Budget, Class, Field, Hints, Jitter, Limits, NameOrField, Offline, Replay, Retry, Scaled,
    Session, Shape, StatusOrRange,
    scalar::{Limit, Span},
};
use crate::{
    document::Document,
    draft::{
        OFFLINE, SCHEMA,
        backoff::{JITTERS, limited},
        budget::SCOPES,
        hints::{self, ALL, CLOCKS, MODES, UNREADABLE, ZEROS},
        limits::DEADLINE_BOUNDS,
        replay::KEY_FORMS,
        retry::codes,
    },
    format::Format,
    host::HostSettings,
    value::NONE,
};

/// For whom a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// For programs: everything spelled out, spans in milliseconds.
    Canonical,
    /// For people: human units, and the short form where there is one.
    People,
}

/// The written form of a document that says nothing.
pub(crate) fn defaults() -> Shape {
    let least = format!("schema = {SCHEMA}\nname = \"name\"\nversion = \"1.0.0\"");
    let document = Document::parse(&least, Format::Toml).expect("the defaults hold together");
    Shape::of(&document, Spelling::People)
}

impl Shape {
    pub(crate) fn of(document: &Document, spelling: Spelling) -> Self {
        let (rules, host) = (document.policy().rules(), document.host());
        Self {
            schema_place: None,
            schema: SCHEMA,
            name: document.name().to_owned(),
            version: document.version().to_string(),
            description: document.description().to_owned(),
            no_budget: rules.budget.is_none().then_some(NONE),
            limits: Limits::of(&rules, spelling),
            backoff: Backoff::of(&rules, spelling),
            retry: Retry::of(&rules),
            replay: Replay::of(&rules, host),
            hints: Hints::of(&rules.hint, spelling),
            budget: rules.budget.map(|budget| Budget {
                capacity: budget.capacity.into(),
                on_failure: budget.on_failure.into(),
                retry: budget.retry.into(),
                throttled: budget.throttled.into(),
                timed_out: budget.timed_out.into(),
                success: budget.success.into(),
                threshold: budget.threshold.into(),
                refund: budget.refund,
                per: word(&SCOPES, host.budget),
            }),
            offline: Offline { mode: word(&OFFLINE, rules.offline) },
            session: Session { required: host.session_required },
        }
    }
}

impl Limits {
    fn of(rules: &Rules, spelling: Spelling) -> Self {
        let scope: DeadlineScope = rules.deadline_scope;
        Self {
            max_attempts: rules.max_attempts,
            deadline: Limit::new(rules.deadline, spelling),
            deadline_bounds: word(&DEADLINE_BOUNDS, scope),
            attempt_timeout: Limit::new(rules.attempt_timeout, spelling),
            max_wait: Limit::new(rules.max_wait, spelling),
        }
    }
}

impl Backoff {
    /// What is said of the transient class holds for every class; the other one is written whole, or for people as far
    /// as it differs.
    fn of(rules: &Rules, spelling: Spelling) -> Self {
        let Class { base, multiplier, cap, ceiling, jitter } = Class::of(&rules.transient, spelling);
        let throttled = Class::of(&rules.throttled, spelling);
        let common = Class::of(&rules.transient, spelling);
        let throttled = match spelling {
            Spelling::Canonical => throttled,
            Spelling::People => throttled.without(&common),
        };
        let throttled = Some(throttled).filter(|class| *class != Class::default());
        Self { base, multiplier, cap, ceiling, jitter, transient: None, throttled }
    }
}

impl Class {
    fn of(backoff: &policy_core::Backoff, spelling: Spelling) -> Self {
        let limit = |span: Millis| Some(Limit::new(limited(span), spelling));
        Self {
            base: Some(Span::new(backoff.base, spelling)),
            multiplier: Some(backoff.multiplier.into()),
            cap: limit(backoff.cap),
            ceiling: limit(backoff.ceiling),
            jitter: Some(Jitter::of(backoff.jitter)),
        }
    }

    fn without(self, common: &Self) -> Self {
        fn differing<T: PartialEq>(own: Option<T>, common: &Option<T>) -> Option<T> {
            if own == *common { None } else { own }
        }
        Self {
            base: differing(self.base, &common.base),
            multiplier: differing(self.multiplier, &common.multiplier),
            cap: differing(self.cap, &common.cap),
            ceiling: differing(self.ceiling, &common.ceiling),
            jitter: differing(self.jitter, &common.jitter),
        }
    }
}

impl Jitter {
    fn of(jitter: policy_core::Jitter) -> Self {
        match jitter {
            policy_core::Jitter::Scaled { low, high } => Self::Scaled(Scaled { low: low.into(), high: high.into() }),
            plain => Self::Word(word(&JITTERS, plain)),
        }
    }
}

impl Retry {
    fn of(rules: &Rules) -> Self {
        let kinds = FailureKind::ALL.into_iter().filter(|kind| rules.failures.contains(*kind));
        Self {
            statuses: statuses(rules.retry),
            throttled: statuses(rules.throttle),
            failures: kinds.map(FailureKind::name).collect(),
        }
    }
}

/// Runs of three and more as ranges.
fn statuses(set: StatusSet) -> Vec<StatusOrRange> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for code in codes(set) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => runs.push((code, code)),
        }
    }
    let written = |(first, last): (u16, u16)| match last - first {
        0 => vec![StatusOrRange::Status(first)],
        1 => vec![StatusOrRange::Status(first), StatusOrRange::Status(last)],
        _ => vec![StatusOrRange::Range(format!("{first}-{last}"))],
    };
    runs.into_iter().flat_map(written).collect()
}

impl Replay {
    fn of(rules: &Rules, host: &HostSettings) -> Self {
        let names =
            |set: MethodSet| Method::ALL.into_iter().filter(|method| set.contains(*method)).map(Method::name).collect();
        Self {
            methods: names(rules.methods),
            keyed_methods: names(rules.keyed_methods),
            key_field: host.key.as_ref().map_or(NONE, |key| &key.name).to_owned(),
            key_form: host.key.as_ref().map(|key| word(&KEY_FORMS, key.form)),
        }
    }
}

impl Hints {
    fn of(rules: &HintRules, spelling: Spelling) -> Self {
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
    fn of(field: &hints::Field, spelling: Spelling) -> Self {
        if spelling == Spelling::People && hints::Field::usual(&field.name).as_ref() == Some(field) {
            return Self::Name(field.name.clone());
        }
        let is_verdict = field.unit == policy_core::Unit::Verdict;
        Self::Field(Field {
            name: field.name.clone(),
            unit: Some(field.unit.name()),
            decimals: (!is_verdict).then_some(field.decimals),
            bad_value: (!is_verdict).then_some(field.bad_value.name()),
        })
    }
}

/// The word that has this meaning.
fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], meaning: T) -> &'static str {
    words.iter().find(|(_, has)| *has == meaning).map_or("", |(word, _)| word)
}

/// The schema shows the defaults of the core.
macro_rules! default_of {
    ($($section:ident: $type:ty),*) => {
        $(impl Default for $type {
            fn default() -> Self {
                defaults().$section
            }
        })*
    };
}

default_of!(limits: Limits, backoff: Backoff, retry: Retry, replay: Replay, hints: Hints, offline: Offline, session: Session);

impl Default for Budget {
    fn default() -> Self {
        defaults().budget.expect("the default policy has a budget")
    }
}
