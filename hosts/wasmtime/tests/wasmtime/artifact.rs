//! What is refused before it runs.

use policy_core::slot::{MAGIC, Slot, SlotError, bake};
use refrain::EngineError;
use refrain_wasmtime::{Artifact, ArtifactError, Digest, WasmtimeEngine};

use crate::made::{self, KEEP, Made};

/// A component with these parts, and an instance under the name of the interface.
fn component(parts: &str) -> Vec<u8> {
    let export = r#"(instance $i) (export "refrain:policy/policy@1.0.0" (instance $i))"#;
    wat::parse_str(format!("(component {export} {parts})")).unwrap()
}

fn refusal(bytes: &[u8]) -> ArtifactError {
    Artifact::load(bytes).unwrap_err()
}

#[test]
fn bytes_that_are_no_component_are_refused() {
    for bytes in [&b""[..], b"\0asm", b"not wasm at all", &wat::parse_str("(module)").unwrap()] {
        assert!(matches!(refusal(bytes), ArtifactError::NotComponent(_)), "{bytes:?}");
    }
    let mut cut = KEEP.encode();
    cut.truncate(cut.len() - 1);
    assert!(matches!(refusal(&cut), ArtifactError::NotComponent(_)));
}

#[test]
fn a_component_that_imports_something_is_refused_by_the_name_of_the_import() {
    let error = refusal(&component(r#"(import "wasi:clocks/wall-clock@0.2.0" (instance))"#));
    assert_eq!(
        error.to_string(),
        "expected a component without imports, found the import `wasi:clocks/wall-clock@0.2.0`"
    );
}

#[test]
fn what_is_wired_within_the_component_is_no_import_of_it() {
    let inner = r#"(component (import "f" (func)) (export "g" (func 0)))"#;
    assert!(matches!(refusal(&component(inner)), ArtifactError::Slot(SlotError::NoSlot)));
}

#[test]
fn another_world_version_is_refused_and_so_is_a_missing_or_a_further_export() {
    let other = wat::parse_str(r#"(component (instance $i) (export "refrain:policy/policy@2.0.0" (instance $i)))"#);
    let cases = [
        (other.unwrap(), "found `refrain:policy/policy@2.0.0`"),
        (wat::parse_str("(component)").unwrap(), "found none"),
        (component(r#"(export "more" (instance $i))"#), "found `refrain:policy/policy@1.0.0`, `more`"),
    ];
    for (bytes, found) in cases {
        let error = refusal(&bytes).to_string();
        assert!(error.contains("expected the export `refrain:policy/policy@1.0.0`"), "{error}");
        assert!(error.ends_with(found), "{error}");
    }
}

#[test]
fn a_missing_a_second_and_a_damaged_slot_are_refused() {
    assert!(matches!(refusal(&component("")), ArtifactError::Slot(SlotError::NoSlot)));

    let whole = KEEP.encode();
    let second = [&whole[..], b"\0\x11\0", &MAGIC].concat();
    assert!(matches!(refusal(&second), ArtifactError::Slot(SlotError::ManySlots)));

    let mut damaged = whole;
    let at = damaged.windows(MAGIC.len()).position(|window| window == MAGIC).unwrap();
    damaged[at + 200] ^= 1;
    assert!(matches!(refusal(&damaged), ArtifactError::Slot(SlotError::Checksum)));
}

#[test]
fn a_pin_is_checked_before_anything_is_read() {
    let bytes = KEEP.encode();
    let pin = Digest::of(&bytes);
    assert_eq!(Artifact::load_pinned(&*bytes, pin).unwrap().digest(), pin);
    assert!(matches!(
        Artifact::load_pinned(*b"garbage", pin),
        Err(ArtifactError::Digest { expected, found }) if expected == pin && found == Digest::of(b"garbage")
    ));
}

#[test]
fn a_missing_file_is_named() {
    let error = Artifact::from_file("no/such/refrain.wasm").unwrap_err().to_string();
    assert!(error.starts_with("cannot read the artifact `no/such/refrain.wasm`: "), "{error}");
}

#[test]
fn an_interface_without_its_functions_is_refused() {
    let slot = made::slot().to_bytes().iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let artifact = Artifact::load(component(&format!(r#"(core module (memory 1) (data "{slot}"))"#))).unwrap();
    let error = WasmtimeEngine::new(&artifact).unwrap_err();
    assert!(matches!(error, ArtifactError::Compile(_)), "{error}");
}

#[test]
fn a_component_that_describes_something_else_than_its_slot_is_refused() {
    let mut bytes = KEEP.encode();
    let policy = *made::slot().policy();
    bake(&mut bytes, &Slot::new("another", "1.0.0", policy).unwrap()).unwrap();
    let error = WasmtimeEngine::new(&Artifact::load(bytes).unwrap()).unwrap_err();
    assert!(matches!(error, ArtifactError::Description("name")), "{error}");
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
    assert!(matches!(&error, ArtifactError::Engine(EngineError::Unavailable(_))), "{error}");
}
