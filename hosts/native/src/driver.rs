//! The loop that carries out what the policy commands: once, over any engine, time, entropy and transport.
//!
//! It holds no retry rule. All that may have changed outside is read right before each call into the engine, so an early
//! or a needless wake is harmless, and nothing has to be checked again after a wait.

use std::{
    future::pending,
    pin::pin,
    sync::atomic::{AtomicU64, Ordering},
};

use policy_core::{Bound, Command, End, Event, HandOver, HintReport, Mark, Now, Outcome, Request, Session, Tokens};

use crate::{
    budget::RetryBudget,
    changes::{Changes, Either, race},
    engine::{Engine, EngineError, State, Step},
    entropy::Entropy,
    fields::FieldValues,
    observer::{Trace, TraceEvent},
    options::Options,
    outcome::{Delivered, Ended, Last, Reason},
    session::SessionTag,
    time::{Rounding, Time},
    transport::{Attempt, Attempted, Failure, Head, Transport},
};

/// Runs logical requests under one policy.
#[derive(Debug)]
pub struct Driver<E, T, X> {
    engine: E,
    time: T,
    entropy: X,
    budget: RetryBudget,
    requests: AtomicU64,
}

/// What the driver returns: a success, or how the request ended without one.
pub type RunResult<R, E> = Result<Delivered<R>, Ended<R, E>>;

impl<E: Engine, T: Time, X: Entropy> Driver<E, T, X> {
    /// A driver with a full retry budget of its own.
    #[must_use]
    pub fn new(engine: E, time: T, entropy: X) -> Self {
        let budget = RetryBudget::for_policy(engine.description());
        Self { engine, time, entropy, budget, requests: AtomicU64::new(0) }
    }

    /// What decides.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// What measures and waits; the marks in results and traces are its.
    #[must_use]
    pub fn time(&self) -> &T {
        &self.time
    }

    /// The tokens of all requests that bring no budget of their own.
    #[must_use]
    pub fn budget(&self) -> &RetryBudget {
        &self.budget
    }

    /// Runs one logical request to its end. `request` is what the policy may know about it; `transport` sends it.
    ///
    /// Dropping the future ends the request: the attempt in flight is aborted, and nothing is left behind.
    ///
    /// # Errors
    /// Every end but a success. A response that is handed over as it is, such as a 404, is in [`Ended::last`].
    pub async fn run<C: Transport>(
        &self,
        request: &Request,
        mut transport: C,
        options: &Options,
    ) -> RunResult<C::Response, C::Error> {
        let mut run = Run::new(self, options);
        let mut last = Last::Nothing;
        let mut command = run.step(Rounding::Down, |engine, _, now| engine.start(request, now));
        loop {
            command = match command {
                Ok(Command::Send { attempt, timeout }) => {
                    let attempt = Attempt { number: attempt, timeout };
                    let (next, result) = run.attempt(&mut transport, attempt).await;
                    last = result;
                    next
                }
                Ok(pause @ (Command::Wait(_) | Command::AwaitNetwork { .. })) => {
                    last = Last::Nothing;
                    run.pause(pause).await
                }
                Ok(Command::Finish(outcome)) => return run.finish(outcome, last),
                Ok(Command::Keep) => Err(unexpected("`keep` where there is nothing to go on with")),
                Err(reason) => return Err(run.broken(reason, last)),
            };
        }
    }
}

