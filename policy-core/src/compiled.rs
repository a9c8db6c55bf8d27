//! A policy as bytes: fixed length, fixed offsets, little end first, one way to write each policy. The table stands with
//! [`Policy`].

use crate::{
    backoff::{Series, Thousandths},
    budget::{Budget, BudgetRules, Tokens},
    failure::FailureSet,
    field_list::HintFields,
    policy::{self, Policy},
    request::MethodSet,
    rules::{DeadlineScope, HintMode, Offline, PolicyError, Rules, Unreadable},
    status::StatusSet,
    time::Millis,
};

/// Length of a compiled policy.
pub const BODY_LEN: usize = size_of::<Policy>();

const _: () = assert!(BODY_LEN == 552 && align_of::<Policy>() == 8);

impl Policy {
    /// Checks and compiles `rules`.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn new(rules: Rules) -> Result<Self, PolicyError> {
        rules.check()?;
        let limit = |limit: Option<Millis>| limit.unwrap_or(Millis::MAX);
        let switch = |on: bool, bit: u16| if on { bit } else { 0 };
        let hint = &rules.hint;
        // A field that is read on no status is not asked for.
        let fields = if hint.statuses.is_empty() { HintFields::EMPTY } else { hint.fields };
        let budget = rules.budget.as_ref();
        let mut compiled = Self {
            fingerprint: 0,
            max_attempts: rules.max_attempts,
            deadline: limit(rules.deadline),
            attempt_timeout: limit(rules.attempt_timeout),
            max_wait: limit(rules.max_wait),
            retry: rules.retry,
            throttle: rules.throttle,
            hint_statuses: hint.statuses,
            transient: Series::new(&rules.transient),
            throttled: Series::new(&rules.throttled),
            budget: budget.map_or(Budget::NONE, BudgetRules::compile),
            spread: hint.spread,
            methods: rules.methods,
            keyed_methods: rules.keyed_methods,
            failures: rules.failures,
            hint_mode: match hint.mode {
                HintMode::AtLeast => 0,
                HintMode::Instead { zero_at_once: false } => 1,
                HintMode::Instead { zero_at_once: true } => 2,
            },
            switches: switch(rules.deadline_scope == DeadlineScope::Attempts, policy::DEADLINE_BOUNDS_ATTEMPTS)
                | switch(hint.dates.obsolete, policy::OBSOLETE_DATES)
                | switch(hint.dates.strict, policy::STRICT_DATES)
                | switch(hint.unreadable == Unreadable::Backoff, policy::UNREADABLE_MEANS_BACKOFF)
                | switch(hint.skew_from_date, policy::SKEW_FROM_DATE)
                | switch(rules.offline == Offline::Await, policy::AWAIT_NETWORK)
                | switch(fields.rows().any(|(_, how)| how.is_verdict()), policy::READS_VERDICTS)
                | switch(hint.resets_backoff, policy::RESETS_BACKOFF)
                | switch(budget.is_some(), policy::HAS_BUDGET)
                | switch(budget.is_some_and(|budget| budget.refund), policy::BUDGET_REFUNDS),
            fields: if hint.skew_from_date && !fields.is_empty() { fields.with_clock() } else { fields },
        };
        compiled.fingerprint = compiled.digest();
        Ok(compiled)
    }

    /// The compiled form: the same rules give the same bytes, on every machine.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BODY_LEN] {
        let mut bytes = [0; BODY_LEN];
        let mut out = Writer(&mut bytes);
        out.put(self.fingerprint.to_le_bytes());
        out.put(self.max_attempts.to_le_bytes());
        for limit in [self.deadline, self.attempt_timeout, self.max_wait] {
            out.put(limit.get().to_le_bytes());
        }
        for set in [self.retry, self.throttle, self.hint_statuses] {
            for word in set.words() {
                out.put(word.to_le_bytes());
            }
        }
        for series in [self.transient, self.throttled] {
            let Series { base, cap, ceiling, multiplier, low, high, jitter } = series;
            for span in [base, cap, ceiling] {
                out.put(span.get().to_le_bytes());
            }
            for factor in [multiplier, low, high] {
                out.put(factor.get().to_le_bytes());
            }
            out.put(jitter.to_le_bytes());
        }
        let Budget { prices, gifts, capacity, on_failure, floor } = self.budget;
        for tokens in prices.into_iter().chain(gifts).chain([capacity, on_failure, floor]) {
            out.put(tokens.thousandths().to_le_bytes());
        }
        out.put(self.spread.get().to_le_bytes());
        out.put(self.methods.bits().to_le_bytes());
        out.put(self.keyed_methods.bits().to_le_bytes());
        out.put([self.failures.bits(), self.hint_mode]);
        out.put(self.switches.to_le_bytes());
        out.put(self.fields.to_bytes());
        bytes
    }

    /// Reads the compiled form that [`Policy::to_bytes`] writes.
    ///
    /// ```
    /// use policy_core::{Policy, PolicyError, Rules};
    /// let policy = Policy::new(Rules::DEFAULT).unwrap();
    /// assert_eq!(Policy::from_bytes(&policy.to_bytes()), Ok(policy));
    /// let mut damaged = policy.to_bytes();
    /// damaged[4] ^= 1;
    /// assert_eq!(Policy::from_bytes(&damaged), Err(PolicyError::Malformed));
    /// ```
    ///
    /// # Errors
    /// [`PolicyError::Malformed`] for bytes that `to_bytes` cannot have written, else the first contradiction found.
    pub fn from_bytes(bytes: &[u8; BODY_LEN]) -> Result<Self, PolicyError> {
        let policy = read(&mut Reader(bytes)).ok_or(PolicyError::Malformed)?;
        let canonical = Self::new(policy.rules())?;
        if canonical.to_bytes() == *bytes { Ok(canonical) } else { Err(PolicyError::Malformed) }
    }

    fn digest(&self) -> u32 {
        let bytes = self.to_bytes();
        bytes.split_first_chunk::<4>().map_or(0, |(_, rest)| fnv1a(rest))
    }
}

