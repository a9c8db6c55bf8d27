//! The simple host: carries out whole requests on virtual time, as the runner contract says. It holds no retry rule.

use std::collections::VecDeque;

use policy_core::{Command, Event, Mark, Millis, Network, Now, Request, Sample, Session, UnixMillis};
use refrain::{Engine, State, Step, record};
use serde_json::{Map, Value, json};

use crate::{
    observe::object,
    steps::{bytes_of, failure_event, fields, first_now, request, response_event},
    vector::{Answer, Failure, Script},
};

/// What the requests of a script came to.
pub(crate) fn run(engine: &dyn Engine, script: &Script) -> Result<Map<String, Value>, String> {
    let request = request(&script.request)?;
    let mut world = World::new(engine, script);
    let (mut sends_per_call, mut tokens) = (Vec::new(), Vec::new());
    let mut last = Map::new();
    for _ in 0..script.calls {
        let before = world.sends;
        last = match script.outer_attempts {
            None => world.request(&request)?.0,
            Some(attempts) => world.nested(&request, attempts)?,
        };
        sends_per_call.push(world.sends - before);
        tokens.push(world.now.tokens.thousandths());
    }
    let mut seen = object(json!({
        "sends": world.sends,
        "delays": world.delays,
        "elapsed": world.now.mark.get() - EPOCH,
        "sends_per_call": sends_per_call,
        "tokens": tokens,
        "tokens_after": world.tokens_after,
    }));
    seen.extend(last);
    Ok(seen)
}

/// The mark of the first call: not 0, so that a mark taken for a span is noticed.
const EPOCH: u64 = 1_000_000;

struct World<'a> {
    engine: &'a dyn Engine,
    script: &'a Script,
    answers: VecDeque<&'a Answer>,
    now: Now,
    sends: u64,
    delays: Vec<u64>,
    tokens_after: Vec<u32>,
}

impl<'a> World<'a> {
    fn new(engine: &'a dyn Engine, script: &'a Script) -> Self {
        let repeated = script.answers.iter().flat_map(|answer| (0..answer.times).map(move |_| answer));
        let tokens = script.tokens.map(policy_core::Tokens::from_thousandths);
        let mut now = first_now(tokens.or(engine.description().budget).unwrap_or_default());
        now.sample = Sample::new(script.sample);
        let mut world = Self {
            engine,
            script,
            answers: repeated.collect(),
            now,
            sends: 0,
            delays: Vec::new(),
            tokens_after: Vec::new(),
        };
        world.advance(EPOCH);
        world
    }

    /// One logical request; the outcome, and whether an outer layer may begin it again.
    fn request(&mut self, request: &Request) -> Result<(Map<String, Value>, Option<Failure>), String> {
        let sends_before = self.sends;
        let mut step = self.engine.start(request, &self.now).map_err(|error| error.to_string())?;
        loop {
            self.now.tokens = step.tokens;
            step = match step.command {
                Command::Finish(outcome) => {
                    let gave_up = outcome.end.code() >= 16;
                    let report = gave_up.then(|| Failure {
                        kind: "ambiguous".into(),
                        sends: u32::try_from(self.sends - sends_before).unwrap_or(u32::MAX),
                        exhausted: true,
                        ..Failure::default()
                    });
                    return Ok((record::outcome(&outcome), report));
                }
                Command::Send { attempt, timeout } => {
                    let step = self.send(&step.state, attempt, timeout)?;
                    self.tokens_after.push(step.tokens.thousandths());
                    step
                }
                Command::Wait(wait) => {
                    if wait.bound != policy_core::Bound::None {
                        self.delays.push(wait.delay.get());
                    }
                    self.sleep(&step.state, wait.until)?
                }
                Command::AwaitNetwork { until } => self.sleep(&step.state, until)?,
                Command::Keep => return Err("a call that brought news was answered with keep".into()),
            };
        }
    }

