//! One attempt: sent, completed, reported. Whatever ends it, it is over when it has been reported.

use std::{
    future::Future,
    num::NonZero,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use policy_core::{Command, Event, HintReport, Mark, Millis, hint::Hint};

use super::{Asked, Over, Progress, Run, Task};
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

/// What to do now, or how the request ends and what is left of the attempt.
pub(crate) type Next<R, E> = Result<Task, (Over, Last<R, E>)>;

/// What a part of an attempt came to, `None` if its time was up; `Err` if it was given up, with what to do now.
pub(crate) type Part<T> = Result<Option<T>, Result<Command, Reason>>;

/// Why an attempt has no answer.
pub(crate) enum Unanswered<E> {
    Failed(Failure<E>),
    /// The policy gave it up, and says what to do now.
    GivenUp(Result<Command, Reason>),
}

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    /// Begins an attempt.
    pub(crate) fn begin(&mut self) -> Attempt {
        self.sends_before = self.options.nesting.as_ref().map(Nesting::begin);
        let left = || self.driver.time().mark(Rounding::Down).until(self.until);
        let timeout = (self.until != Mark::MAX).then(left);
        Attempt { number: self.attempts, timeout, max: self.max.map(NonZero::get) }
    }

    /// The head of an answer, if there is one.
    pub(crate) fn headed<R, F>(&mut self, sent: Part<Attempted<R, F>>) -> Result<R, Unanswered<F>> {
        let sent = sent.map_err(Unanswered::GivenUp)?;
        let Attempted { result, sends, exhausted } =
            self.counted(sent.unwrap_or_else(|| Err(Failure::timed_out()).into()));
        (self.sends, self.exhausted) = (sends, exhausted);
        result.map_err(Unanswered::Failed)
    }

    /// When an answer has to be read, of which the head is here.
    pub(crate) fn completes_by(&self, timeout: Option<Millis>) -> Mark {
        let limit = |timeout| self.driver.time().mark(Rounding::Up).after(timeout).min(self.cut_off);
        timeout.map_or(self.cut_off, limit)
    }

    /// Whether an answer was read as far as it has to be.
    pub(crate) fn read<F>(read: Part<Result<(), Failure<F>>>) -> Result<(), Unanswered<F>> {
        let read = read.map_err(Unanswered::GivenUp)?;
        read.unwrap_or_else(|| Err(Failure::timed_out())).map_err(Unanswered::Failed)
    }

    /// Tells the engine of an answer.
    pub(crate) fn answered(&mut self, answer: &impl Head) -> Result<Task, Over> {
        let (of, status) = (self.attempt(), answer.status());
        let command = self.ask(of, answer);
        self.trace(|| TraceEvent::Answered { attempt: of.number, status });
        self.task(command)
    }

    /// Tells the engine of an attempt that has no answer, unless it knows.
    pub(crate) fn unanswered<R, F>(&mut self, why: Unanswered<F>) -> Next<R, F> {
        let of = self.attempt();
        let (command, last) = match why {
            Unanswered::GivenUp(next) => {
                (self.sent, self.before) = (true, None);
                self.count_aborted();
                self.trace(|| TraceEvent::Aborted { attempt: of.number });
                (next, Last::Nothing)
            }
            Unanswered::Failed(failure) if failure.refused => {
                self.trace(|| TraceEvent::Refused { attempt: of.number });
                (Err(self.unsend(of.number)), Last::Failure(failure))
            }
            Unanswered::Failed(failure) => {
                let Failure { kind, timed_out, .. } = failure;
                self.count(of);
                let asked = Asked::Handle(Event::Failure { of, kind, timed_out });
                let command = self.now(Rounding::Up).and_then(|mut now| self.step(&asked, &mut now));
                self.trace(|| TraceEvent::Failed { attempt: of.number, kind, timed_out });
                (command, Last::Failure(failure))
            }
        };
        self.task(command).map_err(|over| (over, last))
    }

    /// The attempt under way, as the engine is told of it.
    const fn attempt(&self) -> policy_core::Attempt {
        policy_core::Attempt { number: self.attempts, sends: self.sends, exhausted: self.exhausted }
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

    fn ask(&mut self, of: policy_core::Attempt, answer: &impl Head) -> Result<Command, Reason> {
        let values = FieldValues::of(answer.headers(), self.driver.fields());
        let (status, fields) = (answer.status(), values.as_fields());
        let asked = Asked::Handle(Event::Response { of, status, fields: &fields });
        self.count(of);
        let mut now = self.now(Rounding::Up)?;
        let command = self.step(&asked, &mut now)?;
        let hint = command.hint();
        self.asked = Millis::MAX;
        if let Some(policy) = self.driver.policy().filter(|_| hint.holds()) {
            let least = Hint::read(policy, status, &fields, now.wall).delay;
            self.options.hold_until(now.mark.after(least));
            self.asked = if hint == HintReport::Used { least } else { Millis::MAX };
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
