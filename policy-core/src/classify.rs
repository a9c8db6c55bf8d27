//! What one result is, before anything is decided about it.

use crate::{
    event::{Event, Network},
    failure::FailureKind,
    policy::{Offline, Rules},
};

/// What one result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// 200–299, unless the policy retries it.
    Success,
    /// Worth another send, if the gate and all limits agree.
    Retryable(Class),
    /// Nothing was sent and there is no network: worth waiting for it.
    Offline,
    /// To be handed to the caller as it is: another status, or a failure that would come again.
    NotRetryable,
}

/// Which backoff and which token price a retryable result has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A fault that passes: 5xx, a broken connection.
    Transient,
    /// The server asks for less.
    Throttled,
    /// The attempt ran into its time-out; the backoff is that of a transient fault.
    TimedOut,
}

impl Disposition {
    /// Of a response with this status.
    ///
    /// ```
    /// use policy_core::{Class, Disposition, Rules};
    /// let rules = Rules::DEFAULT;
    /// assert_eq!(Disposition::of_status(&rules, 204), Disposition::Success);
    /// assert_eq!(Disposition::of_status(&rules, 429), Disposition::Retryable(Class::Throttled));
    /// assert_eq!(Disposition::of_status(&rules, 404), Disposition::NotRetryable);
    /// ```
    #[must_use]
    pub const fn of_status(rules: &Rules, status: u16) -> Self {
        if rules.throttle.contains(status) {
            Self::Retryable(Class::Throttled)
        } else if rules.retry.contains(status) {
            Self::Retryable(Class::Transient)
        } else if status >= 200 && status <= 299 {
            Self::Success
        } else {
            Self::NotRetryable
        }
    }

    /// Of an attempt without a response. `Offline` counts only while the host also reports the network as down; else
    /// nothing was wrong but the connection.
    #[must_use]
    pub fn of_failure(rules: &Rules, kind: FailureKind, timed_out: bool, network: Network) -> Self {
        let kind = match kind {
            FailureKind::Offline if network == Network::Down && rules.offline == Offline::Await => {
                return Self::Offline;
            }
            FailureKind::Offline => FailureKind::ConnectFailed,
            kind => kind,
        };
        match rules.failures.contains(kind) {
            true if timed_out => Self::Retryable(Class::TimedOut),
            true => Self::Retryable(Class::Transient),
            false => Self::NotRetryable,
        }
    }

    /// Of an event; `None` for one that brings no result.
    pub(crate) fn of_event(rules: &Rules, event: &Event<'_>, network: Network) -> Option<Self> {
        match *event {
            Event::Response { status, .. } => Some(Self::of_status(rules, status)),
            Event::Failure { kind, timed_out, .. } => Some(Self::of_failure(rules, kind, timed_out, network)),
            Event::Wake => None,
        }
    }
}

/// A set of status codes from 100 to 599.
///
/// ```
/// use policy_core::StatusSet;
/// const BUSY: StatusSet = StatusSet::of(&[429, 503, 999]);
/// assert!(BUSY.contains(429) && !BUSY.contains(500) && !BUSY.contains(999));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StatusSet([u64; 8]);

impl StatusSet {
    /// No status.
    pub const EMPTY: Self = Self([0; 8]);
    /// Every status from 100 to 599.
    pub const ALL: Self = Self([u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, (1 << 52) - 1]);

    /// The set of those of `codes` that lie in 100–599.
    #[must_use]
    pub const fn of(codes: &[u16]) -> Self {
        let (mut set, mut rest) = (Self::EMPTY, codes);
        while let Some((code, more)) = rest.split_first() {
            set = set.with(*code);
            rest = more;
        }
        set
    }

    /// The set with `code` added, if it lies in 100–599.
    #[must_use]
    pub const fn with(self, code: u16) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        let mut words = [a, b, c, d, e, f, g, h];
        if let Some((word, bit)) = Self::place(code)
            && let Some((_, rest)) = words.split_at_mut_checked(word)
            && let Some(word) = rest.first_mut()
        {
            *word |= 1 << bit;
        }
        Self(words)
    }

    /// Whether `code` is in the set.
    #[must_use]
    pub const fn contains(&self, code: u16) -> bool {
        if let Some((word, bit)) = Self::place(code)
            && let Some((_, rest)) = self.0.split_at_checked(word)
            && let Some(word) = rest.first()
        {
            return *word >> bit & 1 == 1;
        }
        false
    }

    /// Whether every code of `other` is in the set.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(ours, theirs)| theirs & !ours == 0)
    }

    /// One bit a code: code `c` is bit `(c − 100) % 64` of word `(c − 100) / 64`.
    #[must_use]
    pub const fn words(self) -> [u64; 8] {
        self.0
    }

    /// The set with these bits; `None` if a bit stands for a code above 599.
    #[must_use]
    pub const fn from_words(words: [u64; 8]) -> Option<Self> {
        let [.., last] = words;
        if last >> 52 == 0 { Some(Self(words)) } else { None }
    }

    const fn place(code: u16) -> Option<(usize, u16)> {
        match code.checked_sub(100) {
            Some(bit) if bit < 500 => Some(((bit >> 6) as usize, bit & 63)),
            _ => None,
        }
    }
}
