//! One logical request under way: calls into the engine, and what is done between them.

mod asked;
mod attempt;
mod close;
mod end;
mod pause;

use std::num::NonZero;

use policy_core::{Command, End, Event, Mark, Millis, Network, Now, Outcome, Request, Sample, Session, Tokens, Wait};

pub(crate) use self::asked::Asked;
use crate::{
    budget::RetryBudget,
    changes::Changes,
    driver::Driver,
    engine::{Engine, EngineError, State, Step},
    entropy::Entropy,
    observer::{TraceEvent, Watch},
    options::Options,
    outcome::Reason,
    time::{Rounding, Time},
};

/// One logical request. It is kept small: of those that wait there may be a million.
pub(crate) struct Run<'a, E: Engine, T: Time, X: Entropy> {
    driver: &'a Driver<E, T, X>,
    options: &'a Options,
    /// Kept apart, so that a request without such handles pays a pointer for them.
    around: Option<Box<Around<'a>>>,
    progress: Progress,
    /// While an attempt is under way that is not the first: the state from which the engine commanded it.
    before: Option<Box<State>>,
    /// When the wait under way, or the time for the head of the answer, is over.
    pub(crate) until: Mark,
    /// Until when an answer may be read.
    pub(crate) cut_off: Mark,
    /// How long the last answer asked to stay away; [`Millis::MAX`] if it did not.
    asked: Millis,
    /// All sends so far, as far as they are reported.
    attempts: u32,
    /// The most sends that policy and request allow, if they are known.
    max: Option<NonZero<u32>>,
    /// Something was sent in this run.
    sent: bool,
    /// While an attempt is under way among layers that retry: their sends before it.
    sends_before: Option<u32>,
    /// What the last attempt cost, and whether a layer below gave up.
    sends: u32,
    exhausted: bool,
}

/// What is outside of a request: who watches, and what may change.
struct Around<'a> {
    watch: Option<Watch<'a>>,
    changes: Changes<'a>,
    /// The session in which the driver was called.
    session: Session,
}

/// How far the engine has come. A request that it has begun needs no longer be known here.
enum Progress {
    New(Request),
    Open(State),
    Over,
}

/// What is to be done until the engine is called again.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    Send,
    Wait,
    AwaitNetwork,
}

/// How a request ends.
pub(crate) enum Over {
    /// As the policy says.
    Finished(Outcome),
    /// The policy could not be asked.
    Broken(Reason),
}

impl<'a, E: Engine, T: Time, X: Entropy> Run<'a, E, T, X> {
    pub(crate) fn new(driver: &'a Driver<E, T, X>, session: Session, request: Request, options: &'a Options) -> Self {
        let changes = Changes::of(options);
        let around = || Box::new(Around { watch: None, changes, session });
        Self {
            driver,
            options,
            around: options.are_any().then(around),
            progress: Progress::New(request),
            before: None,
            until: Mark::MAX,
            cut_off: Mark::MAX,
            asked: Millis::MAX,
            attempts: request.attempts_used,
            max: driver.max_attempts(&request).and_then(NonZero::new),
            sent: false,
            sends_before: None,
            sends: 0,
            exhausted: false,
        }
    }

    /// The policy takes the session of this call for that of the request, so it cannot notice one that ended between the
    /// call of the driver and its first poll. Compared after the changes were settled, so that none is missed.
    pub(crate) fn start(&mut self) -> Result<Task, Over> {
        let command = self.begun();
        self.task(command)
    }

    fn begun(&mut self) -> Result<Command, Reason> {
        let Progress::New(request) = self.progress else { return Err(unexpected("a second start")) };
        if let (Some(around), Some(observer)) = (&mut self.around, self.options.observer.as_deref()) {
            around.watch = Some(Watch::begin(observer));
        }
        let asked = Asked::Start(&request);
        let told = self.now(Rounding::Down).and_then(|mut now| Ok((self.step(&asked, &mut now)?, now)));
        self.trace(|| TraceEvent::Begun { attempts_used: request.attempts_used });
        let (command, now) = told?;
        let cut_off = self.driver.policy().and_then(|policy| policy.cut_off(&request.limits, now.mark));
        self.cut_off = cut_off.unwrap_or(Mark::MAX);
        match self.session() == self.options.session() {
            true => Ok(command),
            false => Err(Reason::Policy(End::SessionChanged)),
        }
    }

