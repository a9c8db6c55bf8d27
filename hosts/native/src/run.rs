//! One logical request under way: calls into the engine, and what is done between them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
};

use policy_core::{
    Bound, Command, End, Event, HandOver, HintReport, Mark, Network, Now, Outcome, Request, Sample, Session, Tokens,
};

use crate::{
    budget::RetryBudget,
    changes::{Changes, Either, race},
    driver::{Driver, RunResult},
    engine::{Engine, EngineError, State, Step},
    entropy::Entropy,
    fields::FieldValues,
    observer::{Trace, TraceEvent},
    options::Options,
    outcome::{Delivered, Ended, Last, Reason},
    session::SessionTag,
    time::{Rounding, Time, sleep, yield_once},
    transport::{Attempt, Attempted, Failure, Head, Transport},
};

/// One logical request.
pub(crate) struct Run<'a, E: Engine, T: Time, X: Entropy> {
    driver: &'a Driver<E, T, X>,
    options: &'a Options,
    changes: Changes,
    /// The session in which the driver was called.
    session: Session,
    id: u64,
    state: State,
    /// The engine has begun the request and not ended it.
    open: bool,
    /// The clock as last told to the engine.
    at: Mark,
    /// Sends before this run.
    used: u32,
    /// All sends so far, as far as they are reported.
    attempts: u32,
}

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    pub(crate) fn new(driver: &'a Driver<E, T, X>, request: &Request, options: &'a Options, id: u64) -> Self {
        Self {
            driver,
            options,
            changes: Changes::of(options),
            session: session_of(options),
            id,
            state: State([0; 8]),
            open: false,
            at: Mark::default(),
            used: request.attempts_used,
            attempts: request.attempts_used,
        }
    }

    /// The policy takes the session of this call for that of the request, so it cannot notice one that ended between the
    /// call of the driver and its first poll. Compared after the changes were settled, so that none is missed.
    pub(crate) fn start(&mut self, request: &Request) -> Result<Command, Reason> {
        let command = self.step(Rounding::Down, |engine, _, now| engine.start(request, now));
        match self.session == session_of(self.options) {
            true => command,
            false => Err(Reason::Policy(End::SessionChanged)),
        }
    }

    /// Calls into the engine with everything as it is now.
    fn step(
        &mut self,
        rounding: Rounding,
        call: impl Fn(&E, &State, &Now) -> Result<Step, EngineError>,
    ) -> Result<Command, Reason> {
        self.changes.settle();
        let mut now = self.now(rounding)?;
        let step = self.budget().apply(|tokens| {
            now.tokens = tokens;
            call(self.driver.engine(), &self.state, &now)
        })?;
        self.state = step.state;
        self.open = !matches!(step.command, Command::Finish(_));
        self.at = now.mark;
        Ok(step.command)
    }

    fn budget(&self) -> &RetryBudget {
        self.options.budget.as_ref().unwrap_or(self.driver.budget())
    }

    fn now(&self, rounding: Rounding) -> Result<Now, Reason> {
        let Options { cancel, network, hold, .. } = self.options;
        let session = session_of(self.options);
        let cancelled = cancel.as_ref().is_some_and(|cancel| cancel.is_cancelled());
        // The core ends a cancelled request, and one of an older session, before it draws: no sample is looked at, and a
        // lack of randomness must not turn a cancel into a failure.
        let interrupted = cancelled || self.session != session;
        let sample = if interrupted { Sample::ZERO } else { self.driver.entropy().sample()? };
        // A date's remaining time is taken from the wall clock and added to the mark. When the thread stands still between
        // the two readings, the one that was read first is too low: so the wall clock, which makes the wait longer.
        let wall = self.driver.time().wall();
        let mark = self.driver.time().mark(rounding);
        Ok(Now {
            mark,
            wall,
            session,
            cancelled,
            network: network.as_ref().map(|network| network.current()).unwrap_or_default(),
            sample,
            tokens: Tokens::ZERO,
            hold: hold.as_ref().and_then(|hold| hold.until()),
        })
    }

    fn wake(&mut self) -> Result<Command, Reason> {
        self.step(Rounding::Down, |engine, state, now| engine.handle(state, Event::Wake, now))
    }

    /// Makes an attempt and reports it. Whatever ends it, the attempt is over when this returns.
    pub(crate) async fn attempt<C: Transport>(
        &mut self,
        transport: &mut C,
        attempt: Attempt,
    ) -> (Result<Command, Reason>, Last<C::Response, C::Error>) {
        self.attempts = attempt.number;
        self.trace(TraceEvent::Sent { attempt: attempt.number, timeout: attempt.timeout });
        let limit = attempt.timeout.map(|timeout| self.at.after(timeout));
        let mut sending = pin!(transport.attempt(attempt));
        let mut timeout = pin!(sleep(self.driver.time(), limit));
        loop {
            let first = race(sending.as_mut(), race(timeout.as_mut(), self.changes.next())).await;
            match first {
                Either::Left(attempted) => return self.report(attempt.number, attempted),
                Either::Right(Either::Left(())) => {
                    return self.report(attempt.number, Err(Failure::timed_out()).into());
                }
                Either::Right(Either::Right(())) => match self.wake() {
                    Ok(Command::Keep) => {}
                    next => return (next, Last::Nothing),
                },
            }
        }
    }

    /// Tells the engine what came of an attempt.
    fn report<R: Head, F>(&mut self, number: u32, attempted: Attempted<R, F>) -> (Result<Command, Reason>, Last<R, F>) {
        let Attempted { result, sends, exhausted } = attempted;
        self.attempts = number.saturating_sub(1).saturating_add(sends.max(1));
        let of = policy_core::Attempt { number, sends, exhausted };
        let (command, event) = match &result {
            Ok(response) => {
                let names = &self.driver.engine().description().fields;
                let values = FieldValues::of(response.headers(), names);
                let (status, fields) = (response.status(), values.as_fields());
                let event = Event::Response { of, status, fields: &fields };
                let command = self.step(Rounding::Up, |engine, state, now| engine.handle(state, event, now));
                (command, TraceEvent::Answered { attempt: number, status })
            }
            Err(Failure { kind, timed_out, .. }) => {
                let event = Event::Failure { of, kind: *kind, timed_out: *timed_out };
                let command = self.step(Rounding::Up, |engine, state, now| engine.handle(state, event, now));
                (command, TraceEvent::Failed { attempt: number, kind: *kind, timed_out: *timed_out })
            }
        };
        self.trace(event);
        (command, result.into())
    }

    /// Waits until the engine commands something else.
    pub(crate) async fn pause(&mut self, pause: Command) -> Result<Command, Reason> {
        let (until, event) = match pause {
            Command::Wait(wait) => (wait.until, TraceEvent::WaitPlanned(wait)),
            Command::AwaitNetwork { until } => (until, TraceEvent::NetworkAwaited { until }),
            other => return Ok(other),
        };
        self.trace(event);
        let begun = self.at;
        loop {
            race(self.driver.time().sleep_until(until), self.changes.next()).await;
            let next = self.wake()?;
            if !goes_on(&pause, &next) {
                self.trace(TraceEvent::WaitOver { waited: begun.until(self.at) });
                return Ok(next);
            }
            if self.at >= until {
                return Err(unexpected("a wait that is over"));
            }
            yield_once().await;
        }
    }

    pub(crate) fn finish<R: Head, F>(&self, outcome: Outcome, last: Last<R, F>) -> RunResult<R, F> {
        let Outcome { end, bound, hint, attempts, maybe_applied, hand_over, resume } = outcome;
        let last = match (hand_over, last) {
            (HandOver::This, Last::Response(response)) if end == End::Success => {
                self.trace(TraceEvent::Ended { reason: Reason::Policy(end), bound, hint, attempts });
                return Ok(Delivered { response, session: self.tag(), attempts, maybe_applied });
            }
            (_, last) if end == End::Success => {
                return Err(self.broken(unexpected("a success without a response"), last));
            }
            (HandOver::This, last) => last,
            (HandOver::Abort | HandOver::LastStatus(0), _) => Last::Nothing,
            (HandOver::LastStatus(status), _) => Last::Status(status),
        };
        let reason = Reason::Policy(end);
        Err(self.ended(Ended { reason, bound, hint, attempts, maybe_applied, resume, last, session: self.tag() }))
    }

    /// The policy could not be asked: nothing more is sent, a response that it did not see is withheld, and all of an older
    /// session is.
    pub(crate) fn broken<R: Head, F>(&self, reason: Reason, last: Last<R, F>) -> Ended<R, F> {
        let last = match last {
            _ if self.session != session_of(self.options) => Last::Nothing,
            Last::Response(response) => Last::Status(response.status()),
            last => last,
        };
        self.ended(Ended {
            reason,
            bound: Bound::None,
            hint: HintReport::Absent,
            attempts: self.attempts,
            maybe_applied: self.attempts > self.used,
            resume: None,
            last,
            session: self.tag(),
        })
    }

    fn ended<R, F>(&self, ended: Ended<R, F>) -> Ended<R, F> {
        let Ended { bound, hint, attempts, .. } = ended;
        self.trace(TraceEvent::Ended { reason: ended.reason.clone(), bound, hint, attempts });
        ended
    }

    fn tag(&self) -> SessionTag {
        SessionTag::new(self.session, self.options.session.clone())
    }

    fn trace(&self, event: TraceEvent) {
        if let Some(observer) = &self.options.observer {
            observer.event(&Trace { request: self.id, at: self.at, event });
        }
    }
}