fn read(from: &mut Reader<'_>) -> Option<Policy> {
    Some(Policy {
        fingerprint: from.u32()?,
        max_attempts: from.u32()?,
        deadline: from.millis()?,
        attempt_timeout: from.millis()?,
        max_wait: from.millis()?,
        retry: from.statuses()?,
        throttle: from.statuses()?,
        hint_statuses: from.statuses()?,
        transient: from.series()?,
        throttled: from.series()?,
        budget: Budget {
            prices: from.tokens()?,
            gifts: from.tokens()?,
            capacity: from.token()?,
            on_failure: from.token()?,
            floor: from.token()?,
        },
        spread: Thousandths::new(from.u32()?),
        methods: MethodSet::from_bits(from.u16()?)?,
        keyed_methods: MethodSet::from_bits(from.u16()?)?,
        failures: FailureSet::from_bits(from.u8()?)?,
        hint_mode: from.u8()?,
        switches: from.u16()?,
        fields: HintFields::from_bytes(from.take()?),
    })
}

/// FNV-1a, 32 bits: tells two policies apart and notices damage. It is no defence; that is what a SHA-256 pin is for.
pub(crate) const fn fnv1a(bytes: &[u8]) -> u32 {
    let (mut hash, mut rest) = (0x811c_9dc5_u32, bytes);
    while let Some((byte, more)) = rest.split_first() {
        hash = (hash ^ *byte as u32).wrapping_mul(0x0100_0193);
        rest = more;
    }
    hash
}

/// Writes front to back; what does not fit is dropped, which the test on lengths would notice.
pub(crate) struct Writer<'a>(pub(crate) &'a mut [u8]);

impl Writer<'_> {
    pub(crate) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some((head, rest)) = core::mem::take(&mut self.0).split_first_chunk_mut::<N>() {
            *head = bytes;
            self.0 = rest;
        }
    }
}

/// Reads front to back; `None` at the end.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn millis(&mut self) -> Option<Millis> {
        self.take().map(u64::from_le_bytes).map(Millis::new)
    }

    fn token(&mut self) -> Option<Tokens> {
        self.u32().map(Tokens::from_thousandths)
    }

    fn tokens(&mut self) -> Option<[Tokens; 4]> {
        Some([self.token()?, self.token()?, self.token()?, self.token()?])
    }

    fn statuses(&mut self) -> Option<StatusSet> {
        let mut words = [0; 8];
        for word in &mut words {
            *word = self.take().map(u64::from_le_bytes)?;
        }
        StatusSet::from_words(words)
    }

    fn series(&mut self) -> Option<Series> {
        Some(Series {
            base: self.millis()?,
            cap: self.millis()?,
            ceiling: self.millis()?,
            multiplier: Thousandths::new(self.u32()?),
            low: Thousandths::new(self.u32()?),
            high: Thousandths::new(self.u32()?),
            jitter: self.u32()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::Jitter;

    fn scaled() -> Rules {
        let mut rules = Rules::DEFAULT;
        rules.transient.jitter = Jitter::Scaled { low: Thousandths::new(800), high: Thousandths::new(1_200) };
        rules
    }

    #[test]
    fn rules_survive_compilation_and_fill_their_bytes() {
        for rules in [Rules::DEFAULT, scaled(), Rules { budget: None, ..Rules::DEFAULT }] {
            let policy = Policy::new(rules).unwrap();
            assert_eq!(policy.rules(), rules);
            let mut bytes = policy.to_bytes();
            assert_eq!(Policy::from_bytes(&bytes), Ok(policy));
            let mut out = Writer(&mut bytes);
            out.put([0_u8; BODY_LEN]);
            assert!(out.0.is_empty(), "the table and BODY_LEN agree");
        }
    }

    #[test]
    fn the_bytes_are_the_layout_in_memory() {
        let policy = Policy::new(scaled()).unwrap();
        let bytes = policy.to_bytes();
        let u32_at = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        assert_eq!(u32_at(core::mem::offset_of!(Policy, max_attempts)), policy.max_attempts);
        assert_eq!(u32_at(core::mem::offset_of!(Policy, spread)), policy.spread.get());
        let transient = core::mem::offset_of!(Policy, transient);
        assert_eq!(u32_at(transient + core::mem::offset_of!(Series, high)), 1_200);
        assert_eq!(bytes[core::mem::offset_of!(Policy, failures)], policy.failures.bits());
        assert_eq!(bytes[core::mem::offset_of!(Policy, switches)], policy.switches.to_le_bytes()[0]);
    }

    #[test]
    fn no_single_damaged_byte_is_a_policy() {
        let bytes = Policy::new(Rules { budget: None, ..Rules::DEFAULT }).unwrap().to_bytes();
        for at in 0..BODY_LEN {
            let mut damaged = bytes;
            damaged[at] ^= 0x80;
            assert!(Policy::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }
}
