//! What one result is, before anything is decided about it.

use crate::{event::Network, failure::FailureKind, policy::Policy, rules::Offline};

/// What one result is.
///
/// ```
/// use policy_core::{Class, Disposition, FailureKind, Network, Policy, Rules};
/// let policy = Policy::new(Rules::DEFAULT).unwrap();
/// let offline = |network| Disposition::of_failure(&policy, FailureKind::Offline, false, network);
/// assert_eq!(offline(Network::Down), Disposition::Offline);
/// assert_eq!(offline(Network::Up), Disposition::Retryable(Class::Transient));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// Worth another send, if the gate and all limits agree.
    Retryable(Class),
    /// 200–299, unless the policy retries it.
    Success,
    /// Nothing was sent and there is no network: worth waiting for it.
    Offline,
    /// To be handed to the caller as it is: another status, or a failure that would come again.
    NotRetryable,
}

/// Which backoff and which token price a retryable result has.
///
/// ```
/// use policy_core::{Class, Disposition, FailureKind, Network, Policy, Rules};
/// let policy = Policy::new(Rules::DEFAULT).unwrap();
/// let late = Disposition::of_failure(&policy, FailureKind::Ambiguous, true, Network::Up);
/// assert_eq!(late, Disposition::Retryable(Class::TimedOut));
/// ```
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
    /// use policy_core::{Class, Disposition, Policy, Rules};
    /// let policy = Policy::new(Rules::DEFAULT).unwrap();
    /// assert_eq!(Disposition::of_status(&policy, 204), Disposition::Success);
    /// assert_eq!(Disposition::of_status(&policy, 429), Disposition::Retryable(Class::Throttled));
    /// assert_eq!(Disposition::of_status(&policy, 404), Disposition::NotRetryable);
    /// ```
    #[must_use]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub const fn of_status(policy: &Policy, status: u16) -> Self {
        Self::of_answer(policy, status, false)
    }

    /// As [`Disposition::of_status`]; `is_invited` if the server says that a retry makes sense.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) const fn of_answer(policy: &Policy, status: u16, is_invited: bool) -> Self {
        if policy.throttle.contains(status) {
            Self::Retryable(Class::Throttled)
        } else if is_invited || policy.retry.contains(status) {
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
    pub fn of_failure(policy: &Policy, kind: FailureKind, timed_out: bool, network: Network) -> Self {
        let kind = match kind {
            FailureKind::Offline if network == Network::Down && policy.offline() == Offline::Await => {
                return Self::Offline;
            }
            FailureKind::Offline => FailureKind::ConnectFailed,
            kind => kind,
        };
        match policy.failures.contains(kind) {
            true if timed_out => Self::Retryable(Class::TimedOut),
            true => Self::Retryable(Class::Transient),
            false => Self::NotRetryable,
        }
    }

    /// The class of a result that is worth another send; an attempt that was never sent is a transient fault.
    pub(crate) const fn class(self) -> Class {
        match self {
            Self::Retryable(class) => class,
            Self::Success | Self::Offline | Self::NotRetryable => Class::Transient,
        }
    }
}
