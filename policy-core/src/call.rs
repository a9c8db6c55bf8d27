//! One call into the state machine: what an event, or the start, makes of a request.

use crate::{
    budget::Cost,
    classify::Disposition,
    command::Command,
    decision::{Decision, Situation, refusal, schedule},
    event::{Attempt, Event, Field, Now},
    failure::FailureKind,
    hint::{self, Hint},
    interruption::interruption,
    outcome::{Bound, End, HandOver, HintReport, Outcome, Resume},
    policy::Policy,
    state::{Execution, Facts, Phase, Progress},
    step::Step,
    time::{Mark, Millis, UnixMillis},
};

/// One call: the policy, what is true outside, what goes back to the host, and what is known for its command so far. The
/// step is changed where it is returned from: a copy would wait for all the stores that made it.
pub(crate) struct Call<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) now: &'a Now,
    pub(crate) step: &'a mut Step,
    /// What became of the hint, as far as that is known.
    pub(crate) hint: HintReport,
    /// What the host does with the last result, should the request end now.
    hand_over: HandOver,
}

impl<'a> Call<'a> {
    pub(crate) fn new(policy: &'a Policy, now: &'a Now, step: &'a mut Step) -> Self {
        let hand_over = HandOver::LastStatus(step.execution.last_status);
        Self { policy, now, step, hint: HintReport::Absent, hand_over }
    }

    /// What stands before the first send, beside what stands before every one.
    fn begin(&mut self) {
        let Execution { attempts, max_attempts, not_before, .. } = self.step.execution;
        let (end, bound) = match () {
            () if !not_before.is_valid() => (End::InvalidInput, Bound::None),
            () if attempts >= max_attempts => (End::AttemptsUsed, Bound::Attempts),
            () if self.now.mark < not_before => return self.pause(not_before, Bound::Resume),
            () => return self.launch(),
        };
        self.finish(end, bound)
    }

    /// Goes on with an event, or begins.
    #[inline(never)]
    pub(crate) fn take(&mut self, event: Option<&Event<'_>>) {
        let phase = self.step.execution.progress.phase();
        if phase == Phase::Finished {
            return;
        }
        if let Some(end) = interruption(&self.step.execution, self.policy, event, self.now) {
            return self.interrupt(event, end);
        }
        let Some(event) = event else { return self.begin() };
        match *event {
            Event::Response { of, .. } | Event::Failure { of, .. } => {
                if phase == Phase::InFlight && of.number == self.step.execution.attempts {
                    self.resolve(event, of)
                }
            }
            Event::Wake if phase == Phase::Waiting => self.wake(),
            Event::Wake if phase == Phase::AwaitingNetwork => self.network_wake(),
            Event::Wake => {}
        }
    }

    /// Ends from outside: nothing of what came with this call may be used.
    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn interrupt(&mut self, event: Option<&Event<'_>>, end: End) {
        let in_flight = self.step.execution.progress.phase() == Phase::InFlight;
        let failed = match event {
            Some(&Event::Failure { of, kind, .. }) if of.number == self.step.execution.attempts => Some(kind),
            _ => None,
        };
        if in_flight && !failed.is_some_and(FailureKind::proves_unprocessed) {
            self.step.execution.remember_maybe_applied();
        }
        // Not even the status of an older session's result goes out.
        if in_flight || end == End::SessionChanged {
            self.hand_over = HandOver::Abort;
        }
        // Whether it ran out of time does not matter where nothing was sent.
        let unsent = failed.is_some_and(|kind| {
            Disposition::of_failure(self.policy, kind, false, self.now.network) == Disposition::Offline
        });
        if in_flight && unsent {
            // Nothing went out: the attempt gives its number back, and the token that it took.
            self.step.execution.attempts = self.step.execution.attempts.saturating_sub(1);
            self.step.execution.set_phase(Phase::AwaitingNetwork);
        }
        self.finish(end, Bound::None)
    }

