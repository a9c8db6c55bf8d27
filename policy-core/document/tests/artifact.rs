//! Artifacts made of a component by hand: pinned, and refused when a byte is not as it should be.

use std::path::Path;

use policy_core::{
    Policy, Rules,
    slot::{self, MAGIC, SLOT_LEN, Slot, SlotError},
};
use refrain_document::{
    Artifact, ArtifactError, Digest, Document, Format, Lock, NotLocked,
    artifact::{self, ARTIFACT_MAX, Contents, INTERFACE, PinError, SECTION_MAX, SectionError, WIT},
    lock::Entry,
    ready,
};
use wasm_encoder::{ComponentSection, CustomSection};

/// A component with these parts, the interface without its functions, and a slot.
fn component(parts: &str) -> Vec<u8> {
    let slot = Slot::new("default", "1.0.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
    let data = slot.to_bytes().iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let core = format!(r#"(core module (memory 1) (data (i32.const 0) "{data}"))"#);
    let export = format!(r#"(instance) (export "{INTERFACE}" (instance 0))"#);
    wat::parse_str(format!("(component {core} {export} {parts})")).unwrap()
}

fn suite() -> Digest {
    Digest::of(b"suite")
}

fn template() -> Vec<u8> {
    artifact::template(&component(""), suite()).unwrap()
}

fn document(name: &str, more: &str) -> Document {
    let text = format!("schema = 1\nname = \"{name}\"\nversion = \"1.2.0\"\n{more}");
    Document::parse(&text, Format::Toml).unwrap_or_else(|problems| panic!("{problems}"))
}

fn pinned() -> Vec<u8> {
    artifact::pin(&template(), &document("polite", "limits.max_attempts = 2")).unwrap()
}

/// A component with a section `refrain` of these contents.
fn with_section(contents: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = component("");
    CustomSection { name: "refrain".into(), data: contents.as_ref().into() }.append_to_component(&mut bytes);
    bytes
}

fn refusal(bytes: &[u8]) -> ArtifactError {
    Artifact::load(bytes).expect_err("it is refused")
}

fn section_refusal(bytes: &[u8]) -> SectionError {
    match refusal(bytes) {
        ArtifactError::Section(error) => error,
        other => panic!("another error: {other}"),
    }
}

#[test]
fn every_ready_made_policy_is_pinned_and_found_again() {
    for name in ready::names() {
        let document = ready::find(name).unwrap().document();
        let artifact = Artifact::load(artifact::pin(&template(), &document).unwrap()).unwrap();
        assert_eq!(artifact.document(), Some(&document));
        assert_eq!(*artifact.slot(), document.slot());
        assert_eq!(slot::find(artifact.core_module()), Ok(document.slot()));
        assert_eq!(artifact.section().unwrap().suite(), suite());
        assert_eq!(artifact.digest(), Digest::of(artifact.bytes()));
        assert_eq!(artifact.core_digest(), Digest::of(artifact.core_module()));
    }
}

#[test]
fn nothing_but_slot_and_section_differs_from_the_template() {
    let document = document("polite", "limits.max_attempts = 2");
    let (component, pinned) = (component(""), pinned());
    let at = component.windows(MAGIC.len()).position(|window| window == MAGIC).unwrap();
    let slot = at..at + SLOT_LEN;
    assert_eq!(pinned[..at], component[..at]);
    assert_eq!(pinned[slot.clone()], document.slot().to_bytes());
    assert_eq!(pinned[slot.end..component.len()], component[slot.end..]);

    let json = format!(
        r#"{{"document":{},"suite":"{}","wit":"refrain:policy@1.0.0"}}"#,
        document.to_canonical_json(),
        suite()
    );
    let section = &pinned[component.len()..];
    assert_eq!(section[0], 0, "a custom section");
    assert!(section.ends_with(&[&b"\x07refrain"[..], json.as_bytes()].concat()));
    assert_eq!(Contents::read(&pinned).unwrap().section_len(), section.len());
}

#[test]
fn the_same_document_gives_the_same_bytes_in_either_format_and_over_another_policy() {
    let toml = document("polite", "limits.max_attempts = 2");
    let json = r#"{"limits":{"max_attempts":2},"version":"1.2.0","name":"polite","schema":1}"#;
    let json = Document::parse(json, Format::Json).unwrap();
    assert_eq!(artifact::pin(&template(), &toml).unwrap(), artifact::pin(&template(), &json).unwrap());

    let other = artifact::pin(&template(), &document("another", "")).unwrap();
    assert_eq!(artifact::pin(&other, &toml).unwrap(), pinned());
}

/// Every machine that runs this test has to come to this digest, whatever its system, folder and clock: that is what a lock
/// relies on. It changes only with what a slot or the section holds.
#[test]
fn the_same_document_gives_the_same_bytes_on_every_machine() {
    assert_eq!(Digest::of(&pinned()).to_string(), "fd5e04cad63981606215a2cea9c0403ce16663cac0e17994486183f767be2b2a");
}

#[test]
fn a_template_is_loaded_and_has_no_document() {
    let artifact = Artifact::load(template()).unwrap();
    assert_eq!((artifact.document(), artifact.slot().name()), (None, "default"));
    assert_eq!(artifact::template(&template(), suite()).unwrap(), template(), "its section is replaced");
    assert!(Artifact::load(component("")).unwrap().section().is_none());
}

#[test]
fn the_longest_document_fits_the_section() {
    let statuses = (101..600).step_by(2).map(|status| status.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "description = \"{}\"\nretry = {{ statuses = [{statuses}], throttled = [{statuses}] }}\nhints.statuses = [{statuses}]",
        "𝄞".repeat(2_000)
    );
    let longest = document("longest", &text);
    assert!(longest.to_canonical_json().len() > SECTION_MAX / 2);
    let artifact = Artifact::load(artifact::pin(&template(), &longest).unwrap()).unwrap();
    assert_eq!(artifact.document(), Some(&longest));
}

#[test]
fn an_artifact_whose_document_is_not_that_of_its_slot_is_refused() {
    let polite = document("polite", "limits.max_attempts = 2").slot();
    let slots = [
        ("name", Slot::new("impolite", polite.version(), *polite.policy())),
        ("version", Slot::new(polite.name(), "1.2.1", *polite.policy())),
        ("policy", Slot::new(polite.name(), polite.version(), Policy::new(Rules::DEFAULT).unwrap())),
    ];
    for (what, slot) in slots {
        let mut bytes = pinned();
        slot::bake(&mut bytes, &slot.unwrap()).unwrap();
        let error = refusal(&bytes);
        assert!(matches!(error, ArtifactError::Disagrees(differs) if differs == what), "{error}");
    }
}

#[test]
fn a_policy_whose_document_was_taken_out_is_noticed() {
    let documented = |bytes: &[u8]| {
        let contents = Contents::read(bytes).unwrap();
        contents.documented_section(&contents.slot().unwrap())
    };
    assert!(documented(&pinned()).is_ok_and(|section| section.unwrap().document().is_some()));
    let stripped = pinned()[..component("").len()].to_vec();
    for bytes in [artifact::template(&stripped, suite()).unwrap(), stripped, template()] {
        let error = documented(&bytes).unwrap_err();
        assert!(matches!(error, ArtifactError::NoDocument), "{error}");
    }
    for version in ["1.0.0", "0.9.0"] {
        let mut bytes = template();
        slot::bake(&mut bytes, &artifact::default_slot(version).unwrap()).unwrap();
        assert!(documented(&bytes).is_ok_and(|section| section.unwrap().document().is_none()), "{version}");
    }
    let mut renamed = template();
    let rules = Rules { max_attempts: 9, ..Rules::DEFAULT };
    let other = Slot::new("refrain-default", "1.0.0", Policy::new(rules).unwrap()).unwrap();
    slot::bake(&mut renamed, &other).unwrap();
    assert!(matches!(documented(&renamed), Err(ArtifactError::NoDocument)), "the name alone proves nothing");
}

#[test]
fn a_section_that_is_not_alone_or_not_last_is_refused() {
    let section = |bytes: &[u8]| bytes[component("").len()..].to_vec();
    let two = [template(), section(&pinned())].concat();
    assert!(matches!(section_refusal(&two), SectionError::Several(2)));

    let mut followed = pinned();
    CustomSection { name: "more".into(), data: (&[]).into() }.append_to_component(&mut followed);
    assert!(matches!(section_refusal(&followed), SectionError::NotLast));

    let nested = component(r#"(component (@custom "refrain" "{}"))"#);
    assert!(matches!(section_refusal(&nested), SectionError::NotLast));
    let mut hidden = nested;
    hidden.extend(section(&pinned()));
    assert!(matches!(section_refusal(&hidden), SectionError::Several(2)));
}

#[test]
fn a_section_that_is_not_written_as_here_is_refused() {
    let suite = suite();
    let whole = format!(r#"{{"suite":"{suite}","wit":"{WIT}"}}"#);
    assert!(Artifact::load(with_section(&whole)).is_ok());
    let form = [
        format!(r#"{{"suite": "{suite}","wit":"{WIT}"}}"#),
        format!(r#"{{"wit":"{WIT}","suite":"{suite}"}}"#),
        format!(r#"{{"document":null,"suite":"{suite}","wit":"{WIT}"}}"#),
        format!(r#"{{"suite":"{}","wit":"{WIT}"}}"#, suite.to_string().to_uppercase()),
        format!(r#"{{"suite":"{suite}0","wit":"{WIT}"}}"#),
        format!("{whole}\n"),
    ];
    for contents in form {
        assert!(matches!(section_refusal(&with_section(&contents)), SectionError::Form), "{contents}");
    }
    let json = [
        String::new(),
        format!(r#"{{"suite":"{suite}"}}"#),
        format!(r#"{{"suite":"{suite}","wit":"{WIT}","more":1}}"#),
        format!(r#"{{"suite":"{suite}","suite":"{suite}","wit":"{WIT}"}}"#),
        format!("{whole}{whole}"),
        whole[..whole.len() - 1].to_owned(),
    ];
    for contents in json {
        assert!(matches!(section_refusal(&with_section(&contents)), SectionError::Json(_)), "{contents}");
    }
    assert!(matches!(section_refusal(&with_section([b'"', 0xff, b'"'])), SectionError::Json(_)));
    let spaces = " ".repeat(SECTION_MAX + 1);
    assert!(matches!(section_refusal(&with_section(spaces)), SectionError::TooLong(len) if len == SECTION_MAX + 1));
}

#[test]
fn a_document_that_says_the_same_in_another_form_is_refused_in_a_section() {
    let document = document("polite", "limits.max_attempts = 2");
    let canonical = document.to_canonical_json();
    let section =
        |document: &str| with_section(format!(r#"{{"document":{document},"suite":"{}","wit":"{WIT}"}}"#, suite()));
    let read = Contents::read(&section(&canonical)).unwrap().section().unwrap();
    assert_eq!(read.unwrap().document(), Some(&document));
    let short = r#"{"schema":1,"name":"polite","version":"1.2.0","limits":{"max_attempts":2}}"#;
    let moved = canonical.replacen(r#""schema":1,"#, "", 1).replacen('}', r#"},"schema":1"#, 1);
    for form in [
        canonical.replacen(':', ": ", 1),
        canonical.replacen(',', ",\n", 1),
        canonical.replacen("polite", r"pol\u0069te", 1),
        short.to_owned(),
        moved,
    ] {
        assert_eq!(Document::parse(&form, Format::Json).as_ref(), Ok(&document), "{form}");
        let bytes = section(&form);
        let error = Contents::read(&bytes).unwrap().section().unwrap_err();
        assert!(matches!(error, ArtifactError::Section(SectionError::Form)), "{form}: {error}");
    }
}

#[test]
fn a_section_whose_length_is_written_otherwise_is_refused() {
    let whole = template();
    let (before, section) = whole.split_at(component("").len());
    let [0, len @ ..0x80, rest @ ..] = section else { panic!("a custom section with a length of one byte") };
    let long = [before, &[0, len | 0x80, 0], rest].concat();
    assert!(matches!(section_refusal(&long), SectionError::Form));
}

#[test]
fn a_custom_section_beside_that_of_refrain_is_refused_wherever_it_is() {
    let section = template()[component("").len()..].to_vec();
    for parts in [r#"(@custom "more" "{}")"#, r#"(component (@custom "more" ""))"#] {
        let bytes = [component(parts), section.clone()].concat();
        assert!(matches!(section_refusal(&bytes), SectionError::Foreign(name) if name == "more"), "{parts}");
    }
    assert!(Artifact::load(component(r#"(@custom "more" "")"#)).is_ok(), "it says nothing of itself");
}

#[test]
fn a_section_of_another_interface_is_refused_by_its_name() {
    for wit in ["refrain:policy@1.0.1", "refrain:policy@2.0.0", "refrain:policy", ""] {
        let error = refusal(&with_section(format!(r#"{{"suite":"{}","wit":"{wit}"}}"#, suite())));
        assert_eq!(
            error.to_string(),
            format!("expected the section `refrain` to be of `refrain:policy@1.0.0`, found `{wit}`")
        );
    }
}

#[test]
fn a_document_that_is_refused_is_refused_in_a_section_too() {
    for document in ["{}", r#"{"schema":1,"schema":1,"name":"polite","version":"1.2.0"}"#, "[]"] {
        let contents = format!(r#"{{"document":{document},"suite":"{}","wit":"{WIT}"}}"#, suite());
        assert!(matches!(section_refusal(&with_section(&contents)), SectionError::Document(_)), "{document}");
    }
}

#[test]
fn what_is_wired_within_the_component_is_no_import_of_it() {
    let inner = r#"(component (import "f" (func)) (export "g" (func 0)))"#;
    assert!(Artifact::load(component(inner)).is_ok());
}

#[test]
fn a_missing_a_second_and_a_damaged_slot_are_refused() {
    let export = format!(r#"(component (core module) (instance) (export "{INTERFACE}" (instance 0)))"#);
    assert!(matches!(refusal(&wat::parse_str(export).unwrap()), ArtifactError::Slot(SlotError::NoSlot)));

    let mut second = pinned();
    CustomSection { name: "slot".into(), data: (&MAGIC).into() }.append_to_component(&mut second);
    assert!(matches!(refusal(&second), ArtifactError::Slot(SlotError::ManySlots)));

    let mut damaged = pinned();
    let at = damaged.windows(MAGIC.len()).position(|window| window == MAGIC).unwrap();
    damaged[at + 200] ^= 1;
    assert!(matches!(refusal(&damaged), ArtifactError::Slot(SlotError::Checksum)));
}

#[test]
fn a_policy_that_stands_outside_the_core_module_is_refused() {
    let mut bytes = component("");
    let at = bytes.windows(MAGIC.len()).position(|window| window == MAGIC).unwrap();
    let slot = bytes[at..at + SLOT_LEN].to_vec();
    bytes[at] ^= 1;
    CustomSection { name: "slot".into(), data: slot.into() }.append_to_component(&mut bytes);
    assert!(matches!(refusal(&bytes), ArtifactError::Slot(SlotError::NoSlot)));
}

#[test]
fn a_component_with_another_core_module_is_refused_wherever_that_is() {
    for parts in ["(core module)", "(component (core module))", "(component (component (core module)))"] {
        assert!(matches!(refusal(&component(parts)), ArtifactError::CoreModules(2)), "{parts}");
    }
}

#[test]
fn imports_other_exports_and_what_is_no_component_are_refused() {
    let import = component(r#"(import "wasi:clocks/wall-clock@0.2.0" (instance))"#);
    assert!(matches!(refusal(&import), ArtifactError::Import(name) if name == "wasi:clocks/wall-clock@0.2.0"));
    let export = component(r#"(export "more" (instance 0))"#);
    assert!(matches!(refusal(&export), ArtifactError::Exports(names) if names == [INTERFACE, "more"]));
    let none = wat::parse_str("(component)").unwrap();
    assert_eq!(refusal(&none).to_string(), format!("expected the export `{INTERFACE}`, found none"));
    let other =
        wat::parse_str(r#"(component (instance) (export "refrain:policy/policy@2.0.0" (instance 0)))"#).unwrap();
    let found = "expected the export `refrain:policy/policy@1.0.0` and no other, found `refrain:policy/policy@2.0.0`";
    assert_eq!(refusal(&other).to_string(), found);
    for bytes in [&b""[..], b"\0asm", b"no wasm at all", &wat::parse_str("(module)").unwrap()] {
        assert!(matches!(refusal(bytes), ArtifactError::NotComponent(_)), "{bytes:?}");
    }
    assert!(matches!(refusal(&vec![0; ARTIFACT_MAX + 1]), ArtifactError::TooLong));
}

#[test]
fn cut_anywhere_an_artifact_is_refused() {
    let whole = pinned();
    for len in 0..whole.len() {
        // Without its section it is a component that says nothing of itself.
        let is_component = len == component("").len();
        assert_eq!(Artifact::load(&whole[..len]).is_ok(), is_component, "{len} bytes");
    }
}

#[test]
fn a_core_module_that_is_not_valid_is_noticed() {
    let mut bytes = template();
    assert!(Contents::read(&bytes).unwrap().core_is_valid().is_ok());
    // The memory that the data segment belongs to.
    let memory = [5, 3, 1, 0, 1];
    let at = bytes.windows(memory.len()).position(|window| window == memory).unwrap();
    bytes[at + 4] = 0;
    bytes[at + 3] = 2;
    let error = Contents::read(&bytes).unwrap().core_is_valid().unwrap_err();
    assert!(matches!(error, ArtifactError::InvalidCore(_)), "{error}");
}

#[test]
fn nothing_is_pinned_to_what_is_no_template() {
    let polite = document("polite", "");
    assert!(matches!(artifact::pin(&component(""), &polite), Err(PinError::NoSection)));
    assert!(matches!(artifact::pin(b"", &polite), Err(PinError::Template(ArtifactError::NotComponent(_)))));
}

#[test]
fn bytes_that_are_not_pinned_or_not_locked_are_refused_before_anything_reads_them() {
    let garbage = b"garbage";
    let pin = Digest::of(b"something else");
    assert!(matches!(Artifact::load_pinned(*garbage, pin), Err(ArtifactError::Digest { .. })));
    assert!(matches!(Artifact::load_locked(*garbage, &Lock::default()), Err(ArtifactError::NotLocked(_))));
}

#[test]
fn an_artifact_that_is_locked_under_another_name_or_with_another_core_module_is_refused() {
    let artifact = Artifact::load(pinned()).unwrap();
    let mut entry = Entry::of(&artifact, None).unwrap();
    let lock = |entry: &Entry| {
        let mut lock = Lock::default();
        lock.add(entry.clone()).unwrap();
        lock
    };
    assert!(Artifact::load_locked(pinned(), &lock(&entry)).is_ok());
    let core = std::mem::replace(&mut entry.core_sha256, suite());
    let error = Artifact::load_locked(pinned(), &lock(&entry)).unwrap_err();
    assert!(matches!(error, ArtifactError::NotLocked(NotLocked::Core { found, .. }) if found == core), "{error}");
    entry.core_sha256 = core;
    entry.name = "another".into();
    assert!(matches!(Artifact::load_locked(pinned(), &lock(&entry)), Err(ArtifactError::NotLocked(_))));
}

#[test]
fn a_file_that_is_missing_or_has_no_end_is_named() {
    let error = Artifact::from_file("no/such.wasm").unwrap_err().to_string();
    assert!(error.starts_with("cannot read the artifact `no/such.wasm`: "), "{error}");
    if Path::new("/dev/zero").exists() {
        assert!(matches!(Artifact::from_file("/dev/zero"), Err(ArtifactError::TooLong)));
    }
}
