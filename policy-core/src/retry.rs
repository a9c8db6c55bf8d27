//! The short way, natively: a response that is worth another send and can be waited for.
//!
//! It asks what [`Call`](crate::call::Call) asks, of the same functions and in the same order, but changes no step and
//! copies none, so that all of it stays in registers. What it does not come to is left to the call, from the start.

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
    if !in_flight || policy.reads_verdicts() || interruption(before, policy, Some(event), now).is_some() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        backoff::{Backoff, Jitter, Thousandths},
        budget::{BudgetRules, Tokens},
        event::{Attempt, Field, Network},
        field::{BadValue, HintField, Unit},
        field_list::HintFields,
        random::Sample,
        request::{IdempotencyKey, Limits, Method, Request},
        rules::{HintMode, HintRules, Rules},
        status::StatusSet,
        time::{Millis, Session, UnixMillis},
    };

    const NOW: Now = Now {
        mark: Mark::new(1_000),
        wall: Some(UnixMillis::new(1_559_561_400_000)),
        session: Session::new(1),
        cancelled: false,
        network: Network::Unknown,
        sample: Sample::new(0x8000_0001),
        tokens: Tokens::new(500),
        hold: None,
    };
    const IN_TWELVE_SECONDS: &[u8] = b"Mon, 03 Jun 2019 11:30:12 GMT";

    /// What the call comes to, which takes the long way.
    fn by_call(before: &Execution, policy: &Policy, event: &Event<'_>, now: &Now) -> Step {
        let mut step = Step::new(*before, now);
        step.carry_on(Some(event), policy, now);
        step
    }

    fn policies() -> [Policy; 7] {
        let hint = HintRules::DEFAULT;
        let list = |fields: &[HintField<'_>]| {
            fields.iter().try_fold(HintFields::EMPTY, |list, field| list.with(*field)).unwrap()
        };
        let strict = HintField { bad_value: BadValue::Stop, ..HintField::RETRY_AFTER };
        let exact = HintField { name: "retry-after-ms", unit: Unit::Milliseconds, ..HintField::RETRY_AFTER };
        let verdict = HintField { name: "x-should-retry", unit: Unit::Verdict, ..HintField::RETRY_AFTER };
        let instead = HintRules { mode: HintMode::Instead { zero_at_once: false }, resets_backoff: true, ..hint };
        let late = Backoff { jitter: Jitter::Decorrelated, ..Backoff::doubling(Millis::new(70_000)) };
        [
            Rules::DEFAULT,
            Rules { hint: HintRules { fields: list(&[strict]), spread: Thousandths::ONE, ..hint }, ..Rules::DEFAULT },
            Rules { hint: HintRules { fields: list(&[exact, HintField::RETRY_AFTER]), ..hint }, ..Rules::DEFAULT },
            Rules { hint: HintRules { fields: list(&[HintField::RETRY_AFTER, verdict]), ..hint }, ..Rules::DEFAULT },
            Rules {
                hint: HintRules { skew_from_date: true, statuses: StatusSet::of(&[503]), ..hint },
                ..Rules::DEFAULT
            },
            Rules {
                hint: instead,
                budget: Some(BudgetRules::grpc_throttling(Tokens::new(501), Tokens::new(1))),
                ..Rules::DEFAULT
            },
            Rules { transient: late, throttled: late, max_wait: None, ..Rules::DEFAULT },
        ]
        .map(|rules| Policy::new(rules).unwrap())
    }

    fn requests() -> [Request; 4] {
        let get = Request::new(Method::Get);
        let limits = Limits { deadline: Some(Millis::new(13_000)), ..Limits::NONE };
        [
            get,
            Request { attempts_used: 2, ..get },
            Request { limits, key: IdempotencyKey::Honoured, ..Request::new(Method::Post) },
            Request { replayable: false, ..get },
        ]
    }

    fn nows() -> [Now; 8] {
        [
            NOW,
            Now { mark: Mark::new(122_000), ..NOW },
            Now { mark: Mark::new(u64::MAX), ..NOW },
            Now { cancelled: true, ..NOW },
            Now { session: Session::new(2), ..NOW },
            Now { wall: None, sample: Sample::ONE, ..NOW },
            Now { tokens: Tokens::new(3), ..NOW },
            Now { hold: Some(Mark::new(u64::MAX)), ..NOW },
        ]
    }

    #[test]
    fn the_short_way_comes_to_what_the_call_comes_to() {
        let values = [b"12".as_slice(), b"0", b"soon", b"61", b"99999999999999999999", IN_TWELVE_SECONDS, b"1, 2"];
        let field = |index, value| [Field { index, value }, Field { index: index ^ 1, value: b"7" }];
        let pairs = (0..3).flat_map(|index| values.map(|value| field(index, value)));
        let attempts = |number| {
            [Attempt::single(number), Attempt::single(9), Attempt { sends: 3, ..Attempt::single(number) }]
                .into_iter()
                .chain([Attempt { exhausted: true, ..Attempt::single(number) }])
        };
        let (mut short, mut all) = (0, 0);
        for (policy, request) in policies().iter().flat_map(|policy| requests().map(|request| (policy, request))) {
            let started = Execution::start(policy, &request, &NOW).execution;
            let waiting = Execution { progress: Progress::new(Phase::Waiting, Default::default()), ..started };
            for (before, fields) in
                [started, waiting].iter().flat_map(|before| pairs.clone().map(move |pair| (before, pair)))
            {
                for (of, count) in attempts(before.attempts).flat_map(|of| [0, 1, 2].map(|count| (of, count))) {
                    for (status, now) in [200, 429, 503].into_iter().flat_map(|status| nows().map(|now| (status, now)))
                    {
                        let event = Event::Response { of, status, fields: &fields[..count] };
                        let step = retry(before, policy, &event, &now);
                        (short, all) = (short + u32::from(step.is_some()), all + 1);
                        let expected = by_call(before, policy, &event, &now);
                        assert_eq!(step.unwrap_or(expected), expected, "{event:?} at {now:?}, {before:?}");
                    }
                }
            }
        }
        assert!(short > 1_000, "{short} of {all} took the short way");
    }

    #[test]
    fn a_hint_that_can_be_waited_for_takes_the_short_way() {
        let policy = Policy::new(Rules::DEFAULT).unwrap();
        let before = Execution::start(&policy, &Request::new(Method::Get), &NOW).execution;
        for fields in [&[][..], &[Field { index: 0, value: b"12" }], &[Field { index: 0, value: IN_TWELVE_SECONDS }]] {
            let event = Event::Response { of: Attempt::single(1), status: 503, fields };
            assert!(retry(&before, &policy, &event, &NOW).is_some(), "{fields:?}");
        }
    }
}
