//! A policy: rules that hold together, in the form that is baked into an artifact and that decides.
//!
//! [`Rules`] is what a person writes; [`Policy`] is rules that were checked and compiled. Its layout is part of the
//! artifact's format, little end first, so a component decides from the bytes of its slot as they lie there:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | fingerprint: FNV-1a of the bytes that follow |
//! | 4 | 4 | `max_attempts` |
//! | 8 | 8 × 3 | `deadline`, `attempt_timeout`, `max_wait`; 2^53 − 1: none |
//! | 32 | 64 × 3 | `retry`, `throttle`, `hint.statuses`: one bit a status, from 100 |
//! | 224 | 40 × 2 | `transient`, `throttled`: base 8, cap 8, ceiling 8, multiplier 4, low 4, high 4, jitter 4 |
//! | 304 | 4 × 11 | budget: prices and gifts by [`Cost`](crate::Cost), capacity, on_failure, threshold + 0.001 |
//! | 348 | 4 | `hint.spread` |
//! | 352 | 2 × 2 | `methods`, `keyed_methods`: one bit a method |
//! | 356 | 1 | `failures`: one bit a kind |
//! | 357 | 1 | `hint.mode`: 0 at least, 1 instead, 2 instead and zero at once |
//! | 358 | 2 | switches, one bit each: the constants below |
//! | 360 | 2 × 12 | fields: length of the name; unit (bits 0–2: [`Unit`](crate::Unit), 6 `date`, 7 `age`), decimals (bit 3), bad value (bits 4–5) |
//! | 384 | 167 | names of the fields, one after the other |
//! | 551 | 1 | number of fields |

use crate::{
    backoff::{Series, Thousandths},
    budget::{Budget, BudgetRules, Tokens},
    failure::FailureSet,
    field_list::HintFields,
    http_date::{self, Calendar, DateRules},
    request::{Limits, MethodSet},
    rules::{DeadlineScope, HintMode, HintRules, Offline, Rules, Unreadable},
    status::StatusSet,
    time::{Mark, Millis, UnixMillis},
};

/// Checked and compiled rules.
///
/// Every part is an integer of which each value means something, so that any bytes of this length are a policy; which
/// of them [`Policy::new`] can have made is what [`Policy::from_bytes`] says.
///
/// ```
/// use policy_core::{Policy, PolicyError, Rules};
/// let policy = Policy::new(Rules { max_attempts: 2, ..Rules::DEFAULT }).unwrap();
/// assert_eq!(policy.rules().max_attempts, 2);
/// assert_eq!(Policy::new(Rules { max_attempts: 0, ..Rules::DEFAULT }), Err(PolicyError::NoAttempt));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Policy {
    pub(crate) fingerprint: u32,
    pub(crate) max_attempts: u32,
    pub(crate) deadline: Millis,
    pub(crate) attempt_timeout: Millis,
    pub(crate) max_wait: Millis,
    pub(crate) retry: StatusSet,
    pub(crate) throttle: StatusSet,
    pub(crate) hint_statuses: StatusSet,
    pub(crate) transient: Series,
    pub(crate) throttled: Series,
    pub(crate) budget: Budget,
    pub(crate) spread: Thousandths,
    pub(crate) methods: MethodSet,
    pub(crate) keyed_methods: MethodSet,
    pub(crate) failures: FailureSet,
    pub(crate) hint_mode: u8,
    pub(crate) switches: u16,
    pub(crate) fields: HintFields,
}

pub(crate) const DEADLINE_BOUNDS_ATTEMPTS: u16 = 1 << 0;
pub(crate) const OBSOLETE_DATES: u16 = http_date::OBSOLETE;
pub(crate) const STRICT_DATES: u16 = http_date::STRICT;
pub(crate) const UNREADABLE_MEANS_BACKOFF: u16 = 1 << 3;
pub(crate) const SKEW_FROM_DATE: u16 = 1 << 4;
pub(crate) const AWAIT_NETWORK: u16 = 1 << 5;
pub(crate) const HAS_BUDGET: u16 = 1 << 6;
pub(crate) const BUDGET_REFUNDS: u16 = 1 << 7;
pub(crate) const READS_VERDICTS: u16 = 1 << 8;
pub(crate) const RESETS_BACKOFF: u16 = 1 << 9;

