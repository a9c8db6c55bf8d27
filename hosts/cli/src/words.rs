//! What the policy's codes mean, in words for people.

use policy_core::{
    Bound, End, HintReport, Resume,
    retry_after::{Proof, RetryAfterError},
};

use crate::{duration, moment};

/// What fixed a delay.
pub(crate) fn why(bound: Bound, hint: HintReport) -> String {
    match (bound, hint) {
        (Bound::Hint, HintReport::Used) => "the server named the time".to_owned(),
        (Bound::Hint, HintReport::Conflicting) => {
            "the server named several times that disagree, and the largest is respected".to_owned()
        }
        (Bound::Hint, refused) => format!("what the server's unreadable hint still proves ({})", refused.name()),
        (Bound::Backoff, HintReport::Absent) => "local backoff, the server named no time".to_owned(),
        (Bound::Backoff, HintReport::Used) => "local backoff, longer than what the server asked for".to_owned(),
        (Bound::Backoff, HintReport::NotAsked) => "local backoff, the policy does not ask for a hint here".to_owned(),
        // It may prove a lower bound all the same, which the backoff then keeps.
        (Bound::Backoff, refused) => {
            format!("local backoff, the server's hint was refused ({}) and does not prolong it", refused.name())
        }
        (Bound::Hold, _) => "another request to this server was told to wait".to_owned(),
        (Bound::Resume, _) => "it is resumed before its time".to_owned(),
        (bound, _) => bound.name().to_owned(),
    }
}

/// Why a request ended, beyond its name.
pub(crate) fn ended(end: End, bound: Bound) -> &'static str {
    match end {
        End::Success => "the answer is here",
        End::Deferred => "worth another try, but later than this process may wait",
        End::Cancelled => "nothing more is sent",
        End::SessionChanged => "somebody else is signed in, so nothing of this request is delivered",
        End::NotRetryable if bound == Bound::Hint => "the server says not to",
        End::NotRetryable => "another try would bring the same",
        End::AttemptsUsed => "every attempt that is allowed was made",
        End::BodyNotReplayable => "the body cannot be sent again from its start",
        End::NotIdempotent => "it may have been applied, and a repeat could apply it twice",
        End::BudgetEmpty => "too large a share of the traffic is retries; this one is not made",
        End::Deadline if bound == Bound::Deadline => "the deadline has passed, or the wait would reach it",
        End::Offline => "the network did not come back in time",
        End::Nested => "a layer below retried this and gave up",
        _ => "no decision was made, so nothing more is sent",
    }
}

/// When a request may go on.
pub(crate) fn resume(resume: &Resume) -> String {
    let Resume { delay, not_before, attempts_used } = *resume;
    let moment = not_before.map(|moment| format!(", not before {}", moment::text_of(moment)));
    let attempts = if attempts_used == 1 { "1 attempt".to_owned() } else { format!("{attempts_used} attempts") };
    format!("in {}{}, with {attempts} used", duration::text(delay), moment.unwrap_or_default())
}

/// Why a Retry-After value is refused.
pub(crate) fn refused(reason: HintReport) -> String {
    RetryAfterError { reason, proof: Proof::Nothing }.to_string()
}