    /// Calls into the engine with everything as it is `now`, until the tokens that it returns could be stored, and returns
    /// what it commands. Inlined, since what it returns is large, and would be moved once more by each caller.
    #[inline(always)]
    fn step(&mut self, asked: &Asked<'_>, now: &mut Now) -> Result<Command, Reason> {
        let engine = self.driver.engine();
        let before = self.progress.state();
        let step = self.budget().apply(|tokens| {
            now.tokens = tokens;
            // There is no state to look at when the engine begins.
            asked.put(engine, before.unwrap_or(&State([0; 8])), now)
        });
        if let Some(watch) = self.around.as_mut().and_then(|around| around.watch.as_mut()) {
            watch.called(engine, before.unwrap_or(&State([0; 8])), asked, now, step.as_ref());
        }
        let (state, command) = match step {
            Ok(Step { state, command, .. }) => (state, command),
            Err(error) => return Err(error.into()),
        };
        match command {
            Command::Send { timeout, .. } => {
                self.before = before.copied().map(Box::new);
                self.until = timeout.map_or(Mark::MAX, |timeout| now.mark.after(timeout));
            }
            Command::Wait(Wait { until, .. }) | Command::AwaitNetwork { until } => self.until = until,
            Command::Keep | Command::Finish(_) => {}
        }
        self.progress = if matches!(command, Command::Finish(_)) { Progress::Over } else { Progress::Open(state) };
        Ok(command)
    }

    fn budget(&self) -> &'a RetryBudget {
        self.options.budget.as_ref().unwrap_or(self.driver.budget())
    }

    /// Without handles there is one session, and it never changes.
    fn session(&self) -> Session {
        self.around.as_ref().map_or(Session::new(0), |around| around.session)
    }

    /// Everything that may have changed outside. What changes from here on wakes the request.
    fn now(&mut self, rounding: Rounding) -> Result<Now, Reason> {
        let options = self.options;
        let (mut session, mut cancelled, mut network) = (self.session(), false, Network::default());
        let mut interrupted = false;
        if let Some(around) = &mut self.around {
            around.changes.settle();
            (session, cancelled) = (options.session(), options.is_cancelled());
            network = options.network.as_ref().map(|network| network.current()).unwrap_or_default();
            interrupted = cancelled || around.session != session;
        }
        // The core ends a cancelled request, and one of an older session, before it draws: no sample is looked at, and a
        // lack of randomness must not turn a cancel into a failure.
        let sample = if interrupted { Sample::ZERO } else { self.driver.entropy().sample()? };
        // A date's remaining time is taken from the wall clock and added to the mark. When the thread stands still between
        // the two readings, the one that was read first is too low: so the wall clock, which makes the wait longer.
        let wall = self.driver.time().wall();
        let mark = self.driver.time().mark(rounding);
        let hold = options.held_until();
        Ok(Now { mark, wall, session, cancelled, network, sample, tokens: Tokens::ZERO, hold })
    }

    /// What to do now, and when that was decided.
    fn wake(&mut self) -> Result<(Command, Mark), Reason> {
        let mut now = self.now(Rounding::Down)?;
        Ok((self.step(&Asked::Handle(Event::Wake), &mut now)?, now.mark))
    }

    /// What is to be done now; `Err` with how the request ends.
    fn task(&mut self, command: Result<Command, Reason>) -> Result<Task, Over> {
        match command {
            Ok(Command::Send { attempt, timeout }) => {
                self.attempts = attempt;
                self.trace(|| TraceEvent::Sent { attempt, timeout });
                Ok(Task::Send)
            }
            Ok(Command::Wait(wait)) => {
                self.trace(|| TraceEvent::WaitPlanned(wait));
                Ok(Task::Wait)
            }
            Ok(Command::AwaitNetwork { until }) => {
                self.trace(|| TraceEvent::NetworkAwaited { until });
                Ok(Task::AwaitNetwork)
            }
            Ok(Command::Finish(outcome)) => Err(Over::Finished(outcome)),
            Ok(Command::Keep) => Err(Over::Broken(unexpected("`keep` where there is nothing to go on with"))),
            Err(reason) => Err(Over::Broken(reason)),
        }
    }

    /// Nothing is made that nobody sees.
    fn trace(&mut self, event: impl FnOnce() -> TraceEvent) {
        if let Some(watch) = self.watch() {
            watch.event(event());
        }
    }

    fn watch(&mut self) -> Option<&mut Watch<'a>> {
        self.around.as_mut()?.watch.as_mut()
    }
}

impl Progress {
    const fn state(&self) -> Option<&State> {
        match self {
            Self::Open(state) => Some(state),
            Self::New(_) | Self::Over => None,
        }
    }
}

/// An engine that asks for what makes no sense has failed.
pub(crate) fn unexpected(what: &str) -> Reason {
    EngineError::Unknown(what.to_owned()).into()
}
