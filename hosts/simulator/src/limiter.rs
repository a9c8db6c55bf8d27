//! Rate limits.

use crate::{micros::Micros, scenario::LimitKind};

pub(crate) enum Limiter {
    FixedWindow {
        requests: u32,
        window: Micros,
        began: Micros,
        used: u32,
    },
    /// The bucket as one moment, that at which it is full again.
    TokenBucket {
        interval: Micros,
        burst: u32,
        full: Micros,
    },
}

impl Limiter {
    pub(crate) const fn new(kind: LimitKind) -> Self {
        match kind {
            LimitKind::FixedWindow { requests, window } => {
                Self::FixedWindow { requests, window, began: Micros::ZERO, used: 0 }
            }
            LimitKind::TokenBucket { interval, burst } => Self::TokenBucket { interval, burst, full: Micros::ZERO },
        }
    }

    /// Lets one in, or says when there is room again.
    pub(crate) fn admit(&mut self, now: Micros) -> Result<(), Micros> {
        match self {
            Self::FixedWindow { requests, window, began, used } => {
                let current = Micros::new(now.get() - now.get() % window.get());
                if *began != current {
                    (*began, *used) = (current, 0);
                }
                if *used == *requests {
                    return Err(current.plus(*window));
                }
                *used += 1;
            }
            Self::TokenBucket { interval, burst, full } => {
                let depth = Micros::new(interval.get().saturating_mul((*burst).into()));
                if *full > now.plus(depth) {
                    return Err(full.minus(depth));
                }
                *full = (*full).max(now).plus(*interval);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_window_forgets_at_its_end() {
        let mut limiter = Limiter::new(LimitKind::FixedWindow { requests: 2, window: Micros::new(100) });
        let mut at = |now| limiter.admit(Micros::new(now));
        assert_eq!([at(50), at(60), at(99)], [Ok(()), Ok(()), Err(Micros::new(100))]);
        assert_eq!([at(100), at(101), at(102)], [Ok(()), Ok(()), Err(Micros::new(200))]);
        assert_eq!(at(1_000), Ok(()));
    }

    #[test]
    fn a_token_bucket_lets_a_burst_through_and_then_one_in_each_interval() {
        let mut limiter = Limiter::new(LimitKind::TokenBucket { interval: Micros::new(10), burst: 2 });
        let mut at = |now| limiter.admit(Micros::new(now));
        assert_eq!([at(0), at(0), at(0), at(0)], [Ok(()), Ok(()), Ok(()), Err(Micros::new(10))]);
        assert_eq!([at(9), at(10), at(19), at(20)], [Err(Micros::new(10)), Ok(()), Err(Micros::new(20)), Ok(())]);
        assert_eq!([at(1_000), at(1_000), at(1_000), at(1_000)], [Ok(()), Ok(()), Ok(()), Err(Micros::new(1_010))]);
    }
}
