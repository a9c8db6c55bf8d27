//! The retry budget: tokens that many requests share, so that retries stay a small share of all traffic.
//!
//! A pure transition from tokens to tokens; where they are kept, and the compare-and-swap, is the host's. Two models
//! from the field are expressed by the same numbers:
//!
//! | | AWS standard mode 2.0 | gRPC retry throttling (A6) |
//! |---|---|---|
//! | capacity | 500 | `maxTokens` |
//! | each failure | − 0 | − 1 |
//! | each retry | − 5 (10 after a time-out) | − 0 |
//! | each success | the last retry's cost, else + 1 | + `tokenRatio` |
//! | retries while tokens are above | 0 | `maxTokens` / 2 |

/// Retry tokens, in thousandths, so that gRPC's ratio of three decimals is exact.
///
/// ```
/// use policy_core::Tokens;
/// assert_eq!(Tokens::new(5), Tokens::from_thousandths(5_000));
/// assert_eq!(Tokens::new(u32::MAX).thousandths(), u32::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Tokens(u32);

impl Tokens {
    /// No token.
    pub const ZERO: Self = Self(0);

    /// `n` thousandths of a token.
    #[must_use]
    pub const fn from_thousandths(n: u32) -> Self {
        Self(n)
    }

    /// `n` whole tokens; saturates.
    #[must_use]
    pub const fn new(n: u32) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// The number of thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    fn plus(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }

    pub(crate) fn minus(self, less: Self) -> Self {
        Self(self.0.saturating_sub(less.0))
    }
}

/// How the tokens of a policy move.
///
/// ```
/// use policy_core::{BudgetRules, Cost, Tokens};
/// let aws = BudgetRules::aws_standard().compile();
/// let tokens = aws.charge(Tokens::new(500), Cost::Retry).unwrap();
/// assert_eq!(tokens, Tokens::new(495));
/// assert_eq!(aws.succeeded(tokens, Cost::Retry), Tokens::new(500));
/// assert_eq!(aws.charge(Tokens::new(4), Cost::Retry), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetRules {
    /// The most there can be, and what a new budget begins with.
    pub capacity: Tokens,
    /// What every retryable result takes, whether or not a retry follows.
    pub on_failure: Tokens,
    /// What a retry takes.
    pub retry: Tokens,
    /// What a retry after a throttling status takes.
    pub throttled: Tokens,
    /// What a retry after a time-out takes.
    pub timed_out: Tokens,
    /// What a success gives back if no retry of its request was paid for, or if there is no refund.
    pub success: Tokens,
    /// A retry needs more than this.
    pub threshold: Tokens,
    /// A success gives back what the last retry of its request took.
    pub refund: bool,
}

/// What a retry was charged as.
///
/// ```
/// use policy_core::{BudgetRules, Cost, Tokens};
/// let aws = BudgetRules::aws_standard().compile();
/// assert_eq!(aws.charge(Tokens::new(500), Cost::TimedOut), Some(Tokens::new(490)));
/// assert_eq!(aws.succeeded(Tokens::new(490), Cost::Nothing), Tokens::new(491));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Cost {
    /// Nothing was charged.
    #[default]
    Nothing = 0,
    /// [`BudgetRules::retry`]
    Retry = 1,
    /// [`BudgetRules::throttled`]
    Throttled = 2,
    /// [`BudgetRules::timed_out`]
    TimedOut = 3,
}

impl BudgetRules {
    /// AWS SDKs, standard mode 2.0: 500 tokens; a retry costs 5, after a time-out 10; a success gives that back, or 1.
    #[must_use]
    pub const fn aws_standard() -> Self {
        Self {
            capacity: Tokens::new(500),
            on_failure: Tokens::ZERO,
            retry: Tokens::new(5),
            throttled: Tokens::new(5),
            timed_out: Tokens::new(10),
            success: Tokens::new(1),
            threshold: Tokens::ZERO,
            refund: true,
        }
    }

    /// gRPC retry throttling (A6): each failure takes 1, each success gives `ratio`; retries while above half.
    #[must_use]
    pub const fn grpc_throttling(max_tokens: Tokens, ratio: Tokens) -> Self {
        Self {
            capacity: max_tokens,
            on_failure: Tokens::new(1),
            retry: Tokens::ZERO,
            throttled: Tokens::ZERO,
            timed_out: Tokens::ZERO,
            success: ratio,
            threshold: Tokens(max_tokens.0 / 2),
            refund: false,
        }
    }

