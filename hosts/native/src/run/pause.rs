//! A wait, for a mark or for the network.

use std::{
    future::{Future, poll_fn},
    ops::ControlFlow,
    task::{Context, Poll},
};

use policy_core::{Command, Mark};

use super::{Over, Run, Task, unexpected};
use crate::{
    engine::Engine,
    entropy::Entropy,
    outcome::Reason,
    race::race,
    time::{Time, yield_once},
};

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    /// Waits until the engine commands something else.
    #[expect(clippy::manual_async_fn, reason = "an `async fn` keeps its parameters twice")]
    pub(crate) fn pause<'r>(
        &'r mut self,
        task: Task,
    ) -> impl Future<Output = Result<Task, Over>> + use<'r, 'a, E, T, X> {
        async move {
            let until = self.until;
            loop {
                race(self.driver.time().sleep_until(until), poll_fn(|cx| self.poll_changed(cx))).await;
                if let ControlFlow::Break(next) = self.woken(task, until) {
                    return self.task(next);
                }
                yield_once().await;
            }
        }
    }

    /// Whether a pause is over, and with what.
    fn woken(&mut self, task: Task, until: Mark) -> ControlFlow<Result<Command, Reason>> {
        match self.wake() {
            Ok((next, at)) if goes_on(task, until, &next) && at < until => ControlFlow::Continue(()),
            Ok((next, _)) if goes_on(task, until, &next) => ControlFlow::Break(Err(unexpected("a wait that is over"))),
            next => {
                if let (Ok(_), Some(watch)) = (&next, self.watch()) {
                    watch.wait_over();
                }
                ControlFlow::Break(next.map(|(next, _)| next))
            }
        }
    }

    pub(super) fn poll_changed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.around.as_mut().map_or(Poll::Pending, |around| around.changes.poll(cx))
    }
}

/// Whether `next` says to go on with a pause.
fn goes_on(task: Task, until: Mark, next: &Command) -> bool {
    match (task, next) {
        (_, Command::Keep) => true,
        (Task::Wait, Command::Wait(next)) => next.until == until,
        (Task::AwaitNetwork, Command::AwaitNetwork { until: next }) => *next == until,
        _ => false,
    }
}
