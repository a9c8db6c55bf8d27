//! Whole requests: what happens after each command, until the request has ended.

use policy_core::{Attempt, Command, Event, Field, Mark, Network, Now, Request, Sample, Session, Tokens, UnixMillis};
use proptest::{collection::vec, option, prelude::*};
use refrain::{Engine, Step};

use crate::inputs::{self, Heard, WALL};

/// A request and all that happens to it.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) request: Request,
    turns: Vec<Turn>,
}

/// What happens after one command.
#[derive(Clone, Debug)]
struct Turn {
    heard: Heard,
    of: Attempt,
    passes: Passes,
    network: Network,
    sample: Sample,
    /// Taken from the budget by others.
    spent: u32,
    /// From this turn's moment.
    hold: Option<u64>,
    cancelled: bool,
    session_ends: bool,
    /// The host calls without need, or with the result of another attempt.
    stray: bool,
}

/// How long the host takes to call again.
#[derive(Clone, Debug)]
enum Passes {
    /// This many milliseconds.
    By(u64),
    /// Until the wait is over, this many milliseconds late.
    Due(u64),
    /// Until one millisecond before the wait is over.
    Early,
}

pub(crate) fn script() -> impl Strategy<Value = Script> {
    let not_before = option::weighted(0.2, (0..20_000_u64).prop_map(Mark::new));
    let used = prop_oneof![8 => Just(0), 1 => 1..4_u32];
    (inputs::request(), not_before, used, vec(turn(), 25)).prop_map(|(request, not_before, attempts_used, turns)| {
        Script { request: Request { not_before, attempts_used, ..request }, turns }
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    let late = prop_oneof![3 => Just(0), 1 => 0..100_000_u64];
    let passes = prop_oneof![2 => (0..20_000_u64).prop_map(Passes::By), 8 => late.prop_map(Passes::Due), 1 => Just(Passes::Early)];
    let rare = || prop::bool::weighted(0.02);
    let outside = (inputs::network(), option::weighted(0.1, 0..20_000_u64), rare(), rare(), prop::bool::weighted(0.1));
    let spent = prop_oneof![3 => Just(0), 1 => 0..100_000_u32];
    (inputs::heard(), inputs::attempt(0..9_u32), passes, inputs::sample(), spent, outside).prop_map(
        |(heard, of, passes, sample, spent, (network, hold, cancelled, session_ends, stray))| Turn {
            heard,
            of,
            passes,
            network,
            sample,
            spent,
            hold,
            cancelled,
            session_ends,
            stray,
        },
    )
}

/// Plays a script against an engine until the request has ended and was called once more; `see` is shown each call.
pub(crate) fn play(
    engine: &dyn Engine,
    script: &Script,
    mut see: impl FnMut(&Now, Option<Event<'_>>, &Step) -> Result<(), String>,
) -> Result<(), String> {
    let mut now = first_moment(engine);
    let mut step = engine.start(&script.request, &now).map_err(|error| error.to_string())?;
    see(&now, None, &step)?;
    let (mut in_flight, mut ended) = (0, false);
    for turn in &script.turns {
        if ended {
            return Ok(());
        }
        ended = matches!(step.command, Command::Finish(_));
        match step.command {
            Command::Send { attempt, .. } => in_flight = attempt,
            Command::Wait(_) | Command::AwaitNetwork { .. } => in_flight = 0,
            Command::Finish(_) | Command::Keep => {}
        }
        turn.change(&mut now, &step);
        let result = in_flight != 0 && !turn.stray;
        let of = if result { Attempt { number: in_flight, ..turn.of } } else { turn.of };
        let (fields, heard) = match &turn.heard {
            Heard::Response { fields, .. } => (fields.as_slice(), &turn.heard),
            other => (&[][..], other),
        };
        let fields: Vec<_> = fields.iter().map(|(index, value)| Field { index: *index, value }).collect();
        let event = match heard {
            _ if in_flight == 0 && !turn.stray => Event::Wake,
            Heard::Wake => Event::Wake,
            Heard::Failure { kind, timed_out } => Event::Failure { of, kind: *kind, timed_out: *timed_out },
            Heard::Response { status, .. } => Event::Response { of, status: *status, fields: &fields },
        };
        step = engine.handle(&step.state, event, &now).map_err(|error| error.to_string())?;
        see(&now, Some(event), &step)?;
    }
    Ok(())
}

fn first_moment(engine: &dyn Engine) -> Now {
    Now {
        mark: Mark::new(1_000),
        wall: Some(UnixMillis::new(WALL)),
        session: Session::new(1),
        cancelled: false,
        network: Network::Unknown,
        sample: Sample::ONE,
        tokens: engine.description().budget.unwrap_or_default(),
        hold: None,
    }
}

impl Turn {
    fn change(&self, now: &mut Now, last: &Step) {
        let due = match last.command {
            Command::Wait(wait) => wait.until.get(),
            Command::AwaitNetwork { until } => until.get().min(now.mark.get() + 30_000),
            _ => now.mark.get(),
        };
        let mark = match self.passes {
            Passes::By(passed) => now.mark.get() + passed,
            Passes::Due(late) => due.saturating_add(late),
            Passes::Early => due.saturating_sub(1),
        };
        let mark = mark.clamp(now.mark.get(), Mark::MAX.get());
        now.wall = now.wall.map(|wall| UnixMillis::new(wall.get() + (mark - now.mark.get())));
        now.mark = Mark::new(mark);
        now.network = self.network;
        now.sample = self.sample;
        now.tokens = Tokens::from_thousandths(last.tokens.thousandths().saturating_sub(self.spent));
        now.hold = self.hold.map(|hold| Mark::new((mark + hold).min(Mark::MAX.get())));
        now.cancelled |= self.cancelled;
        if self.session_ends {
            now.session = Session::new(now.session.get() + 1);
        }
    }
}