    /// The transitions that these rules say.
    #[must_use]
    pub const fn compile(&self) -> Budget {
        let Self { capacity, on_failure, retry, throttled, timed_out, success, threshold, refund } = *self;
        Budget {
            prices: [Tokens::ZERO, retry, throttled, timed_out],
            gifts: if refund { [success, retry, throttled, timed_out] } else { [success; 4] },
            capacity,
            on_failure,
            floor: Tokens(threshold.0.saturating_add(1)),
        }
    }
}

/// The transitions of a retry budget: from tokens to tokens, the same for every policy, with one or without.
///
/// ```
/// use policy_core::{Budget, BudgetRules, Cost, Tokens};
/// let grpc = BudgetRules::grpc_throttling(Tokens::new(10), Tokens::from_thousandths(100)).compile();
/// assert_eq!(grpc.failed(Tokens::new(6)), Tokens::new(5));
/// assert_eq!(grpc.charge(Tokens::new(5), Cost::Retry), None, "half is not more than half");
/// assert_eq!(Budget::NONE.charge(Tokens::ZERO, Cost::Retry), Some(Tokens::ZERO));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Budget {
    /// What a retry takes, by [`Cost`].
    pub(crate) prices: [Tokens; 4],
    /// What a success gives, by the cost of the last retry of its request.
    pub(crate) gifts: [Tokens; 4],
    pub(crate) capacity: Tokens,
    pub(crate) on_failure: Tokens,
    /// A retry needs at least this.
    pub(crate) floor: Tokens,
}

impl Budget {
    /// Of a policy without a budget: every retry is free.
    pub const NONE: Self = Self {
        prices: [Tokens::ZERO; 4],
        gifts: [Tokens::ZERO; 4],
        capacity: Tokens(u32::MAX),
        on_failure: Tokens::ZERO,
        floor: Tokens::ZERO,
    };

    /// After a retryable result, before it is decided what follows.
    #[must_use]
    pub fn failed(&self, tokens: Tokens) -> Tokens {
        self.held(tokens).minus(self.on_failure)
    }

    /// Takes what a retry costs; `None` if there is not enough.
    #[must_use]
    pub fn charge(&self, tokens: Tokens, cost: Cost) -> Option<Tokens> {
        let (tokens, price) = (self.held(tokens), at(&self.prices, cost));
        (tokens >= self.floor && tokens >= price).then(|| tokens.minus(price))
    }

    /// Gives back what a retry took that was never sent.
    #[must_use]
    pub fn returned(&self, tokens: Tokens, cost: Cost) -> Tokens {
        self.held(tokens.plus(at(&self.prices, cost)))
    }

    /// After a success of a request whose last retry was charged `cost`.
    #[must_use]
    pub fn succeeded(&self, tokens: Tokens, cost: Cost) -> Tokens {
        self.held(tokens.plus(at(&self.gifts, cost)))
    }

    fn held(&self, tokens: Tokens) -> Tokens {
        tokens.min(self.capacity)
    }
}

fn at(table: &[Tokens; 4], cost: Cost) -> Tokens {
    table.get(cost as usize).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_with_the_threshold_is_not_above_it() {
        let grpc = BudgetRules::grpc_throttling(Tokens::new(10), Tokens::from_thousandths(100)).compile();
        assert_eq!(grpc.charge(Tokens::new(5), Cost::Retry), None);
        assert_eq!(grpc.charge(Tokens::from_thousandths(5_001), Cost::Retry), Some(Tokens::from_thousandths(5_001)));
    }

    #[test]
    fn nothing_passes_the_capacity_or_falls_below_zero() {
        let aws = BudgetRules::aws_standard().compile();
        assert_eq!(aws.succeeded(Tokens::from_thousandths(u32::MAX), Cost::TimedOut), Tokens::new(500));
        let grpc = BudgetRules::grpc_throttling(Tokens::new(4), Tokens::from_thousandths(800)).compile();
        assert_eq!(grpc.failed(Tokens::from_thousandths(400)), Tokens::ZERO);
    }
}
