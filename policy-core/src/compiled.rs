//! The compiled form of a policy: fixed length, fixed offsets, little end first, one way to write each policy.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | `max_attempts` |
//! | 4 | 8 × 3 | `deadline`, `attempt_timeout`, `max_wait`; all bits set: none |
//! | 28 | 64 × 3 | `retry`, `throttle`, `hint.statuses`: one bit a status, from 100 |
//! | 220 | 1, 2, 2 | `failures`, `methods`, `keyed_methods`: one bit each |
//! | 225 | 37 × 2 | `transient`, `throttled`: base 8, multiplier 4, cap 8, ceiling 8, jitter 1, low 4, high 4 |
//! | 299 | 1 | `deadline_scope` |
//! | 300 | 1 | `hint.mode`: 0 at least, 1 instead, 2 instead and zero at once |
//! | 301 | 4 | `hint.spread` |
//! | 305 | 1 × 4 | `hint.dates.obsolete`, `hint.dates.strict`, `hint.unreadable`, `hint.skew_from_date` |
//! | 309 | 1 | `offline` |
//! | 310 | 1 | a budget follows; if not, all of it is zero |
//! | 311 | 4 × 7 | capacity, on_failure, retry, throttled, timed_out, success, threshold |
//! | 339 | 1 | refund |
//!
//! [`slot`](crate::slot) says where these bytes stand in an artifact.

use crate::{
    backoff::{Backoff, Jitter, Thousandths},
    budget::{BudgetRules, Tokens},
    failure::FailureSet,
    http_date::DateRules,
    request::MethodSet,
    rules::{DeadlineScope, HintMode, HintRules, Offline, Rules, Unreadable},
    status::StatusSet,
    time::Millis,
};

/// Length of a compiled policy.
pub const BODY_LEN: usize = 340;

const NO_BUDGET: BudgetRules = BudgetRules {
    capacity: Tokens::ZERO,
    on_failure: Tokens::ZERO,
    retry: Tokens::ZERO,
    throttled: Tokens::ZERO,
    timed_out: Tokens::ZERO,
    success: Tokens::ZERO,
    threshold: Tokens::ZERO,
    refund: false,
};

pub(crate) fn encode(rules: &Rules) -> [u8; BODY_LEN] {
    let mut bytes = [0; BODY_LEN];
    let mut out = Writer(&mut bytes);
    out.put(rules.max_attempts.to_le_bytes());
    for limit in [rules.deadline, rules.attempt_timeout, rules.max_wait] {
        out.put(limit.map_or(u64::MAX, Millis::get).to_le_bytes());
    }
    for set in [rules.retry, rules.throttle, rules.hint.statuses] {
        for word in set.words() {
            out.put(word.to_le_bytes());
        }
    }
    out.put([rules.failures.bits()]);
    out.put(rules.methods.bits().to_le_bytes());
    out.put(rules.keyed_methods.bits().to_le_bytes());
    for backoff in [&rules.transient, &rules.throttled] {
        encode_backoff(&mut out, backoff);
    }
    out.put([rules.deadline_scope as u8]);
    out.put([match rules.hint.mode {
        HintMode::AtLeast => 0,
        HintMode::Instead { zero_at_once: false } => 1,
        HintMode::Instead { zero_at_once: true } => 2,
    }]);
    out.put(rules.hint.spread.get().to_le_bytes());
    out.put([rules.hint.dates.obsolete.into(), rules.hint.dates.strict.into()]);
    out.put([rules.hint.unreadable as u8, rules.hint.skew_from_date.into()]);
    out.put([rules.offline as u8, rules.budget.is_some().into()]);
    let budget = rules.budget.unwrap_or(NO_BUDGET);
    for tokens in [
        budget.capacity,
        budget.on_failure,
        budget.retry,
        budget.throttled,
        budget.timed_out,
        budget.success,
        budget.threshold,
    ] {
        out.put(tokens.thousandths().to_le_bytes());
    }
    out.put([budget.refund.into()]);
    bytes
}

fn encode_backoff(out: &mut Writer<'_>, backoff: &Backoff) {
    out.put(backoff.base.get().to_le_bytes());
    out.put(backoff.multiplier.get().to_le_bytes());
    out.put(backoff.cap.get().to_le_bytes());
    out.put(backoff.ceiling.get().to_le_bytes());
    let (tag, low, high) = match backoff.jitter {
        Jitter::None => (0, 0, 0),
        Jitter::Full => (1, 0, 0),
        Jitter::Equal => (2, 0, 0),
        Jitter::Scaled { low, high } => (3, low.get(), high.get()),
        Jitter::Decorrelated => (4, 0, 0),
    };
    out.put([tag]);
    out.put(u32::to_le_bytes(low));
    out.put(u32::to_le_bytes(high));
}

