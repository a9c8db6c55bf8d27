//! A component that misbehaves: no decision, a clear error, and the next call is answered.

use policy_core::{Attempt, Command, Event, Field};
use refrain::{Engine, EngineError, State, Step};
use refrain_wasmtime::{Artifact, WasmtimeEngine};

use crate::{
    NOW,
    made::{KEEP, Made},
};

/// A state on which `handle` misbehaves, and one on which it counts its calls in the tokens.
const FAULT: State = State([1, 0, 0, 0, 0, 0, 0, 0]);
const COUNT: State = State([0; 8]);

/// An engine whose `handle` does `fault` when the state says so.
fn engine(fault: &str) -> WasmtimeEngine {
    let definitions = "(global $calls (mut i32) (i32.const 0)) (func $recurse call $recurse call $recurse)";
    let handle = format!(
        "(if (result i32) (i64.eqz (i64.load (local.get 0)))
            (then
                (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
                (i32.store (i32.const 8256) (global.get $calls))
                (i32.const 8192))
            (else {fault}))"
    );
    let artifact = Artifact::load(Made { definitions, handle: &handle, ..KEEP }.encode()).unwrap();
    WasmtimeEngine::new(&artifact).unwrap()
}

fn count(engine: &WasmtimeEngine) -> u32 {
    let Step { tokens, command, .. } = engine.handle(&COUNT, Event::Wake, &NOW).unwrap();
    assert_eq!(command, Command::Keep);
    tokens.thousandths()
}

/// The error of a call that misbehaves between calls that do not.
fn error(fault: &str) -> EngineError {
    let engine = engine(fault);
    assert_eq!((count(&engine), count(&engine)), (1, 2), "an instance whose call succeeded is used again");
    let error = engine.handle(&FAULT, Event::Wake, &NOW).unwrap_err();
    assert_eq!(count(&engine), 1, "an instance whose call failed is replaced");
    error
}

#[test]
fn a_clone_is_the_same_engine() {
    let engine = engine("unreachable");
    assert_eq!((count(&engine), count(&engine.clone())), (1, 2));
    assert_eq!(format!("{engine:?}"), r#"WasmtimeEngine { name: "made-by-hand", version: "1.0.0", .. }"#);
}

#[test]
fn a_trap_is_an_error() {
    let trapped = |what: &str| EngineError::Trapped(format!("`handle`: wasm trap: {what}"));
    assert_eq!(error("unreachable"), trapped("wasm `unreachable` instruction executed"));
    assert_eq!(error("(i32.load (i32.const 65536))"), trapped("out of bounds memory access"));
    assert_eq!(error("(i32.div_u (i32.const 1) (i32.const 0))"), trapped("integer divide by zero"));
}

#[test]
fn a_limit_on_fuel_stack_or_memory_is_an_error() {
    let reached = |what: &str| EngineError::LimitReached(format!("`handle` {what}"));
    assert_eq!(error("(loop (br 0)) unreachable"), reached("used more than 1000000 units of fuel"));
    assert_eq!(error("call $recurse unreachable"), reached("used more than 65536 bytes of stack"));
    assert_eq!(error("(memory.grow (i32.const 1))"), reached("asked for more than 65536 bytes of memory"));
}

#[test]
fn a_result_that_breaks_the_canonical_abi_is_an_error() {
    for result in ["(i32.const 65528)", "(i32.const 8193)", "(i32.const -8)"] {
        assert!(matches!(error(result), EngineError::Trapped(_)), "{result}");
    }
    let no_such_command = "(i32.store8 (i32.const 8264) (i32.const 5)) (i32.const 8192)";
    assert!(matches!(error(no_such_command), EngineError::Trapped(_)));
}

#[test]
fn parameters_for_which_there_is_no_room_are_an_error() {
    let engine = engine("unreachable");
    for (len, fits) in [(40_000, true), (50_000, false), (10_000_000, false)] {
        let fields = [Field { index: 0, value: &vec![b'1'; len] }];
        let event = Event::Response { of: Attempt::single(1), status: 503, fields: &fields };
        let result = engine.handle(&COUNT, event, &NOW);
        assert_eq!(result.is_ok(), fits, "{len} bytes: {result:?}");
    }
    assert_eq!(count(&engine), 1);
}

#[test]
fn a_code_that_this_host_does_not_know_is_an_error() {
    // A step at 8192: its command at 8264, the outcome at 8272 with end, bound and hint, or the wait with bound and hint.
    let unknown = |what: &str| EngineError::Unknown(what.to_owned());
    let returns = |command: u8, at: u32, code: u16| {
        let engine = engine(&format!(
            "(i32.store8 (i32.const 8264) (i32.const {command}))
             (i32.store16 (i32.const {at}) (i32.const {code})) (i32.const 8192)"
        ));
        engine.handle(&FAULT, Event::Wake, &NOW)
    };
    assert_eq!(returns(4, 8272, 9), Err(unknown("the end code 9")));
    assert_eq!(returns(4, 8274, 10), Err(unknown("the bound code 10")));
    assert_eq!(returns(4, 8276, 3), Err(unknown("the hint code 3")));
    assert_eq!(returns(2, 8292, 10), Err(unknown("the bound code 10")));
    assert_eq!(returns(2, 8294, 29), Err(unknown("the hint code 29")));
    assert!(returns(4, 8272, 16).is_ok());
}
