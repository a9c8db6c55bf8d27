//! Policies that nobody would write, and all that anybody would.

use policy_core::{
    Backoff, BadValue, BudgetRules, DateRules, DeadlineScope, FailureSet, HintField, HintFields, HintMode, HintRules,
    Jitter, MethodSet, Millis, Offline, Policy, Rules, StatusSet, Thousandths, Tokens, Unit, Unreadable, slot::Slot,
};
use proptest::{collection::vec, option, prelude::*, sample::subsequence};

/// Statuses that scripts answer with.
pub(crate) const STATUSES: [u16; 12] = [100, 200, 204, 301, 404, 408, 429, 500, 502, 503, 504, 599];

pub(crate) fn slot(policy: Policy) -> Slot {
    Slot::new("random", "1.0.0", policy).unwrap()
}

pub(crate) fn policy() -> impl Strategy<Value = Policy> {
    let parts = (limits(), sets(), backoffs(), hint(), any::<bool>(), option::of(budget()));
    parts.prop_filter_map(
        "a policy that is refused",
        |(limits, sets, (transient, throttled), hint, offline, budget)| {
            let (max_attempts, deadline, cuts, attempt_timeout, max_wait) = limits;
            let (retry, throttle, failures, methods, keyed_methods) = sets;
            let rules = Rules {
                max_attempts,
                deadline,
                deadline_scope: if cuts { DeadlineScope::Attempts } else { DeadlineScope::Waits },
                attempt_timeout,
                max_wait,
                retry,
                throttle,
                failures,
                methods,
                keyed_methods,
                transient,
                throttled,
                hint,
                offline: if offline { Offline::Await } else { Offline::CountAsConnectFailed },
                budget,
            };
            Policy::new(rules).ok()
        },
    )
}

type LimitParts = (u32, Option<Millis>, bool, Option<Millis>, Option<Millis>);

fn limits() -> impl Strategy<Value = LimitParts> {
    let attempts = prop_oneof![9 => 1..8_u32, 1 => Just(u32::MAX)];
    (attempts, option::of(span()), any::<bool>(), option::of(span()), option::of(span()))
}

type SetParts = (StatusSet, StatusSet, FailureSet, MethodSet, MethodSet);

fn sets() -> impl Strategy<Value = SetParts> {
    let statuses = subsequence(STATUSES.to_vec(), 1..STATUSES.len()).prop_flat_map(|retry| {
        let throttle = subsequence(retry.clone(), 0..=retry.len());
        (Just(retry), throttle)
    });
    let methods = || (0..1_u16 << 11).prop_map(|bits| MethodSet::from_bits(bits).unwrap());
    let failures = (0..1_u8 << 5).prop_map(|bits| FailureSet::from_bits(bits).unwrap());
    (statuses, failures, methods(), methods()).prop_map(|((retry, throttle), failures, methods, keyed)| {
        (StatusSet::of(&retry), StatusSet::of(&throttle), failures, methods, keyed)
    })
}

/// Both backoffs are decorrelated, or neither is.
fn backoffs() -> impl Strategy<Value = (Backoff, Backoff)> {
    prop_oneof![4 => (backoff(jitter()), backoff(jitter())), 1 => (backoff(decorrelated()), backoff(decorrelated()))]
}

fn backoff(jitter: BoxedStrategy<Jitter>) -> impl Strategy<Value = Backoff> {
    let multiplier = prop_oneof![Just(1_000), Just(2_000), 1_100..=100_000_u32].prop_map(Thousandths::new);
    let limit = || prop_oneof![3 => span(), 1 => Just(Millis::MAX)];
    (span(), multiplier, limit(), jitter, limit()).prop_map(|(base, multiplier, cap, jitter, ceiling)| Backoff {
        base,
        multiplier,
        cap,
        jitter,
        ceiling,
    })
}

fn jitter() -> BoxedStrategy<Jitter> {
    let scaled = (0..3_000_u32, 0..3_000_u32)
        .prop_map(|(a, b)| Jitter::Scaled { low: Thousandths::new(a.min(b)), high: Thousandths::new(a.max(b)) });
    prop_oneof![Just(Jitter::None), Just(Jitter::Full), Just(Jitter::Equal), scaled].boxed()
}

fn decorrelated() -> BoxedStrategy<Jitter> {
    Just(Jitter::Decorrelated).boxed()
}

fn hint() -> impl Strategy<Value = HintRules> {
    let statuses = prop_oneof![
        4 => Just(StatusSet::ALL),
        1 => Just(StatusSet::EMPTY),
        1 => subsequence(STATUSES.to_vec(), 0..STATUSES.len()).prop_map(|codes| StatusSet::of(&codes))
    ];
    let mode = prop_oneof![
        2 => Just(HintMode::AtLeast),
        1 => any::<bool>().prop_map(|zero_at_once| HintMode::Instead { zero_at_once })
    ];
    let spread = prop_oneof![Just(0), 0..2_000_u32].prop_map(Thousandths::new);
    (hint_fields(), statuses, mode, spread, any::<[bool; 5]>()).prop_map(|(fields, statuses, mode, spread, flags)| {
        HintRules {
            fields,
            statuses,
            mode,
            spread,
            dates: DateRules { obsolete: flags[0], strict: flags[1] },
            unreadable: if flags[2] { Unreadable::LowerBound } else { Unreadable::Backoff },
            skew_from_date: flags[3],
            resets_backoff: flags[4],
        }
    })
}

/// Retry-After alone, or any fields in any order under any reading.
fn hint_fields() -> impl Strategy<Value = HintFields> {
    let units = subsequence(Unit::ALL.to_vec(), 0..=Unit::ALL.len()).prop_shuffle();
    let readings = vec((any::<bool>(), subsequence(BadValue::ALL.to_vec(), 1)), Unit::ALL.len());
    let some = (units, readings).prop_map(|(units, readings)| {
        units.into_iter().zip(readings).fold(HintFields::EMPTY, |fields, (unit, (decimals, bad_value))| {
            let field = HintField { name: field_name(unit), unit, decimals, bad_value: bad_value[0] };
            fields.with(field).expect("as many fields as there are units fit")
        })
    });
    prop_oneof![1 => Just(HintFields::RETRY_AFTER), 1 => some]
}

/// A field that is known to have this unit.
pub(crate) fn field_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "retry-after",
        Unit::Milliseconds => "retry-after-ms",
        Unit::PushbackMilliseconds => "grpc-retry-pushback-ms",
        Unit::EpochSeconds => "x-ratelimit-reset",
        Unit::EpochMilliseconds => "x-rate-limit-reset",
        Unit::Verdict => "x-should-retry",
    }
}

fn budget() -> impl Strategy<Value = BudgetRules> {
    let tokens = || (0..20_000_u32).prop_map(Tokens::from_thousandths);
    let prices = (tokens(), tokens(), tokens(), tokens(), tokens());
    (0..600_000_u32, prices, tokens(), any::<bool>()).prop_map(|(capacity, prices, threshold, refund)| BudgetRules {
        capacity: Tokens::from_thousandths(capacity),
        on_failure: prices.0,
        retry: prices.1,
        throttled: prices.2,
        timed_out: prices.3,
        success: prices.4,
        threshold,
        refund,
    })
}

/// Mostly what people choose, now and then the ends.
fn span() -> impl Strategy<Value = Millis> {
    prop_oneof![8 => 0..120_000_u64, 1 => Just(0), 1 => any::<u64>()].prop_map(Millis::new)
}
