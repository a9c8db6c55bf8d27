//! The state machine of one logical request: sans-IO and level-triggered.
//!
//! The host calls [`Execution::start`] once and [`Execution::handle`] whenever anything happens; each call says what to
//! do next. Every call carries [`Now`], all that may have changed outside, so that "checked again after the wait" is
//! true by construction. Both are pure: the same input gives the same step, and calling twice, early or late is safe.
//!
//! | state | response or failure of this attempt | wake | other session, or cancelled |
//! |---|---|---|---|
//! | in flight | decide → wait, await network or finish | keep | finish, the attempt aborted |
//! | waiting | keep (late) | deadline passed → finish; too early → the same wait; hold, network down → wait for that; else send | finish |
//! | awaiting network | keep | back → one jittered wait, any hint's mark respected; time up → finish | finish |
//! | finished | keep | keep | keep |

use crate::{
    backoff::Series,
    budget::{Cost, Tokens},
    classify::{Class, Disposition},
    command::{Command, Wait},
    decision::{Decision, Situation, refusal, schedule},
    event::{Attempt, Event, FIELDS_MAX, Field, Network, Now},
    hint::{self, Hint},
    outcome::{Bound, End, HandOver, Outcome, Resume},
    policy::Policy,
    request::Request,
    rules::{DeadlineScope, Offline},
    state::{Execution, Facts, Phase, Progress},
    time::{Mark, Millis},
};

/// The result of one call into the state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a step that is not carried out is a request that stands still"]
#[repr(C)]
pub struct Step {
    /// Pass to the next call.
    pub execution: Execution,
    /// The retry budget after this call. The host stores it with compare-and-swap against [`Now::tokens`]; if another
    /// request was faster, it discards this step and calls again with the same input and the new tokens.
    ///
    /// [`Now::tokens`]: crate::Now::tokens
    pub tokens: Tokens,
    /// What to do now.
    pub command: Command,
}

impl Execution {
    /// Begins a logical request, joins one (`attempts_used` above 0) or resumes one (`not_before` too).
    pub fn start(policy: &Policy, request: &Request, now: &Now) -> Step {
        let mut step = Step::new(Self::new(policy, request, now), now);
        step.carry_on(None, policy, now);
        step
    }

    /// Goes on. A pure function: the same input gives the same step, and calling it twice is safe.
    pub fn handle(&self, policy: &Policy, event: Event<'_>, now: &Now) -> Step {
        #[cfg(not(target_family = "wasm"))]
        if let Some(step) = self.retry(policy, &event, now) {
            return step;
        }
        let mut step = Step::new(*self, now);
        step.carry_on(Some(&event), policy, now);
        step
    }

    /// What most results come to that are worth another send: a wait. Decided by the same functions in the same order as in
    /// [`Call`], but without a step that is changed and then copied; what it does not come to is decided there, from the start.
    #[cfg(not(target_family = "wasm"))]
    #[inline(always)]
    fn retry(&self, policy: &Policy, event: &Event<'_>, now: &Now) -> Option<Step> {
        let Event::Response { of, status, fields } = event else { return None };
        let Disposition::Retryable(class) = Disposition::of_status(policy, *status) else { return None };
        let in_flight = self.progress.phase() == Phase::InFlight && of.number == self.attempts;
        if !in_flight || policy.reads_verdicts() || interruption(self, policy, event, now).is_some() {
            return None;
        }
        let hint = Hint::read(policy, *status, fields, now.wall);
        if hint.forbids {
            return None;
        }
        let attempts = self.attempts.saturating_sub(1).saturating_add(of.sends.max(1));
        let execution = Self { attempts, last_status: *status, give_up: Mark::default(), ..*self };
        let situation = Situation { execution: &execution, class, hint, unprocessed: false, exhausted: of.exhausted };
        if refusal(policy, &situation, now).is_some() {
            return None;
        }
        let tokens = policy.budget.failed(now.tokens);
        let Decision::Retry { delay, bound, series, cost, tokens } = schedule(policy, &situation, now, tokens) else {
            return None;
        };
        let until = now.mark.after(delay);
        let progress = Progress::new(Phase::Waiting, cost);
        let retry_index = execution.retry_index();
        Some(Step {
            execution: Self { not_before: until, series, progress, ..execution },
            tokens,
            command: Command::Wait(Wait { until, delay, retry_index, bound, hint: hint.report }),
        })
    }

