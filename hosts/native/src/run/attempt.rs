//! One attempt: sent, completed, reported. Whatever ends it, it is over when it has been reported.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use policy_core::{Command, Event, HintReport, Mark, Outcome, Wait, hint::Hint};

use super::{Asked, Run};
use crate::{
    engine::Engine,
    entropy::Entropy,
    fields::FieldValues,
    observer::TraceEvent,
    outcome::{Last, Reason},
    race::{Either, race},
    time::{Rounding, Time, sleep},
    transport::{Attempt, Attempted, Failure, Head, Transport},
};

/// What to do now, and what is left of the attempt.
type Next<R, E> = (Result<Command, Reason>, Last<R, E>);

/// What a part of an attempt came to; `Err` if it was given up, with what to do now.
type Part<T> = Result<T, Result<Command, Reason>>;

impl<E: Engine, T: Time, X: Entropy> Run<'_, E, T, X> {
    /// Makes an attempt and reports it.
    pub(crate) async fn attempt<C: Transport>(
        &mut self,
        transport: &mut C,
        attempt: Attempt,
    ) -> Next<C::Response, C::Error> {
        self.attempts = attempt.number;
        self.trace(|| TraceEvent::Sent { attempt: attempt.number, timeout: attempt.timeout });
        let limit = attempt.timeout.map(|timeout| self.at.after(timeout));
        let Attempted { result, sends, exhausted } = match self.counted(limit, transport, attempt).await {
            Ok(attempted) => attempted,
            Err(next) => return self.aborted(attempt.number, next),
        };
        let result = match result {
            Ok(head) => match self.within(self.cut_off, transport.complete(head)).await {
                Ok(completed) => completed.unwrap_or_else(|| Err(Failure::timed_out())),
                Err(next) => return self.aborted(attempt.number, next),
            },
            failed => failed,
        };
        self.report(attempt.number, Attempted { result, sends, exhausted })
    }

    fn aborted<R, F>(&mut self, attempt: u32, next: Result<Command, Reason>) -> Next<R, F> {
        self.trace(|| TraceEvent::Aborted { attempt });
        (next, Last::Nothing)
    }

    /// The attempt up to its head, with the sends of all layers below.
    async fn counted<C: Transport>(
        &mut self,
        limit: Option<Mark>,
        transport: &mut C,
        attempt: Attempt,
    ) -> Part<Attempted<C::Response, C::Error>> {
        let timed_out = || Err(Failure::timed_out()).into();
        let Some(nesting) = &self.options.nesting else {
            return Ok(self.within(limit, transport.attempt(attempt)).await?.unwrap_or_else(timed_out));
        };
        let count = nesting.begin();
        let sending = async {
            let guard = count.guard();
            let attempted = transport.attempt(attempt).await;
            guard.end(&attempted);
            attempted
        };
        let attempted = self.within(limit, sending).await?.unwrap_or_else(timed_out);
        let exhausted = attempted.exhausted || count.gave_up() || nesting.is_retried_above();
        Ok(Attempted { sends: count.sends().max(attempted.sends), exhausted, ..attempted })
    }

    /// Runs a part of an attempt until it is over, `None` if that was not before `limit`, or until the policy gives it up.
    async fn within<O>(&mut self, limit: Option<Mark>, part: impl Future<Output = O>) -> Part<Option<O>> {
        let mut part = pin!(part);
        let mut timeout = pin!(sleep(self.driver.time(), limit));
        loop {
            let watched = poll_fn(|cx| match &mut self.watch {
                Some(watch) => watch.poll(part.as_mut(), cx),
                None => part.as_mut().poll(cx),
            });
            let first = race(watched, race(timeout.as_mut(), self.changes.next())).await;
            match first {
                Either::Left(over) => return Ok(Some(over)),
                Either::Right(Either::Left(())) => return Ok(None),
                Either::Right(Either::Right(())) => match self.wake() {
                    Ok(Command::Keep) => {}
                    next => return Err(next),
                },
            }
        }
    }

    /// Tells the engine what came of an attempt.
    fn report<R: Head, F>(&mut self, number: u32, attempted: Attempted<R, F>) -> Next<R, F> {
        let Attempted { result, sends, exhausted } = attempted;
        self.attempts = number.saturating_sub(1).saturating_add(sends.max(1));
        let of = policy_core::Attempt { number, sends, exhausted };
        let (command, event) = match &result {
            Ok(response) => {
                (self.answered(of, response), TraceEvent::Answered { attempt: number, status: response.status() })
            }
            Err(failure) if failure.refused => {
                self.trace(|| TraceEvent::Refused { attempt: number });
                return (Err(self.unsend(number)), result.into());
            }
            Err(Failure { kind, timed_out, .. }) => {
                let event = Event::Failure { of, kind: *kind, timed_out: *timed_out };
                let command = self.step(Rounding::Up, &Asked::Handle(event));
                (command, TraceEvent::Failed { attempt: number, kind: *kind, timed_out: *timed_out })
            }
        };
        self.trace(|| event);
        (command, result.into())
    }

    fn answered(&mut self, of: policy_core::Attempt, response: &impl Head) -> Result<Command, Reason> {
        let names = &self.driver.engine().description().fields;
        let values = FieldValues::of(response.headers(), names);
        let (status, fields) = (response.status(), values.as_fields());
        let event = Event::Response { of, status, fields: &fields };
        let command = self.step(Rounding::Up, &Asked::Handle(event))?;
        self.asked = match (hint_of(&command), self.driver.policy()) {
            (HintReport::Used, Some(policy)) => Some(Hint::read(policy, status, &fields, self.wall).delay),
            _ => None,
        };
        if let (Some(asked), Some(hold)) = (self.asked, &self.options.hold) {
            hold.extend_to(self.at.after(asked));
        }
        Ok(command)
    }

    /// As if the attempt had never been begun, which for the server it was not.
    fn unsend(&mut self, number: u32) -> Reason {
        self.attempts = number.saturating_sub(1);
        match self.before.take() {
            Some(before) => self.state = before,
            None => self.open = false,
        }
        Reason::Refused
    }
}

/// What became of the server's hint, as the policy reports it.
fn hint_of(command: &Command) -> HintReport {
    match command {
        Command::Wait(Wait { hint, .. }) | Command::Finish(Outcome { hint, .. }) => *hint,
        Command::Keep | Command::Send { .. } | Command::AwaitNetwork { .. } => HintReport::Absent,
    }
}
