//! Clock and sleep in one trait, so that a wait cannot be measured by one clock and slept by another.

use std::{
    future::{Future, pending, poll_fn},
    task::Poll,
};

use policy_core::{Mark, UnixMillis};

/// A clock that goes on while the machine sleeps, a wall clock, and waits on the former.
///
/// ```
/// use refrain::{Rounding, Time, core::Millis, testing::TestTime};
///
/// /// How long this takes at most, by the clock that requests wait on.
/// async fn measured<T: Time>(time: &T, work: impl Future<Output = ()>) -> Millis {
///     let begun = time.mark(Rounding::Down);
///     work.await;
///     begun.until(time.mark(Rounding::Up))
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let time = TestTime::default();
/// let took = measured(&time, async { time.advance_nanos(6_000_001) }).await;
/// assert_eq!(took, Millis::new(7));
/// # Ok(())
/// # }
/// ```
pub trait Time: Send + Sync {
    /// The wait clock, in milliseconds from an origin that is fixed within the process.
    fn mark(&self, rounding: Rounding) -> Mark;

    /// The wall clock, rounded down; `None` if there is none.
    fn wall(&self) -> Option<UnixMillis>;

    /// Completes when `self.mark(Rounding::Down)` has reached `until`, at once if it already has.
    ///
    /// It may complete early: the driver asks the policy again and goes on waiting. [`Mark::MAX`] means never.
    fn sleep_until(&self, until: Mark) -> impl Future<Output = ()> + Send;
}

/// Which way a reading between two milliseconds goes. The driver rounds so that no rounding makes a send early: up when
/// it reports a response or a failure, down otherwise.
///
/// ```
/// use refrain::{Rounding, Time, core::Mark, testing::TestTime};
/// let time = TestTime::default();
/// time.advance_nanos(1);
/// assert_eq!((time.mark(Rounding::Down), time.mark(Rounding::Up)), (Mark::new(0), Mark::new(1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the millisecond that has begun.
    Down,
    /// To the millisecond that is not yet over.
    Up,
}

impl Rounding {
    /// The mark of a reading in nanoseconds.
    ///
    /// ```
    /// use refrain::{Rounding, core::Mark};
    /// assert_eq!(Rounding::Down.mark(1_000_001), Mark::new(1));
    /// assert_eq!(Rounding::Up.mark(1_000_001), Mark::new(2));
    /// ```
    #[must_use]
    pub const fn mark(self, nanos: u64) -> Mark {
        Mark::new(match self {
            Self::Down => nanos / NANOS_PER_MILLI,
            Self::Up => nanos.div_ceil(NANOS_PER_MILLI),
        })
    }
}

/// Ends when the clock has reached `until`, not when a timer fires too soon; never for [`Mark::MAX`].
#[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its parameters twice")]
pub(crate) fn sleep<T: Time>(time: &T, until: Mark) -> impl Future<Output = ()> {
    async move {
        if until == Mark::MAX {
            pending::<()>().await;
        }
        while time.mark(Rounding::Down) < until {
            time.sleep_until(until).await;
            yield_once().await;
        }
    }
}

/// Lets everything else run once. Asked again right away, a timer that fires too soon each time would keep the thread
/// until the wait is over: no cancel, and nothing of the attempt that it limits, would get a turn.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    poll_fn(|cx| match std::mem::replace(&mut yielded, true) {
        true => Poll::Ready(()),
        false => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// Nanoseconds in a millisecond.
pub(crate) const NANOS_PER_MILLI: u64 = 1_000_000;

#[cfg(feature = "tokio")]
mod system {
    use std::time::Duration;

    use policy_core::{Mark, UnixMillis};

    use super::{NANOS_PER_MILLI, Rounding, Time};

    /// tokio's timers stand still while a machine sleeps, so a wait is compared with the clock at least this often.
    const PIECE: Duration = Duration::from_secs(15);

    /// The machine's clocks, and tokio's timers to wait on them. Needs a tokio runtime with its timer enabled.
    ///
    /// | platform | wait clock | counts on while the machine sleeps |
    /// |---|---|---|
    /// | Linux, Android | `CLOCK_BOOTTIME` | yes |
    /// | Apple | `CLOCK_MONOTONIC` | yes |
    /// | other Unix | `CLOCK_MONOTONIC` | as the platform says |
    /// | others | [`std::time::Instant`] | as the platform says; yes on Windows |
    ///
    /// A wait is cut into pieces of at most 15 s, so it ends at most that long after a machine that overslept woke up.
    ///
    /// ```
    /// use refrain::{Rounding, SystemTime, Time};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let now = SystemTime.mark(Rounding::Down);
    /// SystemTime.sleep_until(now).await;
    /// assert!(SystemTime.mark(Rounding::Down) >= now);
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Clone, Copy, Debug, Default)]
    pub struct SystemTime;

    impl Time for SystemTime {
        fn mark(&self, rounding: Rounding) -> Mark {
            rounding.mark(clock::nanos())
        }

        fn wall(&self) -> Option<UnixMillis> {
            clock::wall().map(UnixMillis::new)
        }

        async fn sleep_until(&self, until: Mark) {
            let until = until.get().saturating_mul(NANOS_PER_MILLI);
            loop {
                match until.saturating_sub(clock::nanos()) {
                    0 => return,
                    left => tokio::time::sleep(Duration::from_nanos(left).min(PIECE)).await,
                }
            }
        }
    }

    #[cfg(unix)]
    mod clock {
        use rustix::time::{ClockId, Timespec, clock_gettime};

        #[cfg(any(target_os = "linux", target_os = "android"))]
        const WAIT: ClockId = ClockId::Boottime;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        const WAIT: ClockId = ClockId::Monotonic;

        /// Nanoseconds on the wait clock; its 64 bits last for 584 years.
        pub(super) fn nanos() -> u64 {
            let Timespec { tv_sec, tv_nsec } = clock_gettime(WAIT);
            part(tv_sec).saturating_mul(1_000_000_000).saturating_add(part(tv_nsec))
        }

        /// Milliseconds since 1970; `None` before.
        pub(super) fn wall() -> Option<u64> {
            let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Realtime);
            let seconds = u64::try_from(tv_sec).ok()?;
            Some(seconds.saturating_mul(1_000).saturating_add(part(tv_nsec) / super::NANOS_PER_MILLI))
        }

        fn part(value: i64) -> u64 {
            u64::try_from(value).unwrap_or_default()
        }
    }

    #[cfg(not(unix))]
    mod clock {
        use std::{
            sync::OnceLock,
            time::{Instant, SystemTime},
        };

        /// Nanoseconds on the wait clock, since it was first read.
        pub(super) fn nanos() -> u64 {
            static ORIGIN: OnceLock<Instant> = OnceLock::new();
            u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
        }

        /// Milliseconds since 1970; `None` before.
        pub(super) fn wall() -> Option<u64> {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        }
    }
}

#[cfg(feature = "tokio")]
pub use system::SystemTime;
