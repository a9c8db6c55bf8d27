//! One logical request under way: calls into the engine, and what is done between them.

mod attempt;
mod close;

use policy_core::{
    Bound, Command, End, Event, HandOver, HintReport, Mark, Millis, Now, Outcome, Request, Sample, Session, Tokens,
    UnixMillis,
};

use crate::{
    budget::RetryBudget,
    changes::Changes,
    driver::{Driver, RunResult},
    engine::{Engine, EngineError, State, Step},
    entropy::Entropy,
    observer::{TraceEvent, Watch},
    options::Options,
    outcome::{Delivered, Ended, Last, Reason},
    race::race,
    session::SessionTag,
    time::{Rounding, Time, yield_once},
    transport::Head,
};

/// One logical request.
pub(crate) struct Run<'a, E: Engine, T: Time, X: Entropy> {
    driver: &'a Driver<E, T, X>,
    options: &'a Options,
    changes: Changes<'a>,
    /// The session in which the driver was called.
    session: Session,
    /// Kept apart, so that a request that nobody watches pays a pointer for it.
    watch: Option<Box<Watch<'a>>>,
    state: State,
    /// The state from which the engine commanded the last send; `None` if the request began with it.
    before: Option<State>,
    /// The engine has begun the request and not ended it.
    open: bool,
    /// The clock as last told to the engine.
    at: Mark,
    /// The wall clock as last told to the engine.
    wall: Option<UnixMillis>,
    /// How long the last answer asked to stay away.
    asked: Option<Millis>,
    /// Until when an answer may be read.
    cut_off: Option<Mark>,
    /// Sends before this run.
    used: u32,
    /// All sends so far, as far as they are reported.
    attempts: u32,
}

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    pub(crate) fn new(driver: &'a Driver<E, T, X>, session: Session, request: &Request, options: &'a Options) -> Self {
        Self {
            driver,
            options,
            changes: Changes::of(options),
            session,
            watch: None,
            state: State([0; 8]),
            before: None,
            open: false,
            at: Mark::default(),
            wall: None,
            asked: None,
            cut_off: None,
            used: request.attempts_used,
            attempts: request.attempts_used,
        }
    }

    /// The policy takes the session of this call for that of the request, so it cannot notice one that ended between the
    /// call of the driver and its first poll. Compared after the changes were settled, so that none is missed.
    pub(crate) fn start(&mut self, request: &Request) -> Result<Command, Reason> {
        self.watch = self.options.observer.as_deref().map(Watch::begin);
        let command = self.step(Rounding::Down, &Asked::Start(request));
        self.trace(|| TraceEvent::Begun { attempts_used: request.attempts_used });
        self.cut_off = self.driver.policy().and_then(|policy| policy.cut_off(&request.limits, self.at));
        match self.session == self.options.session() {
            true => command,
            false => Err(Reason::Policy(End::SessionChanged)),
        }
    }

    /// Calls into the engine with everything as it is now.
    fn step(&mut self, rounding: Rounding, asked: &Asked<'_>) -> Result<Command, Reason> {
        self.changes.settle();
        let mut now = self.now(rounding)?;
        let step = self.budget().apply(|tokens| {
            now.tokens = tokens;
            asked.put(self.driver.engine(), &self.state, &now)
        });
        if let Some(watch) = &mut self.watch {
            watch.called(self.driver.engine(), &self.state, asked, &now, step.as_ref());
        }
        let step = step?;
        if let Command::Send { .. } = step.command {
            self.before = self.open.then_some(self.state);
        }
        self.state = step.state;
        self.open = !matches!(step.command, Command::Finish(_));
        (self.at, self.wall) = (now.mark, now.wall);
        Ok(step.command)
    }

    fn budget(&self) -> &RetryBudget {
        self.options.budget.as_ref().unwrap_or(self.driver.budget())
    }

    fn now(&self, rounding: Rounding) -> Result<Now, Reason> {
        let Options { network, hold, .. } = self.options;
        let (session, cancelled) = (self.options.session(), self.options.is_cancelled());
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
        self.step(Rounding::Down, &Asked::Handle(Event::Wake))
    }

    /// Waits until the engine commands something else.
    pub(crate) async fn pause(&mut self, pause: Command) -> Result<Command, Reason> {
        let (until, event) = match pause {
            Command::Wait(wait) => (wait.until, TraceEvent::WaitPlanned(wait)),
            Command::AwaitNetwork { until } => (until, TraceEvent::NetworkAwaited { until }),
            other => return Ok(other),
        };
        self.trace(|| event);
        let begun = self.at;
        loop {
            race(self.driver.time().sleep_until(until), self.changes.next()).await;
            let next = self.wake()?;
            if !goes_on(&pause, &next) {
                let waited = begun.until(self.at);
                self.trace(|| TraceEvent::WaitOver { waited });
                return Ok(next);
            }
            if self.at >= until {
                return Err(unexpected("a wait that is over"));
            }
            yield_once().await;
        }
    }

    pub(crate) fn finish<R: Head, F>(&mut self, outcome: Outcome, last: Last<R, F>) -> RunResult<R, F> {
        if outcome.end.gave_up() {
            self.give_up();
        }
        let Outcome { end, bound, hint, attempts, maybe_applied, hand_over, resume } = outcome;
        let last = match (hand_over, last) {
            (HandOver::This, Last::Response(response)) if end == End::Success => {
                self.trace(|| TraceEvent::Ended { reason: Reason::Policy(end), bound, hint, attempts });
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
        let (asked, session) = (self.asked.filter(|_| end != End::SessionChanged), self.tag());
        Err(self.ended(Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session }))
    }

    /// The policy could not be asked: nothing more is sent, a response that it did not see is withheld, and all of an older
    /// session is.
    pub(crate) fn broken<R: Head, F>(&mut self, reason: Reason, last: Last<R, F>) -> Ended<R, F> {
        self.give_up();
        let last = match last {
            _ if self.session != self.options.session() => Last::Nothing,
            Last::Response(response) => Last::Status(response.status()),
            last => last,
        };
        self.ended(Ended {
            reason,
            bound: Bound::None,
            hint: HintReport::Absent,
            asked: None,
            attempts: self.attempts,
            maybe_applied: self.attempts > self.used,
            resume: None,
            last,
            session: self.tag(),
        })
    }

    fn ended<R, F>(&mut self, ended: Ended<R, F>) -> Ended<R, F> {
        let Ended { bound, hint, attempts, .. } = ended;
        self.trace(|| TraceEvent::Ended { reason: ended.reason.clone(), bound, hint, attempts });
        ended
    }

    /// Nobody above begins again.
    fn give_up(&self) {
        if let Some(nesting) = &self.options.nesting {
            nesting.give_up();
        }
    }

    fn tag(&self) -> SessionTag {
        SessionTag::new(self.session, self.options.session.clone())
    }

    /// Nothing is made that nobody sees.
    fn trace(&mut self, event: impl FnOnce() -> TraceEvent) {
        if let Some(watch) = &mut self.watch {
            watch.event(self.at, event());
        }
    }
}

/// What the engine is called with, beside everything that may have changed.
pub(crate) enum Asked<'a> {
    Start(&'a Request),
    Handle(Event<'a>),
}

impl<'a> Asked<'a> {
    fn put(&self, engine: &impl Engine, state: &State, now: &Now) -> Result<Step, EngineError> {
        match self {
            Self::Start(request) => engine.start(request, now),
            Self::Handle(event) => engine.handle(state, *event, now),
        }
    }

    #[cfg(feature = "record")]
    pub(crate) const fn event(&self) -> Option<Event<'a>> {
        match self {
            Self::Start(_) => None,
            Self::Handle(event) => Some(*event),
        }
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

/// An engine that asks for what makes no sense has failed.
pub(crate) fn unexpected(what: &str) -> Reason {
    EngineError::Unknown(what.to_owned()).into()
}