/// One logical request.
struct Run<'a, E, T, X> {
    driver: &'a Driver<E, T, X>,
    options: &'a Options,
    changes: Changes,
    /// The session of the first call.
    session: Option<Session>,
    id: u64,
    state: State,
    /// The clock as last told to the engine.
    at: Mark,
    /// The number of the attempt that was last commanded.
    attempts: u32,
}

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    fn new(driver: &'a Driver<E, T, X>, options: &'a Options) -> Self {
        Self {
            driver,
            options,
            changes: Changes::of(options),
            session: None,
            id: driver.requests.fetch_add(1, Ordering::Relaxed),
            state: State([0; 8]),
            at: Mark::default(),
            attempts: 0,
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
        let budget = self.options.budget.as_ref().unwrap_or(&self.driver.budget);
        let step = budget.apply(|tokens| {
            now.tokens = tokens;
            call(&self.driver.engine, &self.state, &now)
        })?;
        self.state = step.state;
        self.at = now.mark;
        self.session.get_or_insert(now.session);
        Ok(step.command)
    }

    fn now(&self, rounding: Rounding) -> Result<Now, Reason> {
        let Options { cancel, network, hold, .. } = self.options;
        Ok(Now {
            mark: self.driver.time.mark(rounding),
            wall: self.driver.time.wall(),
            session: session_of(self.options),
            cancelled: cancel.as_ref().is_some_and(|cancel| cancel.is_cancelled()),
            network: network.as_ref().map(|network| network.current()).unwrap_or_default(),
            sample: self.driver.entropy.sample()?,
            tokens: Tokens::ZERO,
            hold: hold.as_ref().and_then(|hold| hold.until()),
        })
    }

    fn wake(&mut self) -> Result<Command, Reason> {
        self.step(Rounding::Down, |engine, state, now| engine.handle(state, Event::Wake, now))
    }

    /// Makes an attempt and reports it. Whatever ends it, the attempt is over when this returns.
    async fn attempt<C: Transport>(
        &mut self,
        transport: &mut C,
        attempt: Attempt,
    ) -> (Result<Command, Reason>, Last<C::Response, C::Error>) {
        self.attempts = attempt.number;
        self.trace(TraceEvent::Sent { attempt: attempt.number, timeout: attempt.timeout });
        let limit = attempt.timeout.map(|timeout| self.at.after(timeout));
        let mut sending = pin!(transport.attempt(attempt));
        let mut timeout = pin!(sleep(&self.driver.time, limit));
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
        let of = policy_core::Attempt { number, sends, exhausted };
        let (command, event) = match &result {
            Ok(response) => {
                let names = &self.driver.engine.description().fields;
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
    async fn pause(&mut self, pause: Command) -> Result<Command, Reason> {
        let (until, event) = match pause {
            Command::Wait(wait) => (wait.until, TraceEvent::WaitPlanned(wait)),
            Command::AwaitNetwork { until } => (until, TraceEvent::NetworkAwaited { until }),
            other => return Ok(other),
        };
        self.trace(event);
        let begun = self.at;
        loop {
            race(self.driver.time.sleep_until(until), self.changes.next()).await;
            let next = self.wake()?;
            if !goes_on(&pause, &next) {
                self.trace(TraceEvent::WaitOver { waited: begun.until(self.at) });
                return Ok(next);
            }
            if self.at >= until {
                return Err(unexpected("a wait that is over"));
            }
        }
    }

    fn finish<R: Head, F>(&self, outcome: Outcome, last: Last<R, F>) -> RunResult<R, F> {
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

    /// The policy could not be asked: nothing more is sent, and a response that it did not see is withheld.
    fn broken<R: Head, F>(&self, reason: Reason, last: Last<R, F>) -> Ended<R, F> {
        let last = match last {
            Last::Response(response) => Last::Status(response.status()),
            last => last,
        };
        self.ended(Ended {
            reason,
            bound: Bound::None,
            hint: HintReport::Absent,
            attempts: self.attempts,
            maybe_applied: self.attempts > 0,
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
        let session = self.session.unwrap_or_else(|| session_of(self.options));
        SessionTag::new(session, self.options.session.clone())
    }

    fn trace(&self, event: TraceEvent) {
        if let Some(observer) = &self.options.observer {
            observer.event(&Trace { request: self.id, at: self.at, event });
        }
    }
}

/// Without a handle every request is of one session, whose number does not matter.
fn session_of(options: &Options) -> Session {
    options.session.as_ref().map_or(Session::new(0), |session| session.current())
}

async fn sleep<T: Time>(time: &T, until: Option<Mark>) {
    match until {
        Some(until) => time.sleep_until(until).await,
        None => pending().await,
    }
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

fn unexpected(what: &str) -> Reason {
    EngineError::Unknown(what.to_owned()).into()
}
