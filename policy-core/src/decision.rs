//! Whether and when to send again: a pure function of one result and what is known about its request.
//!
//! The order of the checks is part of the interface: it decides which reason a request ends with, and the budget comes
//! last because it alone has an effect outside. The steps before these (finished, policy, session, cancelled, class of
//! the result) are [`Execution`](crate::Execution)'s.

use crate::{
    backoff::Draw,
    budget::{Cost, Tokens},
    classify::Class,
    event::Now,
    hint::Hint,
    outcome::{Bound, End},
    policy::Policy,
    rules::HintMode,
    state::Execution,
    time::{Mark, Millis, UnixMillis},
};

/// A result that is worth another send, and the request that it is of.
///
/// ```
/// use policy_core::*;
/// # let policy = Policy::new(Rules::DEFAULT).unwrap();
/// # let now = Now {
/// #     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
/// #     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// # };
/// let execution = Execution::start(&policy, &Request::new(Method::Get), &now).execution;
/// let given_up = Situation {
///     execution: &execution, class: Class::Transient, hint: hint::Hint::ABSENT, unprocessed: false, exhausted: true,
/// };
/// let stop = Decision::Stop { end: End::Nested, bound: Bound::Attempts };
/// assert_eq!(decide(&policy, &given_up, &now, now.tokens), stop);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation<'a> {
    /// The request.
    pub execution: &'a Execution,
    /// What the result is.
    pub class: Class,
    /// The server's hint.
    pub hint: Hint,
    /// The server certainly did not act on it; see [`FailureKind::proves_unprocessed`](crate::FailureKind).
    pub unprocessed: bool,
    /// A nested layer retried and gave up.
    pub exhausted: bool,
}

/// What to do about a result.
///
/// ```
/// use policy_core::{Decision, Millis};
///
/// /// How long it is until the next send, wherever it is made.
/// fn delay(decision: &Decision) -> Option<Millis> {
///     match decision {
///         Decision::Retry { delay, .. } | Decision::Later { delay, .. } => Some(*delay),
///         Decision::Stop { .. } => None,
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
// A tag of its own is known where a decision is made, and not only where it is carried out.
#[repr(u8)]
pub enum Decision {
    /// Send again after `delay`.
    Retry {
        /// From now.
        delay: Millis,
        /// What fixed it.
        bound: Bound,
        /// Where the local backoff stands afterwards.
        series: u64,
        /// What the retry is charged as.
        cost: Cost,
        /// The retry budget afterwards.
        tokens: Tokens,
    },
    /// Worth sending again, but not here and now.
    Later {
        /// [`End::Deferred`] or [`End::Deadline`].
        end: End,
        /// What did not fit.
        bound: Bound,
        /// The whole wait: not capped, not spread.
        delay: Millis,
        /// The moment, if anyone could tell.
        not_before: Option<UnixMillis>,
    },
    /// Do not send again.
    Stop {
        /// Why.
        end: End,
        /// The bound that decided.
        bound: Bound,
    },
}

/// Decides. `tokens` is the retry budget after the failure itself was charged.
///
/// ```
/// use policy_core::*;
/// let mut rules = Rules::DEFAULT;
/// rules.transient = Backoff { jitter: Jitter::Equal, ..Backoff::doubling(Millis::new(1_000)) };
/// let policy = Policy::new(rules).unwrap();
/// let now = Now {
///     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
///     sample: Sample::ZERO, tokens: Tokens::new(500), hold: None,
/// };
/// let execution = Execution::start(&policy, &Request::new(Method::Get), &now).execution;
/// let situation = Situation {
///     execution: &execution, class: Class::Transient, hint: hint::Hint::ABSENT, unprocessed: false, exhausted: false,
/// };
/// let Decision::Retry { delay, .. } = decide(&policy, &situation, &now, now.tokens) else { panic!() };
/// assert_eq!(delay, Millis::new(500));
/// ```
#[inline]
pub fn decide(policy: &Policy, situation: &Situation<'_>, now: &Now, tokens: Tokens) -> Decision {
    match refusal(policy, situation, now) {
        Some((end, bound)) => Decision::Stop { end, bound },
        None => schedule(policy, situation, now, tokens),
    }
}