impl Policy {
    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let limit = |limit: Millis| (limit != Millis::MAX).then_some(limit);
        Rules {
            max_attempts: self.max_attempts,
            deadline: limit(self.deadline),
            deadline_scope: self.deadline_scope(),
            attempt_timeout: limit(self.attempt_timeout),
            max_wait: limit(self.max_wait),
            retry: self.retry,
            throttle: self.throttle,
            failures: self.failures,
            methods: self.methods,
            keyed_methods: self.keyed_methods,
            transient: self.transient.backoff(),
            throttled: self.throttled.backoff(),
            hint: HintRules {
                fields: self.fields.without_clock(),
                statuses: self.hint_statuses,
                mode: self.hint_mode(),
                spread: self.spread,
                dates: self.dates(),
                unreadable: self.unreadable(),
                skew_from_date: self.measures_skew(),
                resets_backoff: self.resets_backoff(),
            },
            offline: self.offline(),
            budget: self.budget(),
        }
    }

    /// A digest of the compiled form. An execution of another policy is refused.
    #[must_use]
    #[inline]
    pub const fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    /// The response fields that the policy asks for, in lower case; [`Field::index`](crate::Field::index) counts here.
    ///
    /// ```
    /// use policy_core::{HintFields, HintRules, Policy, Rules};
    /// let policy = |hint| Policy::new(Rules { hint, ..Rules::DEFAULT }).unwrap();
    /// assert!(policy(HintRules::DEFAULT).fields().eq(["retry-after"]));
    /// let by_server_clock = HintRules { skew_from_date: true, ..HintRules::DEFAULT };
    /// assert!(policy(by_server_clock).fields().eq(["retry-after", "date", "age"]));
    /// let deaf = HintRules { fields: HintFields::EMPTY, ..HintRules::DEFAULT };
    /// assert_eq!(policy(deaf).fields().count(), 0);
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.names()
    }

    /// As [`Policy::fields`]: their bytes, one name after the other, and the length of each. Unchecked.
    #[doc(hidden)]
    pub fn field_table(&self) -> (&[u8], impl Iterator<Item = u8>) {
        self.fields.name_table()
    }

    /// Which dates the policy reads.
    #[must_use]
    #[inline]
    pub const fn dates(&self) -> DateRules {
        DateRules { obsolete: self.is_on(OBSOLETE_DATES), strict: self.is_on(STRICT_DATES) }
    }

    /// What the policy reads dates by.
    #[inline]
    pub(crate) const fn calendar(&self, now: Option<UnixMillis>) -> Calendar {
        Calendar { switches: self.switches, now }
    }

    /// The shared retry budget, if the policy has one.
    ///
    /// ```
    /// use policy_core::{BudgetRules, Policy, Rules};
    /// assert_eq!(Policy::new(Rules::DEFAULT).unwrap().budget(), Some(BudgetRules::aws_standard()));
    /// assert_eq!(Policy::new(Rules { budget: None, ..Rules::DEFAULT }).unwrap().budget(), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn budget(&self) -> Option<BudgetRules> {
        let Budget { prices: [_, retry, throttled, timed_out], gifts: [success, ..], capacity, on_failure, floor } =
            self.budget;
        let (threshold, refund) = (floor.minus(Tokens::from_thousandths(1)), self.is_on(BUDGET_REFUNDS));
        let rules = BudgetRules { capacity, on_failure, retry, throttled, timed_out, success, threshold, refund };
        self.is_on(HAS_BUDGET).then_some(rules)
    }

    /// When an attempt of a request that began at `begun` is over at the latest, also the reading of its answer:
    /// [`Command::Send`](crate::Command::Send)'s timeout is for the time up to the head. `None` if no deadline cuts attempts
    /// short.
    ///
    /// ```
    /// use policy_core::{DeadlineScope, Limits, Mark, Policy, Rules};
    /// let policy = |deadline_scope| Policy::new(Rules { deadline_scope, ..Rules::DEFAULT }).unwrap();
    /// let begun = Mark::new(1_000);
    /// assert_eq!(policy(DeadlineScope::Waits).cut_off(&Limits::NONE, begun), None);
    /// assert_eq!(policy(DeadlineScope::Attempts).cut_off(&Limits::NONE, begun), Some(Mark::new(121_000)));
    /// ```
    #[must_use]
    pub fn cut_off(&self, limits: &Limits, begun: Mark) -> Option<Mark> {
        let deadline = limits.deadline.map_or(self.deadline, |limit| limit.min(self.deadline));
        let cuts = self.deadline_scope() == DeadlineScope::Attempts && deadline != Millis::MAX;
        cuts.then(|| begun.after(deadline))
    }

    #[inline]
    pub(crate) const fn deadline_scope(&self) -> DeadlineScope {
        if self.is_on(DEADLINE_BOUNDS_ATTEMPTS) { DeadlineScope::Attempts } else { DeadlineScope::Waits }
    }

    #[inline]
    pub(crate) const fn hint_mode(&self) -> HintMode {
        match self.hint_mode {
            0 => HintMode::AtLeast,
            mode => HintMode::Instead { zero_at_once: mode != 1 },
        }
    }

    #[inline]
    pub(crate) const fn unreadable(&self) -> Unreadable {
        if self.is_on(UNREADABLE_MEANS_BACKOFF) { Unreadable::Backoff } else { Unreadable::LowerBound }
    }

    #[inline]
    pub(crate) const fn measures_skew(&self) -> bool {
        self.is_on(SKEW_FROM_DATE)
    }

    #[inline]
    pub(crate) const fn reads_verdicts(&self) -> bool {
        self.is_on(READS_VERDICTS)
    }

    #[inline]
    pub(crate) const fn resets_backoff(&self) -> bool {
        self.is_on(RESETS_BACKOFF)
    }

    #[inline]
    pub(crate) const fn offline(&self) -> Offline {
        if self.is_on(AWAIT_NETWORK) { Offline::Await } else { Offline::CountAsConnectFailed }
    }

    #[inline]
    const fn is_on(&self, bit: u16) -> bool {
        self.switches & bit != 0
    }
}