    /// A request that nothing was done about yet.
    #[doc(hidden)]
    #[must_use]
    pub fn new(policy: &Policy, request: &Request, now: &Now) -> Self {
        let tightest = |ours: Millis, theirs: Option<Millis>| theirs.map_or(ours, |theirs| ours.min(theirs));
        let deadline = tightest(policy.deadline, request.limits.deadline);
        let decorrelated = policy.transient.jitter == Series::DECORRELATED;
        Self {
            not_before: request.not_before.unwrap_or_default(),
            give_up: Mark::default(),
            deadline: now.mark.after(deadline),
            session: now.session,
            max_wait: tightest(policy.max_wait, request.limits.max_wait),
            series: if decorrelated { 0 } else { request.attempts_used.into() },
            policy: policy.fingerprint(),
            attempts: request.attempts_used,
            max_attempts: request.limits.max_attempts.unwrap_or(u32::MAX).min(policy.max_attempts),
            last_status: 0,
            facts: Facts::new(request),
            progress: Progress::new(Phase::Waiting, Cost::Nothing),
        }
    }
}

impl Step {
    /// Before anything happened in this call.
    #[doc(hidden)]
    pub const fn new(execution: Execution, now: &Now) -> Self {
        Self { execution, tokens: now.tokens, command: Command::Keep }
    }

    /// What [`Execution::handle`] does, and without an event [`Execution::start`], where the step stands.
    #[doc(hidden)]
    pub fn carry_on(&mut self, event: Option<&Event<'_>>, policy: &Policy, now: &Now) {
        let outcome = Outcome::unknown(HandOver::LastStatus(self.execution.last_status));
        let mut call = Call { policy, now, step: self, outcome };
        match event {
            None => call.begin(),
            Some(event) => call.take(event),
        }
    }
}

/// One call: the policy, what is true outside, what goes back to the host, and what is known for its command so far. The
/// step is changed where it is returned from: a copy would wait for all the stores that made it.
struct Call<'a> {
    policy: &'a Policy,
    now: &'a Now,
    step: &'a mut Step,
    /// As far as it is known.
    outcome: Outcome,
}

