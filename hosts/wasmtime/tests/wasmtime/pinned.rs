//! Artifacts as `refrain pin` makes them: they run as their documents say, and tools that know nothing of us accept them.

use policy_core::slot;
use refrain::{DirectEngine, Engine};
use refrain_document::{Artifact, Document, artifact::pin, ready};
use refrain_wasmtime::WasmtimeEngine;
use wasmparser::Validator;
use wit_component::{DecodedWasm, WitPrinter};
use wit_parser::{InterfaceId, Resolve, WorldId, WorldItem};

use crate::real;

/// Every ready-made policy, pinned.
fn pinned() -> impl Iterator<Item = (Document, Artifact)> {
    ready::names().map(|name| {
        let document = ready::find(name).unwrap().document();
        let artifact = Artifact::load(pin(&real::component(), &document).unwrap()).unwrap();
        (document, artifact)
    })
}

/// The interface as `wit/` has it.
fn interface() -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit")).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    (resolve, world)
}

#[test]
fn every_ready_made_policy_describes_itself_as_its_document_does() {
    for (document, artifact) in pinned() {
        let engine = WasmtimeEngine::new(&artifact).unwrap();
        let description = engine.description();
        assert_eq!(description, DirectEngine::from_slot(&document.slot()).description());
        let version = document.version().to_string();
        assert_eq!((&*description.name, &*description.version), (document.name(), &*version));
        assert_eq!(description.policy, document.policy().to_bytes());
    }
}

#[test]
fn the_core_module_is_that_of_the_template_with_another_slot() {
    let template = Artifact::load(real::component()).unwrap();
    for (document, artifact) in pinned() {
        let mut core = template.core_module().to_vec();
        slot::bake(&mut core, &document.slot()).unwrap();
        assert!(artifact.core_module() == core, "`{}`", document.name());
    }
}

#[test]
fn a_validator_that_knows_the_standard_accepts_it() {
    for (document, artifact) in pinned() {
        for bytes in [artifact.bytes(), artifact.core_module()] {
            let valid = Validator::new().validate_all(bytes).map(drop);
            assert!(valid.is_ok(), "`{}`: {valid:?}", document.name());
        }
    }
}

#[test]
fn its_interface_can_be_read_back_and_is_ours() {
    let (ours, world) = interface();
    let expected = text_of(&ours, world);
    for (document, artifact) in pinned() {
        let DecodedWasm::Component(resolve, world) = wit_component::decode(artifact.bytes()).unwrap() else {
            panic!("`{}` is no component", document.name());
        };
        assert_eq!(text_of(&resolve, world), expected, "`{}`", document.name());
    }
}

/// The one export of a world and nothing else, without comments and without what they say of versions.
fn text_of(resolve: &Resolve, world: WorldId) -> String {
    let world = &resolve.worlds[world];
    assert!(world.imports.is_empty());
    let exports: Vec<_> = world.exports.iter().collect();
    let [(name, WorldItem::Interface { id, .. })] = exports[..] else { panic!("not one interface") };
    format!("{}\n{}", resolve.name_world_key(name), interface_text(resolve, *id))
}

fn interface_text(resolve: &Resolve, id: InterfaceId) -> String {
    let mut printer = WitPrinter::default();
    printer.emit_docs(false).print_interface(resolve, id).unwrap();
    let text = printer.output.to_string();
    text.lines().filter(|line| !line.trim_start().starts_with("@since")).collect::<Vec<_>>().join("\n")
}

#[test]
fn it_fits_where_the_world_is_asked_for() {
    let (resolve, world) = interface();
    for (document, artifact) in pinned() {
        let fits = wit_component::targets(&resolve, world, artifact.bytes());
        assert!(fits.is_ok(), "`{}`: {fits:?}", document.name());
    }
}
