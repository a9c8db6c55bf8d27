//! What is known about processing after an attempt brought no response.
//!
//! Kinds are named by what they prove, not by the error that a client reported: only "was it processed?" matters to a
//! resend.

/// An attempt without a response.
///
/// ```
/// use policy_core::FailureKind;
/// assert!(FailureKind::ConnectFailed.proves_unprocessed());
/// assert!(!FailureKind::Ambiguous.proves_unprocessed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FailureKind {
    /// Provably never left the client: the name was not found.
    DnsFailed = 0,
    /// Provably never left the client: refused, unreachable, or the connect timeout.
    ConnectFailed = 1,
    /// Provably never left the client: the TLS handshake broke.
    TlsFailed = 2,
    /// The peer says that it did nothing: REFUSED_STREAM, GOAWAY below this stream (RFC 9113 §8.7).
    Unprocessed = 3,
    /// Anything may have happened: reset or timeout after sending; every browser rejection but our own abort.
    Ambiguous = 4,
    /// Will fail again: malformed URL, certificate refused, an answer that is not HTTP.
    Permanent = 5,
    /// Not sent because there is no network.
    Offline = 6,
}

impl FailureKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::DnsFailed,
        Self::ConnectFailed,
        Self::TlsFailed,
        Self::Unprocessed,
        Self::Ambiguous,
        Self::Permanent,
        Self::Offline,
    ];

    /// Whether the server certainly did not act on the request, so that even a write may go out again.
    #[must_use]
    pub const fn proves_unprocessed(self) -> bool {
        !matches!(self, Self::Ambiguous | Self::Permanent)
    }

    /// The name in documents, vectors and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DnsFailed => "dns-failed",
            Self::ConnectFailed => "connect-failed",
            Self::TlsFailed => "tls-failed",
            Self::Unprocessed => "unprocessed",
            Self::Ambiguous => "ambiguous",
            Self::Permanent => "permanent",
            Self::Offline => "offline",
        }
    }
}

/// A set of failure kinds. [`FailureKind::Permanent`] and [`FailureKind::Offline`] cannot be in it: the one is never
/// retried, the other has a rule of its own ([`Offline`](crate::Offline)).
///
/// ```
/// use policy_core::{FailureKind, FailureSet};
/// const RETRIED: FailureSet = FailureSet::of(&[FailureKind::DnsFailed, FailureKind::Permanent]);
/// assert!(RETRIED.contains(FailureKind::DnsFailed));
/// assert!(!RETRIED.contains(FailureKind::Permanent));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct FailureSet(u8);

impl FailureSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);
    /// Every kind that can be retried.
    pub const ALL: Self = Self::of(&FailureKind::ALL);

    /// The set of those of `kinds` that can be retried.
    #[must_use]
    pub const fn of(kinds: &[FailureKind]) -> Self {
        let (mut set, mut rest) = (0, kinds);
        while let Some((kind, more)) = rest.split_first() {
            if !matches!(kind, FailureKind::Permanent | FailureKind::Offline) {
                set |= 1 << *kind as u8;
            }
            rest = more;
        }
        Self(set)
    }

    /// Whether `kind` is in the set.
    #[must_use]
    pub const fn contains(self, kind: FailureKind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// One bit a kind, at the kind's number.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set with these bits; `None` if a bit stands for no kind that can be retried.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits >> 5 == 0 { Some(Self(bits)) } else { None }
    }
}