impl Call<'_> {
    #[inline(never)]
    fn begin(&mut self) {
        let Execution { attempts, max_attempts, not_before, .. } = self.step.execution;
        let (end, bound) = match () {
            () if self.now.cancelled => (End::Cancelled, Bound::None),
            () if !(is_valid(self.now) && not_before.is_valid()) => (End::InvalidInput, Bound::None),
            () if attempts >= max_attempts => (End::AttemptsUsed, Bound::Attempts),
            () if self.now.mark < not_before => return self.pause(not_before, Bound::Resume),
            () => return self.launch(),
        };
        self.finish(end, bound)
    }

    #[inline(never)]
    fn take(&mut self, event: &Event<'_>) {
        let phase = self.step.execution.progress.phase();
        if phase == Phase::Finished {
            return;
        }
        if let Some(end) = interruption(&self.step.execution, self.policy, event, self.now) {
            return self.interrupt(event, end);
        }
        match (phase, *event) {
            (Phase::InFlight, Event::Response { of, .. } | Event::Failure { of, .. })
                if of.number == self.step.execution.attempts =>
            {
                self.resolve(event, of)
            }
            (Phase::Waiting, Event::Wake) => self.wake(),
            (Phase::AwaitingNetwork, Event::Wake) => self.network_wake(),
            _ => {}
        }
    }

    /// Ends from outside: nothing of what came with this call may be used.
    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn interrupt(&mut self, event: &Event<'_>, end: End) {
        let in_flight = self.step.execution.progress.phase() == Phase::InFlight;
        let failed = match *event {
            Event::Failure { of, kind, timed_out } if of.number == self.step.execution.attempts => {
                Some((kind, timed_out))
            }
            _ => None,
        };
        if in_flight && !failed.is_some_and(|(kind, _)| kind.proves_unprocessed()) {
            self.step.execution.remember_maybe_applied();
        }
        if end == End::ForeignExecution {
            // What the other policy's retry took is not this one's to return.
            self.step.execution.set_spent(Cost::Nothing);
        }
        // Not even the status of an older session's result goes out.
        let withheld = in_flight || end == End::SessionChanged;
        if withheld {
            self.outcome.hand_over = HandOver::Abort;
        }
        let unsent = failed.is_some_and(|(kind, timed_out)| {
            Disposition::of_failure(self.policy, kind, timed_out, self.now.network) == Disposition::Offline
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
        let Some(disposition) = Disposition::of_event(self.policy, event, self.now.network) else {
            return;
        };
        let (disposition, status, hint, unprocessed) = match *event {
            Event::Response { status, fields, .. } => {
                let (disposition, hint) = self.listen(disposition, status, fields);
                (disposition, status, hint, false)
            }
            Event::Failure { kind, .. } => {
                if !kind.proves_unprocessed() {
                    self.step.execution.remember_maybe_applied();
                }
                (disposition, 0, Hint::ABSENT, kind.proves_unprocessed())
            }
            Event::Wake => return,
        };
        (self.outcome.hint, self.outcome.hand_over) = (hint.report, HandOver::This);
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
            Disposition::Success => {
                self.step.tokens = self.policy.budget.succeeded(self.step.tokens, self.step.execution.progress.spent());
                return self.finish(End::Success, Bound::None);
            }
            Disposition::NotRetryable => return self.finish(End::NotRetryable, Bound::None),
            // Nothing was sent: a token that was taken for this retry is still there for the next try, or goes back.
            Disposition::Offline => self.step.execution.set_phase(Phase::AwaitingNetwork),
            Disposition::Retryable(_) => {
                self.step.execution.set_spent(Cost::Nothing);
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

    /// What the server says beyond its status: a verdict first, and when to come back if that makes sense at all.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn listen(&self, disposition: Disposition, status: u16, fields: &[Field<'_>]) -> (Disposition, Hint) {
        let verdict = if self.policy.reads_verdicts() { hint::verdict(self.policy, status, fields) } else { None };
        let disposition = match (disposition, verdict) {
            (Disposition::NotRetryable, Some(true)) => Disposition::Retryable(Class::Transient),
            _ => disposition,
        };
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
                self.step.execution.not_before = until;
                self.step.execution.series = series;
                self.step.execution.progress = Progress::new(Phase::Waiting, cost);
                let retry_index = self.step.execution.retry_index();
                self.step.command = Command::Wait(Wait { until, delay, retry_index, bound, hint: self.outcome.hint });
            }
            Decision::Later { end, bound, delay, not_before } => {
                self.outcome.resume = Some(Resume { delay, not_before, attempts_used: self.step.execution.attempts });
                self.finish(end, bound)
            }
            Decision::Stop { end, bound } => self.finish(end, bound),
        }
    }

    fn wake(&mut self) {
        let now = self.now.mark;
        if now >= self.step.execution.deadline {
            return self.finish(End::Deadline, Bound::Deadline);
        }
        if now < self.step.execution.not_before {
            return self.waiting(self.step.execution.not_before, Bound::None);
        }
        self.launch()
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn network_wake(&mut self) {
        let now = self.now.mark;
        let Execution { give_up, not_before, series, .. } = self.step.execution;
        if now >= give_up {
            self.resume_after(now.until(not_before));
            return self.finish(End::Offline, Bound::None);
        }
        if self.now.network == Network::Down {
            self.step.command = Command::AwaitNetwork { until: give_up };
            return;
        }
        // One jittered wait, so that all who waited for the same network do not come back as one.
        let draw = self.policy.transient.draw(series, self.now.sample);
        let until = now.after(draw.delay).max(not_before);
        self.pause(until, if until == not_before { Bound::Hint } else { Bound::Backoff })
    }

    /// What stands before every send.
    fn launch(&mut self) {
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
        let left = match self.policy.deadline_scope() {
            DeadlineScope::Attempts if deadline != Mark::MAX => now.until(deadline),
            _ => Millis::MAX,
        };
        let timeout = self.policy.attempt_timeout.min(left);
        let timeout = (timeout != Millis::MAX).then_some(timeout);
        let attempt = self.step.execution.attempts.saturating_add(1);
        self.step.execution.attempts = attempt;
        self.step.execution.set_phase(Phase::InFlight);
        self.step.command = Command::Send { attempt, timeout };
    }

    /// A wait that no result asked for. It too is deferred above the longest wait, and must fit the deadline.
    fn pause(&mut self, until: Mark, bound: Bound) {
        let delay = self.now.mark.until(until);
        let refused = match () {
            () if delay > self.step.execution.max_wait || until == Mark::MAX => Some((End::Deferred, Bound::MaxWait)),
            () if until >= self.step.execution.deadline => Some((End::Deadline, Bound::Deadline)),
            () => None,
        };
        if let Some((end, bound)) = refused {
            self.resume_after(delay);
            return self.finish(end, bound);
        }
        self.step.execution.not_before = until;
        self.step.execution.set_phase(Phase::Waiting);
        self.waiting(until, bound)
    }

    #[cfg_attr(target_family = "wasm", inline(never))]
    fn waiting(&mut self, until: Mark, bound: Bound) {
        let delay = self.now.mark.until(until);
        let retry_index = self.step.execution.retry_index();
        self.step.command = Command::Wait(Wait { until, delay, retry_index, bound, hint: self.outcome.hint });
    }

    #[cfg_attr(not(target_family = "wasm"), cold)]
    fn await_network(&mut self) {
        // Begun once for all rounds until a send counts again, so that a network that comes and goes ends too.
        if self.step.execution.give_up == Mark::default() {
            self.step.execution.give_up =
                self.now.mark.after(self.step.execution.max_wait).min(self.step.execution.deadline);
        }
        self.step.execution.set_phase(Phase::AwaitingNetwork);
        self.step.command = Command::AwaitNetwork { until: self.step.execution.give_up };
    }

    fn resume_after(&mut self, delay: Millis) {
        let not_before = self.now.wall.map(|wall| wall.after(delay));
        self.outcome.resume = Some(Resume { delay, not_before, attempts_used: self.step.execution.attempts });
    }

    /// Ends the request. A token that was taken for a retry that is not sent goes back.
    fn finish(&mut self, end: End, bound: Bound) {
        let Execution { progress, facts, attempts, .. } = self.step.execution;
        if progress.phase() != Phase::InFlight {
            self.step.tokens = self.policy.budget.returned(self.step.tokens, progress.spent());
        }
        self.step.execution.progress = Progress::new(Phase::Finished, Cost::Nothing);
        self.outcome.end = end;
        self.outcome.bound = bound;
        self.outcome.attempts = attempts;
        self.outcome.maybe_applied = facts.0 & Facts::MAYBE_APPLIED != 0;
        self.step.command = Command::Finish(self.outcome);
    }
}

/// What ends a request from outside, whatever happened to it.
#[inline(always)]
fn interruption(execution: &Execution, policy: &Policy, event: &Event<'_>, now: &Now) -> Option<End> {
    Some(match () {
        () if execution.progress == Progress::MALFORMED => End::MalformedExecution,
        () if execution.policy != policy.fingerprint() => End::ForeignExecution,
        () if execution.session != now.session => End::SessionChanged,
        () if now.cancelled => End::Cancelled,
        () if !is_valid(now) || !fields_are_valid(policy, event) => End::InvalidInput,
        () => return None,
    })
}

/// No numbers that no wait can be computed from.
fn is_valid(now: &Now) -> bool {
    now.mark.is_valid() && now.hold.is_none_or(Mark::is_valid)
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn fields_are_valid(policy: &Policy, event: &Event<'_>) -> bool {
    let Event::Response { fields, .. } = *event else { return true };
    match fields {
        [] if cfg!(not(target_family = "wasm")) => true,
        [field] if cfg!(not(target_family = "wasm")) => field.index < policy.fields.count(),
        _ => are_distinct(policy, fields),
    }
}

#[cfg_attr(not(target_family = "wasm"), cold, inline(never))]
fn are_distinct(policy: &Policy, fields: &[Field<'_>]) -> bool {
    let mut free = 1_u32.wrapping_shl(policy.fields.count().into()).wrapping_sub(1);
    let is_new = |field: &Field<'_>| {
        let bit = 1_u32.checked_shl(field.index.into()).unwrap_or(0) & free;
        free &= !bit;
        bit != 0
    };
    fields.len() <= FIELDS_MAX && fields.iter().all(is_new)
}
