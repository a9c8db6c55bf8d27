//! The short way, natively: a response that is worth another send and can be waited for.
//!
//! It takes the steps of [`Call`](crate::call::Call), by the same functions in the same order, but changes no step and copies none: all of it
//! stays in registers. What it does not come to is left to the call, from the start.

use crate::{
    classify::Disposition,
    command::{Command, Wait},
    decision::{Decision, Situation, decide},
    event::{Event, Now},
    hint::Hint,
    interruption::interruption,
    policy::Policy,
    state::{Execution, Phase, Progress},
    step::Step,
    time::Mark,
};

/// The wait that `event` comes to; `None` if it comes to anything else, or may.
#[inline(always)]
pub(crate) fn retry(before: &Execution, policy: &Policy, event: &Event<'_>, now: &Now) -> Option<Step> {
    let Event::Response { of, status, fields } = event else { return None };
    let Disposition::Retryable(class) = Disposition::of_status(policy, *status) else { return None };
    let in_flight = before.progress.phase() == Phase::InFlight && of.number == before.attempts;
    if !in_flight || policy.reads_verdicts() || interruption(before, policy, event, now).is_some() {
        return None;
    }
    let hint = Hint::read(policy, *status, fields, now.wall);
    if hint.forbids {
        return None;
    }
    let attempts = before.attempts.saturating_sub(1).saturating_add(of.sends.max(1));
    let execution = Execution { attempts, last_status: *status, give_up: Mark::default(), ..*before };
    let situation = Situation { execution: &execution, class, hint, unprocessed: false, exhausted: of.exhausted };
    let Decision::Retry { delay, bound, series, cost, tokens } =
        decide(policy, &situation, now, policy.budget.failed(now.tokens))
    else {
        return None;
    };
    let until = now.mark.after(delay);
    let progress = Progress::new(Phase::Waiting, cost);
    let retry_index = execution.retry_index();
    Some(Step {
        execution: Execution { not_before: until, series, progress, ..execution },
        tokens,
        command: Command::Wait(Wait { until, delay, retry_index, bound, hint: hint.report }),
    })
}
