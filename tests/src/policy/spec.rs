//! A policy in the words of a vector.

use policy_core::{
    Backoff, BudgetRules, DeadlineScope, FailureKind, FailureSet, HintMode, HintRules, Jitter, Method, MethodSet,
    Millis, Offline, Policy, StatusSet, Unreadable,
};

use super::{BackoffSpec, BudgetSpec, FieldSpec, HintSpec, JitterSpec, PolicySpec, plain};

impl PolicySpec {
    /// What a vector says to have this policy; `None` if it cannot be said exactly.
    #[must_use]
    pub fn of(policy: &Policy) -> Option<Self> {
        let (rules, plain) = (policy.rules(), plain());
        let backoff = BackoffSpec::of(&rules.transient);
        let throttled = BackoffSpec::of(&rules.throttled);
        let methods = |set: MethodSet, plain| (set != plain).then(|| names(set));
        let spec = Self {
            max_attempts: (rules.max_attempts != plain.max_attempts).then_some(rules.max_attempts),
            deadline: rules.deadline.map(Millis::get),
            deadline_scope: (rules.deadline_scope == DeadlineScope::Attempts).then(|| "attempts".to_owned()),
            attempt_timeout: rules.attempt_timeout.map(Millis::get),
            max_wait: rules.max_wait.map(Millis::get),
            retry: (rules.retry != plain.retry).then(|| codes(&rules.retry)),
            throttle: (rules.throttle != plain.throttle).then(|| codes(&rules.throttle)),
            failures: (rules.failures != plain.failures).then(|| kinds(rules.failures)),
            methods: methods(rules.methods, plain.methods),
            keyed_methods: methods(rules.keyed_methods, plain.keyed_methods),
            throttled: (throttled != backoff).then_some(throttled),
            backoff: (rules.transient != plain.transient).then_some(backoff),
            hint: Some(HintSpec::of(&rules.hint)).filter(|hint| *hint != HintSpec::default()),
            offline: (rules.offline == Offline::CountAsConnectFailed).then(|| "connect-failed".to_owned()),
            budget: rules.budget.as_ref().map(BudgetSpec::of),
        };
        let is_exact = spec.slot().is_ok_and(|slot| slot.policy().to_bytes() == policy.to_bytes());
        is_exact.then_some(spec)
    }
}

fn codes(set: &StatusSet) -> Vec<u16> {
    (0..1_000).filter(|code| set.contains(*code)).collect()
}

fn kinds(set: FailureSet) -> Vec<String> {
    FailureKind::ALL.into_iter().filter(|kind| set.contains(*kind)).map(|kind| kind.name().to_owned()).collect()
}

fn names(set: MethodSet) -> Vec<String> {
    Method::ALL.into_iter().filter(|method| set.contains(*method)).map(|method| method.name().to_owned()).collect()
}

impl BackoffSpec {
    fn of(backoff: &Backoff) -> Self {
        let limit = |limit: Millis| (limit != Millis::MAX).then_some(limit.get());
        Self {
            base: backoff.base.get(),
            multiplier: backoff.multiplier.get(),
            cap: limit(backoff.cap),
            ceiling: limit(backoff.ceiling),
            jitter: match backoff.jitter {
                Jitter::None => JitterSpec::None,
                Jitter::Full => JitterSpec::Full,
                Jitter::Equal => JitterSpec::Equal,
                Jitter::Scaled { low, high } => JitterSpec::Scaled { low: low.get(), high: high.get() },
                Jitter::Decorrelated => JitterSpec::Decorrelated,
            },
        }
    }
}

impl HintSpec {
    fn of(rules: &HintRules) -> Self {
        let plain = plain().hint;
        let fields = || rules.fields.iter().map(|field| FieldSpec::of(&field)).collect();
        Self {
            fields: (rules.fields != plain.fields).then(fields),
            statuses: (rules.statuses != plain.statuses).then(|| codes(&rules.statuses)),
            mode: match rules.mode {
                HintMode::AtLeast => None,
                HintMode::Instead { zero_at_once: false } => Some("instead".to_owned()),
                HintMode::Instead { zero_at_once: true } => Some("instead-zero-at-once".to_owned()),
            },
            spread: (rules.spread != plain.spread).then(|| rules.spread.get()),
            obsolete_dates: (!rules.dates.obsolete).then_some(false),
            strict_dates: rules.dates.strict.then_some(true),
            unreadable: (rules.unreadable == Unreadable::Backoff).then(|| "backoff".to_owned()),
            skew_from_date: rules.skew_from_date.then_some(true),
            resets_backoff: rules.resets_backoff.then_some(true),
        }
    }
}

impl BudgetSpec {
    fn of(rules: &BudgetRules) -> Self {
        Self {
            capacity: rules.capacity.thousandths(),
            on_failure: rules.on_failure.thousandths(),
            retry: rules.retry.thousandths(),
            throttled: rules.throttled.thousandths(),
            timed_out: rules.timed_out.thousandths(),
            success: rules.success.thousandths(),
            threshold: rules.threshold.thousandths(),
            refund: rules.refund,
        }
    }
}