/// A request that is dropped, or that the driver ended itself, tells the engine, so that a token taken for a retry that is
/// not sent goes back. An engine that fails here too keeps it: there is nobody else to ask.
impl<E: Engine, T: Time, X: Entropy> Drop for Run<'_, E, T, X> {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        // The core ends a cancelled request before it looks at clocks or sample, so none is read that could fail.
        let now = Now {
            mark: self.at,
            wall: None,
            session: self.session,
            cancelled: true,
            network: Network::default(),
            sample: Sample::ZERO,
            tokens: Tokens::ZERO,
            hold: None,
        };
        let end = |tokens| self.driver.engine().handle(&self.state, Event::Wake, &Now { tokens, ..now });
        // Out of a drop, a panic of the engine could end the process.
        let _ = catch_unwind(AssertUnwindSafe(|| self.budget().apply(end)));
    }
}

/// Without a handle every request is of one session, whose number does not matter.
fn session_of(options: &Options) -> Session {
    options.session.as_ref().map_or(Session::new(0), |session| session.current())
}

/// Whether `next` says to go on with `pause`.
fn goes_on(pause: &Command, next: &Command) -> bool {
    match (pause, next) {
        (_, Command::Keep) => true,
        (Command::Wait(pause), Command::Wait(next)) => pause.until == next.until,
        (Command::AwaitNetwork { until: pause }, Command::AwaitNetwork { until: next }) => pause == next,
        _ => false,
    }
}

/// An engine that asks for what makes no sense has failed.
pub(crate) fn unexpected(what: &str) -> Reason {
    EngineError::Unknown(what.to_owned()).into()
}
