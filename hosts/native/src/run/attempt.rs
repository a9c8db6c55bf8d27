//! One attempt: sent, completed, reported. Whatever ends it, it is over when it has been reported.

use std::{
    future::Future,
    num::NonZero,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use policy_core::{Command, Event, HintReport, Mark, Millis, Outcome, Wait, hint::Hint};

use super::{Asked, Progress, Run};
use crate::{
    engine::Engine,
    entropy::Entropy,
    fields::FieldValues,
    nesting::Nesting,
    observer::TraceEvent,
    outcome::{Last, Reason},
    time::{Rounding, Time, sleep},
    transport::{Attempt, Attempted, Failure, Head},
};

/// What to do now, and what is left of the attempt.
pub(crate) type Next<R, E> = (Result<Command, Reason>, Last<R, E>);

/// What a part of an attempt came to, `None` if its time was up; `Err` if it was given up, with what to do now.
pub(crate) type Part<T> = Result<Option<T>, Result<Command, Reason>>;

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    /// Begins an attempt.
    pub(crate) fn begin(&mut self) -> Attempt {
        self.sends_before = self.options.nesting.as_ref().map(Nesting::begin);
        let left = || self.driver.time().mark(Rounding::Down).until(self.until);
        let timeout = (self.until != Mark::MAX).then(left);
        Attempt { number: self.attempts, timeout, max: self.max.map(NonZero::get) }
    }

    /// The head of an answer, if there is one; else the attempt is over.
    pub(crate) fn headed<R: Head, F>(&mut self, sent: Part<Attempted<R, F>>) -> ControlFlow<Next<R, F>, R> {
        match sent.map(|sent| self.counted(sent.unwrap_or_else(|| Err(Failure::timed_out()).into()))) {
            Ok(Attempted { result: Ok(head), sends, exhausted }) => {
                (self.sends, self.exhausted) = (sends, exhausted);
                ControlFlow::Continue(head)
            }
            Ok(Attempted { result: Err(failure), sends, exhausted }) => {
                ControlFlow::Break(self.report(Err(failure), sends, exhausted))
            }
            Err(next) => ControlFlow::Break(self.aborted(next)),
        }
    }

    /// Ends an attempt whose answer was read as far as it has to be.
    pub(crate) fn completed<R: Head, F>(&mut self, completed: Part<Result<R, Failure<F>>>) -> Next<R, F> {
        match completed {
            Ok(completed) => {
                let result = completed.unwrap_or_else(|| Err(Failure::timed_out()));
                self.report(result, self.sends, self.exhausted)
            }
            Err(next) => self.aborted(next),
        }
    }

    fn aborted<R, F>(&mut self, next: Result<Command, Reason>) -> Next<R, F> {
        (self.sent, self.before) = (true, None);
        self.count_aborted();
        let attempt = self.attempts;
        self.trace(|| TraceEvent::Aborted { attempt });
        (next, Last::Nothing)
    }

    /// With the sends of all layers below.
    fn counted<R, F>(&mut self, attempted: Attempted<R, F>) -> Attempted<R, F> {
        let Some((nesting, before)) = self.options.nesting.as_ref().zip(self.sends_before.take()) else {
            return attempted;
        };
        nesting.end(before, &attempted);
        let exhausted = attempted.exhausted || nesting.has_given_up() || nesting.is_retried_above();
        Attempted { sends: nesting.sends_since(before).max(attempted.sends), exhausted, ..attempted }
    }

    /// Runs a part of an attempt until it is over, `None` if that was not before `limit`, or until the policy gives it up.
    pub(crate) fn within<'r, F>(
        &'r mut self,
        limit: Mark,
        part: F,
    ) -> Within<'r, 'a, E, T, X, F, impl Future<Output = ()> + use<'a, F, E, T, X>> {
        let driver = self.driver;
        Within { run: self, part, alarm: sleep(driver.time(), limit) }
    }

    /// Tells the engine what came of an attempt.
    fn report<R: Head, F>(&mut self, result: Result<R, Failure<F>>, sends: u32, exhausted: bool) -> Next<R, F> {
        let number = self.attempts;
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
                self.count(of);
                let command = self.step(Rounding::Up, &Asked::Handle(event)).map(|(command, _)| command);
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
        self.count(of);
        let (command, now) = self.step(Rounding::Up, &Asked::Handle(event))?;
        self.asked = match (hint_of(&command), self.driver.policy()) {
            (HintReport::Used, Some(policy)) => Hint::read(policy, status, &fields, now.wall).delay,
            _ => Millis::MAX,
        };
        if let (Some(asked), Some(hold)) = (self.asked(), &self.options.hold) {
            hold.extend_to(now.mark.after(asked));
        }
        Ok(command)
    }

    /// An attempt that is given up counts as a send, unless a layer below has counted its own.
    pub(super) fn count_aborted(&mut self) {
        if let Some((nesting, before)) = self.options.nesting.as_ref().zip(self.sends_before.take()) {
            nesting.count(before, 1);
        }
    }

    fn count(&mut self, of: policy_core::Attempt) {
        self.attempts = of.number.saturating_sub(1).saturating_add(of.sends.max(1));
        (self.sent, self.before) = (true, None);
    }

    /// As if the attempt had never been begun, which for the server it was not.
    fn unsend(&mut self, number: u32) -> Reason {
        self.attempts = number.saturating_sub(1);
        self.progress = self.before.take().map_or(Progress::Over, |before| Progress::Open(*before));
        Reason::Refused
    }
}

pin_project! {
    /// See [`Run::within`]. Written out, since an `async fn` would keep the part twice.
    pub(crate) struct Within<'r, 'a, E: Engine, T: Time, X: Entropy, F, S> {
        run: &'r mut Run<'a, E, T, X>,
        #[pin]
        part: F,
        #[pin]
        alarm: S,
    }
}

impl<E: Engine, T: Time, X: Entropy, F: Future, S: Future> Future for Within<'_, '_, E, T, X, F, S> {
    type Output = Part<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut within = self.project();
        loop {
            let part = within.part.as_mut();
            let polled = match within.run.watch() {
                Some(watch) => watch.poll(part, cx),
                None => part.poll(cx),
            };
            if let Poll::Ready(over) = polled {
                return Poll::Ready(Ok(Some(over)));
            }
            if within.alarm.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(None));
            }
            ready!(within.run.poll_changed(cx));
            match within.run.wake() {
                Ok((Command::Keep, _)) => {}
                next => return Poll::Ready(Err(next.map(|(command, _)| command))),
            }
        }
    }
}

/// What became of the server's hint, as the policy reports it.
fn hint_of(command: &Command) -> HintReport {
    match command {
        Command::Wait(Wait { hint, .. }) | Command::Finish(Outcome { hint, .. }) => *hint,
        Command::Keep | Command::Send { .. } | Command::AwaitNetwork { .. } => HintReport::Absent,
    }
}