/// The checks that need no delay.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn refusal(policy: &Policy, situation: &Situation<'_>, now: &Now) -> Option<(End, Bound)> {
    let Situation { execution, unprocessed, exhausted, .. } = *situation;
    let facts = execution.facts;
    let keyed = || facts.key_is_honoured() && facts.method_is_in(policy.keyed_methods);
    Some(match () {
        () if now.mark >= execution.deadline => (End::Deadline, Bound::Deadline),
        () if exhausted => (End::Nested, Bound::Attempts),
        () if execution.attempts >= execution.max_attempts => (End::AttemptsUsed, Bound::Attempts),
        () if !facts.replayable() => (End::BodyNotReplayable, Bound::Gate),
        () if !(unprocessed || facts.method_is_in(policy.methods) || keyed()) => (End::NotIdempotent, Bound::Gate),
        () => return None,
    })
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn schedule(policy: &Policy, situation: &Situation<'_>, now: &Now, tokens: Tokens) -> Decision {
    let series = if situation.class == Class::Throttled { &policy.throttled } else { &policy.transient };
    let cost = match situation.class {
        Class::Transient => Cost::Retry,
        Class::Throttled => Cost::Throttled,
        Class::TimedOut => Cost::TimedOut,
    };
    let draw = series.draw(situation.execution.series, now.sample);
    let plan = Plan::new(policy, &situation.hint, draw, now);
    let until = now.mark.after(plan.delay);
    if let Some((end, bound)) = misfit(situation.execution, plan.asked, until) {
        // A moment beyond what can be told is none; what the server named is one where there is no clock to measure by.
        let not_before = match now.wall {
            Some(wall) => (plan.asked != Millis::MAX).then(|| wall.after(plan.asked)),
            None => situation.hint.moment,
        };
        return Decision::Later { end, bound, delay: plan.asked, not_before };
    }
    match policy.budget.charge(tokens, cost) {
        Some(tokens) => {
            let restarts = plan.bound == Bound::Hint && policy.resets_backoff();
            let series = if restarts { 0 } else { draw.series };
            Decision::Retry { delay: plan.delay, bound: plan.bound, series, cost, tokens }
        }
        None => Decision::Stop { end: End::BudgetEmpty, bound: Bound::Budget },
    }
}

/// Why a wait of what was `asked` for, which would end at `until`, is not begun; `None` if it is.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn misfit(execution: &Execution, asked: Millis, until: Mark) -> Option<(End, Bound)> {
    let is_long = asked > execution.max_wait || until == Mark::MAX;
    let end = if is_long { (End::Deferred, Bound::MaxWait) } else { (End::Deadline, Bound::Deadline) };
    (is_long | (until >= execution.deadline)).then_some(end)
}

/// The hint and the local backoff put together.
struct Plan {
    /// What `max_wait` judges: not spread.
    asked: Millis,
    /// What is waited.
    delay: Millis,
    bound: Bound,
}

impl Plan {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn new(policy: &Policy, hint: &Hint, draw: Draw, now: &Now) -> Self {
        let instead = match policy.hint_mode() {
            HintMode::AtLeast => false,
            HintMode::Instead { zero_at_once } => hint.exact & (zero_at_once | (hint.delay != Millis::ZERO)),
        };
        // The local backoff is a floor, unless the hint stands in its place.
        let least = if instead { Millis::ZERO } else { draw.delay };
        let spread = now.sample.above(hint.delay, policy.spread.share_of(hint.delay));
        let bound = if instead || spread > least { Bound::Hint } else { Bound::Backoff };
        Self { asked: hint.delay.max(least), delay: spread.max(least), bound }
    }
}
