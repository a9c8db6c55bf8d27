//! The component answers as the core does, bit for bit.

use std::sync::Arc;

use conformance::{Component, Maker};
use policy_core::{Attempt, Event, Field, Now, Request, UnixMillis};
use proptest::prelude::*;
use refrain::{DirectEngine, Engine, EngineError, State};

use crate::{
    Draws,
    inputs::{self, Heard},
    policies,
    scripts::{Script, play, script},
};

/// Each policy is baked into a component of its own, which is compiled.
const POLICIES: u32 = 50;
const INPUTS_EACH: u32 = 2_000;
const EXECUTIONS_EACH: u32 = 20;

#[test]
fn random_calls_have_the_same_answers() {
    let calls = call();
    each_policy("calls", INPUTS_EACH, |draws, direct, component| {
        draws.check(&calls, |call| same(call.ask(direct), call.ask(component)));
    });
}

#[test]
fn random_executions_take_the_same_steps() {
    let scripts = script();
    each_policy("executions", EXECUTIONS_EACH, |draws, direct, component| {
        draws.check(&scripts, |script| same(steps(direct, script), steps(component, script)));
    });
}

fn each_policy(about: &str, cases: u32, check: impl Fn(&mut Draws, &dyn Engine, &dyn Engine)) {
    let mut draws = Draws::new(about, cases);
    let mut maker = Component::find().unwrap_or_else(|error| panic!("{error}"));
    let policies = policies::policy();
    for _ in 0..POLICIES {
        let slot = policies::slot(draws.draw(&policies));
        let component: Arc<dyn Engine> = maker.make(&slot).unwrap();
        println!("{:?}", slot.policy().rules());
        check(&mut draws, &DirectEngine::from_slot(&slot), &*component);
    }
}

fn same(direct: String, component: String) -> Result<(), String> {
    if direct == component { Ok(()) } else { Err(format!("\n  natively      {direct}\n  the component {component}")) }
}

fn steps(engine: &dyn Engine, script: &Script) -> String {
    let mut steps = Vec::new();
    let played = play(engine, script, |_, _, step| {
        steps.push(*step);
        Ok(())
    });
    format!("{played:?} {steps:?}")
}

/// One call into an engine.
#[derive(Clone, Debug)]
enum Call {
    Parse(Vec<u8>, Option<UnixMillis>),
    Start(Request, Now),
    Handle(Before, Heard, Attempt, Now),
}

/// The state that an engine is handed.
#[derive(Clone, Debug)]
enum Before {
    /// Any words at all.
    Words([u64; 8]),
    /// What `start` gives, some bits flipped.
    Started(Request, Now, [u64; 8]),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => (inputs::value(), inputs::wall()).prop_map(|(value, wall)| Call::Parse(value, wall)),
        1 => (inputs::request(), inputs::now()).prop_map(|(request, now)| Call::Start(request, now)),
        4 => (before(), inputs::heard(), inputs::attempt(0..5_u32), inputs::now())
            .prop_map(|(before, heard, of, now)| Call::Handle(before, heard, of, now))
    ]
}

fn before() -> impl Strategy<Value = Before> {
    let flips = prop_oneof![
        3 => Just([0; 8]),
        2 => (0..8_usize, 0..64_u32).prop_map(|(word, bit)| std::array::from_fn(|at| u64::from(at == word) << bit))
    ];
    prop_oneof![
        1 => any::<[u64; 8]>().prop_map(Before::Words),
        6 => (inputs::request(), inputs::now(), flips)
            .prop_map(|(request, now, flips)| Before::Started(request, now, flips))
    ]
}

impl Call {
    fn ask(&self, engine: &dyn Engine) -> String {
        match self {
            Self::Parse(value, wall) => format!("{:?}", engine.parse(value, *wall)),
            Self::Start(request, now) => format!("{:?}", engine.start(request, now)),
            Self::Handle(before, heard, of, now) => match before.state(engine) {
                Ok(state) => handle(engine, &state, heard, *of, now),
                Err(error) => format!("{error:?}"),
            },
        }
    }
}

impl Before {
    fn state(&self, engine: &dyn Engine) -> Result<State, EngineError> {
        match self {
            Self::Words(words) => Ok(State(*words)),
            Self::Started(request, now, flips) => {
                let State(words) = engine.start(request, now)?.state;
                Ok(State(std::array::from_fn(|at| words[at] ^ flips[at])))
            }
        }
    }
}

fn handle(engine: &dyn Engine, state: &State, heard: &Heard, of: Attempt, now: &Now) -> String {
    let step = match heard {
        Heard::Wake => engine.handle(state, Event::Wake, now),
        Heard::Failure { kind, timed_out } => {
            engine.handle(state, Event::Failure { of, kind: *kind, timed_out: *timed_out }, now)
        }
        Heard::Response { status, fields } => {
            let fields: Vec<_> = fields.iter().map(|(index, value)| Field { index: *index, value }).collect();
            engine.handle(state, Event::Response { of, status: *status, fields: &fields }, now)
        }
    };
    format!("{step:?}")
}