/// `None` for bytes that `encode` cannot have written, so that equal policies have equal bytes in both directions.
#[inline(never)]
pub(crate) fn decode(bytes: &[u8; BODY_LEN]) -> Option<Rules> {
    let mut from = Reader::new(bytes);
    let max_attempts = from.u32();
    let (deadline, attempt_timeout, max_wait) = (from.limit(), from.limit(), from.limit());
    let (retry, throttle, statuses) = (from.statuses(), from.statuses(), from.statuses());
    // Fields are read in the order in which they stand here.
    let rules = Rules {
        max_attempts,
        deadline,
        attempt_timeout,
        max_wait,
        retry,
        throttle,
        failures: from.known(Reader::u8, FailureSet::from_bits),
        methods: from.known(Reader::u16, MethodSet::from_bits),
        keyed_methods: from.known(Reader::u16, MethodSet::from_bits),
        transient: from.backoff(),
        throttled: from.backoff(),
        deadline_scope: if from.flag() { DeadlineScope::Attempts } else { DeadlineScope::Waits },
        hint: HintRules {
            statuses,
            mode: match from.up_to(2) {
                0 => HintMode::AtLeast,
                mode => HintMode::Instead { zero_at_once: mode == 2 },
            },
            spread: Thousandths::new(from.u32()),
            dates: DateRules { obsolete: from.flag(), strict: from.flag() },
            unreadable: if from.flag() { Unreadable::Backoff } else { Unreadable::LowerBound },
            skew_from_date: from.flag(),
        },
        offline: if from.flag() { Offline::Await } else { Offline::CountAsConnectFailed },
        budget: from.budget(),
    };
    from.well_formed.then_some(rules)
}

/// FNV-1a, 32 bits: tells two policies apart and notices damage. It is no defence; that is what a SHA-256 pin is for.
#[inline(never)]
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

/// Reads front to back. One flag for the whole remembers whether anything was not as it is written, so that reading is
/// straight code; what is read wrong counts for nothing then.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Nothing so far was past the end, or not as it is written.
    pub(crate) well_formed: bool,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, well_formed: true }
    }

    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.rest.split_first_chunk::<N>() {
            Some((head, rest)) => {
                self.rest = rest;
                *head
            }
            None => {
                self.well_formed = false;
                [0; N]
            }
        }
    }

    pub(crate) fn u8(&mut self) -> u8 {
        self.number(1) as u8
    }

    pub(crate) fn u16(&mut self) -> u16 {
        self.number(2) as u16
    }

    pub(crate) fn u32(&mut self) -> u32 {
        self.number(4) as u32
    }

    fn u64(&mut self) -> u64 {
        self.number(8)
    }

    #[inline(never)]
    fn number(&mut self, bytes: u32) -> u64 {
        let mut number = 0;
        for at in 0..bytes {
            let [byte] = self.take();
            number |= u64::from(byte) << at.wrapping_mul(8);
        }
        number
    }

    fn expect(&mut self, as_written: bool) {
        self.well_formed &= as_written;
    }

    #[inline(never)]
    fn up_to(&mut self, last: u8) -> u8 {
        let byte = self.u8();
        self.expect(byte <= last);
        byte
    }

    #[inline(never)]
    fn flag(&mut self) -> bool {
        self.up_to(1) == 1
    }

    fn known<B, T: Default>(&mut self, bits: impl Fn(&mut Self) -> B, known: impl Fn(B) -> Option<T>) -> T {
        let set = known(bits(self));
        self.expect(set.is_some());
        set.unwrap_or_default()
    }

    #[inline(never)]
    fn millis(&mut self) -> Millis {
        let ms = self.u64();
        self.expect(ms <= Millis::MAX.get());
        Millis::new(ms)
    }

    #[inline(never)]
    fn limit(&mut self) -> Option<Millis> {
        let ms = self.u64();
        self.expect(ms <= Millis::MAX.get() || ms == u64::MAX);
        (ms != u64::MAX).then_some(Millis::new(ms))
    }

    #[inline(never)]
    fn statuses(&mut self) -> StatusSet {
        self.known(|from| core::array::from_fn(|_| from.u64()), StatusSet::from_words)
    }

    fn backoff(&mut self) -> Backoff {
        let base = self.millis();
        let multiplier = Thousandths::new(self.u32());
        let (cap, ceiling) = (self.millis(), self.millis());
        let (tag, low, high) = (self.up_to(4), self.u32(), self.u32());
        self.expect(tag == 3 || (low, high) == (0, 0));
        let jitter = match tag {
            0 => Jitter::None,
            1 => Jitter::Full,
            2 => Jitter::Equal,
            3 => Jitter::Scaled { low: Thousandths::new(low), high: Thousandths::new(high) },
            _ => Jitter::Decorrelated,
        };
        Backoff { base, multiplier, cap, jitter, ceiling }
    }

    fn budget(&mut self) -> Option<BudgetRules> {
        let present = self.flag();
        let mut tokens = || Tokens::from_thousandths(self.u32());
        let budget = BudgetRules {
            capacity: tokens(),
            on_failure: tokens(),
            retry: tokens(),
            throttled: tokens(),
            timed_out: tokens(),
            success: tokens(),
            threshold: tokens(),
            refund: self.flag(),
        };
        self.expect(present || budget == NO_BUDGET);
        present.then_some(budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_fills_its_bytes_and_comes_back_equal() {
        let mut rules = Rules::DEFAULT;
        rules.transient.jitter = Jitter::Scaled { low: Thousandths::new(800), high: Thousandths::new(1_200) };
        let mut bytes = encode(&rules);
        assert_eq!(decode(&bytes), Some(rules));
        let mut out = Writer(&mut bytes);
        out.put([0_u8; BODY_LEN]);
        assert!(out.0.is_empty(), "the table above and BODY_LEN agree");
    }

    #[test]
    fn no_single_damaged_byte_yields_the_same_policy() {
        let bytes = encode(&Rules { budget: None, ..Rules::DEFAULT });
        for at in 0..BODY_LEN {
            let mut damaged = bytes;
            damaged[at] ^= 0x80;
            assert_ne!(decode(&damaged), decode(&bytes), "byte {at}");
        }
    }
}