    /// An outer layer around the request, which is told what the inner one did.
    fn nested(&mut self, inner: &Request, attempts: u32) -> Result<Map<String, Value>, String> {
        let outer = Request { limits: policy_core::Limits { max_attempts: Some(attempts), ..inner.limits }, ..*inner };
        let mut runs = 0_u32;
        let mut step = self.engine.start(&outer, &self.now).map_err(|error| error.to_string())?;
        loop {
            self.now.tokens = step.tokens;
            step = match step.command {
                Command::Finish(outcome) => {
                    let mut seen = record::outcome(&outcome);
                    seen.insert("outer_runs".into(), runs.into());
                    return Ok(seen);
                }
                Command::Send { attempt, .. } => {
                    runs += 1;
                    let (seen, report) = self.request(inner)?;
                    let Some(report) = report else { return Ok(seen) };
                    let event = failure_event(&report, attempt)?;
                    self.handle(&step.state, event)?
                }
                Command::Wait(wait) => self.sleep(&step.state, wait.until)?,
                _ => return Err("an outer layer was answered with neither send, wait nor finish".into()),
            };
        }
    }

    fn send(&mut self, state: &State, attempt: u32, timeout: Option<Millis>) -> Result<Step, String> {
        self.sends += 1;
        let answer = self.answers.pop_front().ok_or("more sends than the script has answers")?;
        let took = timeout.map_or(answer.took, |limit| limit.get().min(answer.took));
        let arrives = self.now.mark.get() + took;
        if let Some(at) = self.ended_from_outside(arrives) {
            self.advance(at);
            return self.handle(state, Event::Wake);
        }
        self.advance(arrives);
        if answer.cancel {
            self.now.cancelled = true;
            return self.handle(state, Event::Wake);
        }
        if took < answer.took {
            let late = Failure { kind: "ambiguous".into(), timed_out: true, sends: 1, ..Failure::default() };
            return self.handle(state, failure_event(&late, attempt)?);
        }
        match (&answer.response, &answer.failure) {
            (Some(response), None) => {
                let values = bytes_of(response);
                let fields = fields(self.engine, &values);
                self.handle(state, response_event(response, attempt, &fields))
            }
            (None, Some(failure)) => self.handle(state, failure_event(failure, attempt)?),
            _ => Err("an answer needs either a response or a failure".into()),
        }
    }

    /// Sleeps until `until`, or until something happens before.
    fn sleep(&mut self, state: &State, until: Mark) -> Result<Step, String> {
        let woken = self.interruption(until.get()).unwrap_or(until.get());
        if woken >= Mark::MAX.get() {
            return Err("a wait without an end".into());
        }
        self.advance(woken);
        self.handle(state, Event::Wake)
    }

    fn handle(&self, state: &State, event: Event<'_>) -> Result<Step, String> {
        self.engine.handle(state, event, &self.now).map_err(|error| error.to_string())
    }

    /// The first thing that happens after now and until `until`.
    fn interruption(&self, until: u64) -> Option<u64> {
        let network = self.script.network_at.iter().map(|at| EPOCH + at);
        let network = network.filter(|at| *at > self.now.mark.get() && *at <= until);
        self.ended_from_outside(until).into_iter().chain(network).min()
    }

    /// When the caller cancels or another session begins, if that is after now and until `until`.
    fn ended_from_outside(&self, until: u64) -> Option<u64> {
        let cancel = self.script.cancel_at.filter(|_| !self.now.cancelled);
        let session = self.script.session_at.filter(|_| self.now.session == FIRST_SESSION);
        let outside = cancel.into_iter().chain(session).map(|at| EPOCH.saturating_add_signed(at));
        outside.filter(|at| *at <= until).min().map(|at| at.max(self.now.mark.get()))
    }

    fn advance(&mut self, mark: u64) {
        let passed = |at: i64| EPOCH.saturating_add_signed(at) <= mark;
        self.now.mark = Mark::new(mark);
        self.now.cancelled |= self.script.cancel_at.is_some_and(passed);
        if self.script.session_at.is_some_and(passed) {
            self.now.session = Session::new(2);
        }
        let changes = self.script.network_at.iter().filter(|at| EPOCH + **at <= mark).count();
        self.now.network = match changes {
            0 => Network::Unknown,
            changes if changes % 2 == 1 => Network::Down,
            _ => Network::Up,
        };
        let elapsed = mark - EPOCH;
        let jump = self.script.wall_jump.filter(|jump| jump.at <= elapsed).map_or(0, |jump| jump.by);
        let wall = self.script.wall.map(|wall| wall.saturating_add(elapsed).saturating_add_signed(jump));
        self.now.wall = wall.map(UnixMillis::new);
    }
}

const FIRST_SESSION: Session = Session::new(1);
