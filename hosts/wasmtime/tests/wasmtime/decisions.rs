//! The component decides what the core decides.

use std::thread;

use policy_core::{BudgetRules, Command, Field, Offline, Rules, Tokens};
use refrain::{DirectEngine, Engine, State};
use refrain_wasmtime::{Artifact, WasmtimeEngine};

use crate::{random::Random, real};

/// Rules that leave no part of the state machine unused.
fn rules() -> Rules {
    Rules { budget: Some(BudgetRules::aws_standard()), offline: Offline::Await, max_attempts: 5, ..Rules::DEFAULT }
}

#[test]
fn the_component_describes_itself_as_its_slot_does() {
    let artifact = Artifact::load(real::component()).unwrap();
    let engine = WasmtimeEngine::new(&artifact).unwrap();
    assert_eq!(engine.description(), DirectEngine::from_slot(artifact.slot()).description());

    let (engine, direct) = real::engines(rules());
    assert_eq!(engine.description(), direct.description());
    assert_eq!(engine.description().budget, Some(Tokens::new(500)));
}

#[test]
fn many_threads_at_once_get_the_answers_of_the_direct_engine() {
    let (engine, direct) = real::engines(rules());
    thread::scope(|scope| {
        for seed in 0..8 {
            let (engine, direct) = (engine.clone(), &direct);
            scope.spawn(move || compare(&engine, direct, Random(seed), 10_000));
        }
    });
}

/// Runs random executions through both engines, `decisions` steps in all.
fn compare(engine: &WasmtimeEngine, direct: &DirectEngine, mut random: Random, decisions: u32) {
    let (mut state, mut attempt, mut mark) = (None::<State>, 1, 1_000);
    for _ in 0..decisions {
        mark += random.below(2_000);
        let now = random.now(mark);
        let field = random.field();
        let (ours, expected) = match state {
            Some(state) => {
                let event = random.event(attempt, &field);
                (engine.handle(&state, event, &now), direct.handle(&state, event, &now))
            }
            None => {
                let request = random.request();
                (engine.start(&request, &now), direct.start(&request, &now))
            }
        };
        assert_eq!(ours, expected, "{state:?} {now:?} {field:?}");
        let step = ours.unwrap();
        if let Command::Send { attempt: number, .. } = step.command {
            attempt = number;
        }
        state = match step.command {
            Command::Finish(_) => (random.below(2) == 0).then(|| random.state()),
            _ => Some(step.state),
        };
    }
}

#[test]
fn each_field_value_is_parsed_as_the_core_does() {
    let (engine, direct) = real::engines(Rules::DEFAULT);
    let mut random = Random(0);
    for _ in 0..1_000 {
        let [Field { value, .. }] = random.field();
        let wall = random.now(0).wall;
        assert_eq!(engine.parse(value, wall), direct.parse(value, wall), "{value:?} {wall:?}");
    }
}
