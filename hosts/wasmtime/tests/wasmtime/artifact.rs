//! What is sound by its bytes and refused when it is to run.

use policy_core::{
    Command, Event,
    slot::{Slot, bake},
};
use refrain::{Engine, EngineError, State};
use refrain_wasmtime::{Artifact, StartError, WasmtimeEngine};

use crate::{
    NOW,
    made::{self, KEEP, Made},
};

#[test]
fn an_interface_without_its_functions_is_refused() {
    let slot = made::slot().to_bytes().iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let export = r#"(instance) (export "refrain:policy/policy@1.0.0" (instance 0))"#;
    let component = format!(r#"(component (core module (memory 1) (data "{slot}")) {export})"#);
    let artifact = Artifact::load(wat::parse_str(component).unwrap()).unwrap();
    let error = WasmtimeEngine::new(&artifact).unwrap_err();
    assert!(matches!(error, StartError::Compile(_)), "{error}");
}

#[test]
fn a_component_that_describes_something_else_than_its_slot_is_refused() {
    let mut bytes = KEEP.encode();
    let policy = *made::slot().policy();
    bake(&mut bytes, &Slot::new("another", "1.0.0", policy).unwrap()).unwrap();
    let error = WasmtimeEngine::new(&Artifact::load(bytes).unwrap()).unwrap_err();
    assert!(matches!(error, StartError::Description("name")), "{error}");
}

#[test]
fn a_component_that_wants_more_than_a_page_of_memory_is_refused() {
    let error = WasmtimeEngine::new(&Artifact::load(Made { pages: 2, ..KEEP }.encode()).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the policy component reached a limit: an instance asked for more than 65536 bytes of memory"
    );
}

#[test]
fn a_component_that_runs_before_it_is_called_is_refused() {
    let definitions = "(func $early) (start $early)";
    let error = WasmtimeEngine::new(&Artifact::load(Made { definitions, ..KEEP }.encode()).unwrap()).unwrap_err();
    assert!(matches!(&error, StartError::Engine(EngineError::Unavailable(_))), "{error}");
}

#[test]
fn after_an_artifact_is_refused_the_last_good_policy_decides_on() {
    let good = WasmtimeEngine::new(&Artifact::load(KEEP.encode()).unwrap()).unwrap();
    let mut damaged = KEEP.encode();
    damaged.truncate(100);
    assert!(Artifact::load(damaged).is_err());
    let refused = Artifact::load(Made { pages: 2, ..KEEP }.encode()).unwrap();
    assert!(WasmtimeEngine::new(&refused).is_err());
    assert_eq!(good.description().name, "made-by-hand");
    let step = good.handle(&State([0; 8]), Event::Wake, &NOW).unwrap();
    assert_eq!(step.command, Command::Keep);
}
