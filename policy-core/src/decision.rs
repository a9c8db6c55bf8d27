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
    failure::FailureKind,
    hint::{Ask, Hint},
    outcome::{Bound, End},
    policy::Policy,
    request::{IdempotencyKey, Method},
    rules::HintMode,
    time::{Mark, Millis, UnixMillis},
};

/// A retryable result, and what is known about its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// What the result is.
    pub class: Class,
    /// The failure, if there was no response.
    pub failure: Option<FailureKind>,
    /// The server's hint.
    pub hint: Hint,
    /// A nested layer retried and gave up.
    pub exhausted: bool,
    /// All sends so far.
    pub attempts: u32,
    /// The most there may be.
    pub max_attempts: u32,
    /// The method.
    pub method: Method,
    /// The idempotency key.
    pub key: IdempotencyKey,
    /// The body can be sent again.
    pub replayable: bool,
    /// Where the local backoff stands; see [`Backoff::draw`](crate::Backoff::draw).
    pub series: u64,
    /// Nothing is sent from here on; [`Mark::MAX`] for never.
    pub deadline: Mark,
    /// Longest wait in this process; [`Millis::MAX`] for no limit.
    pub max_wait: Millis,
}

/// What to do about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
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
/// let situation = Situation {
///     class: Class::Transient, failure: None, hint: hint::Hint::ABSENT, exhausted: false,
///     attempts: 1, max_attempts: 4, method: Method::Get, key: IdempotencyKey::Absent, replayable: true,
///     series: 0, deadline: Mark::MAX, max_wait: Millis::from_secs(30),
/// };
/// let now = Now {
///     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
///     sample: Sample::ZERO, tokens: Tokens::new(500), hold: None,
/// };
/// let Decision::Retry { delay, .. } = decide(&policy, &situation, &now, now.tokens) else { panic!() };
/// assert_eq!(delay, Millis::new(500));
/// ```
#[inline]
pub fn decide(policy: &Policy, situation: &Situation, now: &Now, tokens: Tokens) -> Decision {
    match refusal(policy, situation, now) {
        Some((end, bound)) => Decision::Stop { end, bound },
        None => schedule(policy, situation, now, tokens),
    }
}

/// The checks that need no delay.
pub(crate) fn refusal(policy: &Policy, situation: &Situation, now: &Now) -> Option<(End, Bound)> {
    let Situation { method, key, failure, .. } = *situation;
    let unprocessed = failure.is_some_and(FailureKind::proves_unprocessed);
    let keyed = key == IdempotencyKey::Honoured && policy.keyed_methods.contains(method);
    Some(match () {
        () if now.mark >= situation.deadline => (End::Deadline, Bound::Deadline),
        () if situation.exhausted => (End::Nested, Bound::Attempts),
        () if situation.attempts >= situation.max_attempts => (End::AttemptsUsed, Bound::Attempts),
        () if !situation.replayable => (End::BodyNotReplayable, Bound::Gate),
        () if !(unprocessed || keyed || policy.methods.contains(method)) => (End::NotIdempotent, Bound::Gate),
        () => return None,
    })
}

#[inline]
fn schedule(policy: &Policy, situation: &Situation, now: &Now, tokens: Tokens) -> Decision {
    let (series, cost) = match situation.class {
        Class::Transient => (&policy.transient, Cost::Retry),
        Class::Throttled => (&policy.throttled, Cost::Throttled),
        Class::TimedOut => (&policy.transient, Cost::TimedOut),
    };
    let draw = series.backoff().draw(situation.series, now.sample);
    let plan = Plan::new(policy, situation.hint.ask, draw, now);
    let later = |end, bound| {
        let known = plan.moment.or_else(|| now.wall.map(|wall| wall.after(plan.asked)));
        Decision::Later { end, bound, delay: plan.asked, not_before: known }
    };
    if plan.asked > situation.max_wait || plan.asked == Millis::MAX {
        return later(End::Deferred, Bound::MaxWait);
    }
    if now.mark.after(plan.delay) >= situation.deadline {
        return later(End::Deadline, Bound::Deadline);
    }
    let charged = policy.budget().map_or(Some(tokens), |budget| budget.charge(tokens, cost));
    match charged {
        Some(tokens) => Decision::Retry { delay: plan.delay, bound: plan.bound, series: draw.series, cost, tokens },
        None => Decision::Stop { end: End::BudgetEmpty, bound: Bound::Budget },
    }
}

/// The hint and the local backoff put together.
struct Plan {
    /// What `max_wait` judges: not spread.
    asked: Millis,
    /// What is waited.
    delay: Millis,
    bound: Bound,
    /// The moment that a server named when there was no clock to measure it.
    moment: Option<UnixMillis>,
}

impl Plan {
    #[inline]
    fn new(policy: &Policy, ask: Ask, draw: Draw, now: &Now) -> Self {
        // The local backoff is a floor, unless the hint stands in its place.
        let (hint, floor) = match (ask, policy.hint_mode()) {
            (Ask::Unknown(moment), _) => {
                return Self { asked: Millis::MAX, delay: Millis::MAX, bound: Bound::Hint, moment };
            }
            (Ask::Nothing, _) | (Ask::For(Millis::ZERO), HintMode::Instead { zero_at_once: false }) => {
                (Millis::ZERO, Some(draw.delay))
            }
            (Ask::For(hint), HintMode::Instead { .. }) => (hint, None),
            (Ask::For(hint), HintMode::AtLeast) | (Ask::AtLeast(hint), _) => (hint, Some(draw.delay)),
        };
        let spread = now.sample.between(hint, hint.plus(policy.spread.of(hint)));
        let least = floor.unwrap_or(Millis::ZERO);
        let bound = if floor.is_some_and(|floor| hint <= floor) { Bound::Backoff } else { Bound::Hint };
        Self { asked: hint.max(least), delay: spread.max(least), bound, moment: None }
    }
}
