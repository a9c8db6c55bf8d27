use std::sync::Arc;

use policy_core::{Mark, Millis, UnixMillis};
use tokio::sync::{Mutex, mpsc, watch};

use crate::time::{NANOS_PER_MILLI, Rounding, Time};

/// Time that stands still until a test moves it; clones share it. It begins at mark 0, without a wall clock.
///
/// ```
/// use refrain::{Rounding, Time, core::{Mark, Millis}, testing::TestTime};
/// let time = TestTime::default();
/// time.advance(Millis::new(7));
/// time.advance_nanos(1);
/// assert_eq!(time.mark(Rounding::Down), Mark::new(7));
/// assert_eq!(time.mark(Rounding::Up), Mark::new(8));
/// ```
#[derive(Clone, Debug)]
pub struct TestTime {
    clocks: watch::Sender<Clocks>,
    entering: mpsc::UnboundedSender<Mark>,
    entered: Arc<Mutex<mpsc::UnboundedReceiver<Mark>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Clocks {
    nanos: u64,
    wall: Option<UnixMillis>,
    early_wakes: u64,
}

impl Default for TestTime {
    fn default() -> Self {
        let (entering, entered) = mpsc::unbounded_channel();
        Self { clocks: watch::Sender::default(), entering, entered: Arc::new(Mutex::new(entered)) }
    }
}

impl TestTime {
    /// Moves the wait clock on, and the wall clock with it.
    pub fn advance(&self, span: Millis) {
        self.clocks.send_modify(|clocks| {
            clocks.nanos += span.get() * NANOS_PER_MILLI;
            clocks.wall = clocks.wall.map(|wall| wall.after(span));
        });
    }

    /// Moves the wait clock on by less than its resolution, to try out rounding.
    pub fn advance_nanos(&self, nanos: u64) {
        self.clocks.send_modify(|clocks| clocks.nanos += nanos);
    }

    /// Moves the wait clock to `mark`, and the wall clock nowhere: as after a correction of the system time.
    pub fn set_mark(&self, mark: Mark) {
        self.clocks.send_modify(|clocks| clocks.nanos = mark.get() * NANOS_PER_MILLI);
    }

    /// Sets the wall clock, or takes it away, and moves the wait clock nowhere.
    ///
    /// ```
    /// use refrain::{Rounding, Time, core::{Mark, Millis, UnixMillis}, testing::TestTime};
    /// let time = TestTime::default();
    /// time.set_wall(Some(UnixMillis::at_second(1_700_000_000)));
    /// assert_eq!(time.mark(Rounding::Down), Mark::new(0));
    /// time.advance(Millis::from_secs(5));
    /// assert_eq!(time.wall(), Some(UnixMillis::at_second(1_700_000_005)));
    /// ```
    pub fn set_wall(&self, wall: Option<UnixMillis>) {
        self.clocks.send_modify(|clocks| clocks.wall = wall);
    }

    /// Ends every wait under way, however early, as a timer that fires too soon does.
    ///
    /// ```
    /// use refrain::{Rounding, Time, core::Mark, testing::TestTime};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let time = TestTime::default();
    /// let wake = async {
    ///     assert_eq!(time.wait_entered().await, Mark::new(1_000));
    ///     time.wake_early();
    /// };
    /// tokio::join!(time.sleep_until(Mark::new(1_000)), wake);
    /// assert_eq!(time.mark(Rounding::Down), Mark::new(0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn wake_early(&self) {
        self.clocks.send_modify(|clocks| clocks.early_wakes += 1);
    }

    /// Completes when a wait is entered, and says until when it is to last. Each wait is told once, in order; one that
    /// is entered again after an early wake is told again, and an attempt with a timeout enters a wait too.
    pub async fn wait_entered(&self) -> Mark {
        match self.entered.lock().await.recv().await {
            Some(until) => until,
            None => std::future::pending().await,
        }
    }
}

impl Time for TestTime {
    fn mark(&self, rounding: Rounding) -> Mark {
        rounding.mark(self.clocks.borrow().nanos)
    }

    fn wall(&self) -> Option<UnixMillis> {
        self.clocks.borrow().wall
    }

    async fn sleep_until(&self, until: Mark) {
        let mut clocks = self.clocks.subscribe();
        let early_wakes = clocks.borrow().early_wakes;
        // Told only after the subscription, so that a test cannot move the time unseen.
        let _ = self.entering.send(until);
        let over = |clocks: &Clocks| Rounding::Down.mark(clocks.nanos) >= until || clocks.early_wakes != early_wakes;
        let _ = clocks.wait_for(over).await;
    }
}
