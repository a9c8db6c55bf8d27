//! What a call does when no result came: it waits on, or sends.

use crate::{
    call::Call,
    command::{Command, Wait},
    decision::misfit,
    event::Network,
    outcome::{Bound, End},
    rules::{DeadlineScope, Offline},
    state::{Execution, Phase},
    time::{Mark, Millis},
};

impl Call<'_> {
    pub(crate) fn wake(&mut self) {
        let Execution { not_before, deadline, .. } = self.step.execution;
        if self.now.mark < not_before.min(deadline) {
            return self.wait(not_before, self.now.mark.until(not_before), Bound::None);
        }
        self.launch()
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    #[cfg_attr(target_family = "wasm", inline(always))]
    pub(crate) fn network_wake(&mut self) {
        let now = self.now.mark;
        let Execution { give_up, not_before, series, .. } = self.step.execution;
        if now >= give_up {
            self.finish(End::Offline, Bound::None);
            return self.resume_after(now.until(not_before));
        }
        if self.now.network == Network::Down {
            return self.await_network();
        }
        // One jittered wait, so that all who waited for the same network do not come back as one.
        let draw = self.policy.transient.draw(series, self.now.sample);
        let until = now.after(draw.delay).max(not_before);
        self.pause(until, if until == not_before { Bound::Hint } else { Bound::Backoff })
    }

    /// What stands before every send.
    pub(crate) fn launch(&mut self) {
        let (now, deadline) = (self.now.mark, self.step.execution.deadline);
        if now >= deadline {
            return self.finish(End::Deadline, Bound::Deadline);
        }
        if self.step.execution.attempts >= self.step.execution.max_attempts {
            return self.finish(End::AttemptsUsed, Bound::Attempts);
        }
        if let Some(hold) = self.now.hold
            && now < hold
        {
            return self.pause(hold, Bound::Hold);
        }
        if self.now.network == Network::Down && self.policy.offline() == Offline::Await {
            return self.await_network();
        }
        let mut timeout = self.policy.attempt_timeout;
        if self.policy.deadline_scope() == DeadlineScope::Attempts && deadline != Mark::MAX {
            timeout = timeout.min(now.until(deadline));
        }
        let timeout = Some(timeout).filter(|timeout| *timeout != Millis::MAX);
        let attempt = self.step.execution.attempts.saturating_add(1);
        self.step.execution.attempts = attempt;
        self.step.execution.set_phase(Phase::InFlight);
        self.step.command = Command::Send { attempt, timeout };
    }

    /// A wait that no result asked for. It too is deferred above the longest wait, and must fit the deadline.
    pub(crate) fn pause(&mut self, until: Mark, bound: Bound) {
        let delay = self.now.mark.until(until);
        if let Some((end, bound)) = misfit(&self.step.execution, delay, until) {
            self.finish(end, bound);
            return self.resume_after(delay);
        }
        self.step.execution.set_phase(Phase::Waiting);
        self.wait(until, delay, bound)
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(crate) fn wait(&mut self, until: Mark, delay: Millis, bound: Bound) {
        self.step.execution.not_before = until;
        let retry_index = self.step.execution.retry_index();
        self.step.command = Command::Wait(Wait { until, delay, retry_index, bound, hint: self.hint });
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    pub(crate) fn await_network(&mut self) {
        // Begun once for all rounds until a send counts again, so that a network that comes and goes ends too.
        if self.step.execution.give_up == Mark::default() {
            self.step.execution.give_up =
                self.now.mark.after(self.step.execution.max_wait).min(self.step.execution.deadline);
        }
        self.step.execution.set_phase(Phase::AwaitingNetwork);
        self.step.command = Command::AwaitNetwork { until: self.step.execution.give_up };
    }

    fn resume_after(&mut self, delay: Millis) {
        self.resume(delay, self.now.wall.map(|wall| wall.after(delay)))
    }
}