    /// The result of the attempt in flight.
    #[inline(never)]
    fn resolve(&mut self, event: &Event<'_>, of: Attempt) {
        self.hand_over = HandOver::This;
        let (disposition, status, hint, unprocessed) = match *event {
            Event::Response { status, fields, .. } => {
                let (disposition, hint) = self.listen(status, fields);
                self.hint = hint.report;
                (disposition, status, hint, false)
            }
            Event::Failure { kind, timed_out, .. } => {
                let disposition = Disposition::of_failure(self.policy, kind, timed_out, self.now.network);
                if !kind.proves_unprocessed() {
                    self.step.execution.remember_maybe_applied();
                }
                (disposition, 0, Hint::ABSENT, kind.proves_unprocessed())
            }
            Event::Wake => return,
        };
        let (sends, counts) = if disposition == Disposition::Offline {
            (of.sends.saturating_sub(1), false)
        } else {
            (of.sends.max(1), true)
        };
        let execution = &mut self.step.execution;
        execution.attempts = execution.attempts.saturating_sub(1).saturating_add(sends);
        execution.last_status = status;
        if counts {
            execution.give_up = Mark::default();
        }
        match disposition {
            Disposition::Success => return self.finish(End::Success, Bound::None),
            Disposition::NotRetryable => return self.finish(End::NotRetryable, Bound::None),
            // Nothing was sent: a token that was taken for this retry is still there for the next try, or goes back.
            Disposition::Offline => self.step.execution.set_phase(Phase::AwaitingNetwork),
            Disposition::Retryable(_) => {
                self.step.execution.progress = Progress::new(Phase::InFlight, Cost::Nothing);
                self.step.tokens = self.policy.budget.failed(self.step.tokens);
                if hint.forbids {
                    return self.finish(End::NotRetryable, Bound::Hint);
                }
            }
        }
        let class = disposition.class();
        let situation =
            Situation { execution: &self.step.execution, class, hint, unprocessed, exhausted: of.exhausted };
        match refusal(self.policy, &situation, self.now) {
            Some((end, bound)) => self.finish(end, bound),
            None if disposition == Disposition::Offline => self.await_network(),
            None => self.carry_out(schedule(self.policy, &situation, self.now, self.step.tokens)),
        }
    }

    /// What the server says: a verdict first, and when to come back if that makes sense at all.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn listen(&self, status: u16, fields: &[Field<'_>]) -> (Disposition, Hint) {
        let verdict = if self.policy.reads_verdicts() { hint::verdict(self.policy, status, fields) } else { None };
        let disposition = Disposition::of_answer(self.policy, status, verdict == Some(true));
        let hint = match disposition {
            Disposition::Retryable(_) => Hint::read(self.policy, status, fields, self.now.wall),
            _ => Hint::ABSENT,
        };
        (disposition, Hint { forbids: hint.forbids || verdict == Some(false), ..hint })
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn carry_out(&mut self, decision: Decision) {
        match decision {
            Decision::Retry { delay, bound, series, cost, tokens } => {
                let until = self.now.mark.after(delay);
                self.step.tokens = tokens;
                self.step.execution.series = series;
                self.step.execution.progress = Progress::new(Phase::Waiting, cost);
                self.wait(until, delay, bound);
            }
            Decision::Later { end, bound, delay, not_before } => {
                self.finish(end, bound);
                self.resume(delay, not_before)
            }
            Decision::Stop { end, bound } => self.finish(end, bound),
        }
    }

    /// Ends the request. Success gives back tokens, and one that was taken for a retry that is not sent goes back.
    pub(crate) fn finish(&mut self, end: End, bound: Bound) {
        let Execution { progress, facts, attempts, .. } = self.step.execution;
        let (budget, tokens) = (&self.policy.budget, &mut self.step.tokens);
        // What another policy's retry took is not this one's to return.
        let spent = if end == End::ForeignExecution { Cost::Nothing } else { progress.spent() };
        if end == End::Success {
            *tokens = budget.succeeded(*tokens, spent);
        } else if progress.phase() != Phase::InFlight {
            *tokens = budget.returned(*tokens, spent);
        }
        self.step.execution.progress = Progress::new(Phase::Finished, Cost::Nothing);
        self.step.command = Command::Finish(Outcome {
            end,
            bound,
            hint: self.hint,
            attempts,
            maybe_applied: facts.0 & Facts::MAYBE_APPLIED != 0,
            hand_over: self.hand_over,
            resume: None,
        });
    }

    /// What is needed to go on later, if the request has just ended.
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(crate) fn resume(&mut self, delay: Millis, not_before: Option<UnixMillis>) {
        let attempts_used = self.step.execution.attempts;
        if let Command::Finish(outcome) = &mut self.step.command {
            outcome.resume = Some(Resume { delay, not_before, attempts_used });
        }
    }
}
