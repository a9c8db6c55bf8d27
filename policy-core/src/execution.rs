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

#[cfg(not(target_family = "wasm"))]
use crate::retry::retry;
use crate::{
    backoff::Series,
    budget::Cost,
    call::Call,
    event::{Event, Now},
    policy::Policy,
    request::Request,
    state::{Execution, Facts, Phase, Progress},
    step::Step,
    time::{Mark, Millis},
};

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
        if let Some(step) = retry(self, policy, &event, now) {
            return step;
        }
        let mut step = Step::new(*self, now);
        step.carry_on(Some(&event), policy, now);
        step
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
    /// What [`Execution::handle`] does, and without an event [`Execution::start`], where the step stands.
    #[doc(hidden)]
    pub fn carry_on(&mut self, event: Option<&Event<'_>>, policy: &Policy, now: &Now) {
        Call::new(policy, now, self).take(event)
    }
}
