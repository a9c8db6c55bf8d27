//! What must be true of the vectors themselves.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use conformance::{
    Call, Native, PolicySpec, Skip, Vector, VectorFile, cases, embedded, layout, load_all, observe, schema,
};
use policy_core::{Bound, End, FailureKind, HintReport, Method, Unit};
use serde_json::{Map, Value};

fn tests() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

fn files() -> Vec<(String, VectorFile)> {
    load_all(&tests().join("vectors")).unwrap()
}

fn vectors() -> Vec<Vector> {
    files().into_iter().flat_map(|(_, file)| file.vectors).collect()
}

fn skips() -> Vec<Skip> {
    serde_json::from_slice(&fs::read(tests().join("skip.json")).unwrap()).unwrap()
}

/// The case collection, where it stands beside the checkout.
fn collection() -> Option<PathBuf> {
    Some(tests().join("../../shared/cases")).filter(|folder| folder.is_dir())
}

/// Everything that a vector expects, one object for each call.
fn expectations(vector: &Vector) -> Vec<&Map<String, Value>> {
    let steps = vector.steps.iter().flat_map(|steps| &steps.calls).map(|step| &step.expect);
    if vector.steps.is_some() { steps.collect() } else { vec![&vector.expect] }
}

#[test]
fn ids_are_unique_and_sources_are_named() {
    let mut seen = HashSet::new();
    for vector in vectors() {
        assert!(!vector.source.trim().is_empty(), "`{}` has no source", vector.id);
        assert!(!vector.id.contains(char::is_whitespace), "`{}` has a blank in its id", vector.id);
        assert!(seen.insert(vector.id.clone()), "`{}` stands twice", vector.id);
    }
}

#[test]
fn files_are_in_the_canonical_layout() {
    for (name, file) in files() {
        let text = fs::read_to_string(tests().join("vectors").join(&name)).unwrap();
        assert!(text == layout::vector_file(&file), "`{name}`: run `cargo run -p conformance --bin tidy`");
    }
    let text = fs::read_to_string(tests().join("skip.json")).unwrap();
    assert!(text == layout::skip_file(&skips()), "`skip.json`: run `cargo xtask import-cases`");
}

#[test]
fn every_file_is_embedded() {
    let embedded: Vec<_> =
        embedded::FILES.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let read = |(name, _): (String, _)| {
        let text = fs::read_to_string(tests().join("vectors").join(&name)).unwrap();
        (name, text)
    };
    assert!(files().into_iter().map(read).eq(embedded), "the list in `src/embedded.rs`");
}

#[test]
fn the_schema_is_that_of_the_types() {
    let text = fs::read_to_string(tests().join("schema.json")).unwrap();
    assert!(text == schema::text(), "`schema.json`: run `cargo run -p conformance --bin tidy`");
}

#[test]
fn each_vector_has_one_input_and_expects_something() {
    for vector in vectors() {
        let inputs = [vector.parse.is_some(), vector.steps.is_some(), vector.run.is_some()];
        assert_eq!(inputs.into_iter().filter(|there| *there).count(), 1, "`{}`: its inputs", vector.id);
        let policies = (vector.ready_made.is_some(), vector.policy != PolicySpec::default());
        assert!(policies != (true, true), "`{}` has two policies", vector.id);
        assert!(vector.steps.is_none() || vector.expect.is_empty(), "`{}` expects beside its calls", vector.id);
        for expected in expectations(&vector) {
            assert!(!expected.is_empty(), "`{}` expects nothing", vector.id);
            schema::check_expect(expected).unwrap_or_else(|error| panic!("`{}`: {error}", vector.id));
        }
    }
}

#[test]
fn calls_begin_with_start_and_only_there() {
    for vector in vectors() {
        let Some(steps) = &vector.steps else { continue };
        let starts: Vec<_> = steps.calls.iter().map(|step| step.call == Call::Start).collect();
        assert!(starts.first() == Some(&true), "`{}` does not begin with `start`", vector.id);
        assert!(starts.iter().skip(1).all(|start| !start), "`{}` starts twice", vector.id);
    }
}

/// The values of one member of the expectations.
fn expected(name: &str) -> BTreeSet<String> {
    let vectors = vectors();
    let all = vectors.iter().flat_map(expectations).filter_map(|expected| expected.get(name)?.as_str());
    all.map(str::to_owned).collect()
}

fn assert_covered(what: &str, all: impl IntoIterator<Item = &'static str>, seen: &BTreeSet<String>) {
    let missing: Vec<_> = all.into_iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{what} in no vector: {missing:?}");
}

#[test]
fn everything_that_can_come_out_is_expected_somewhere() {
    assert_covered("ends", End::ALL.map(End::name), &expected("end"));
    assert_covered("bounds", Bound::ALL.map(Bound::name), &expected("bound"));
    let hints: BTreeSet<_> = expected("hint").into_iter().chain(expected("refused")).collect();
    assert_covered("hint reports", HintReport::ALL.map(HintReport::name), &hints);
    assert_covered("commands", ["keep", "send", "wait", "await-network", "finish"], &expected("command"));
}

#[test]
fn everything_that_can_go_in_is_given_somewhere() {
    // Strings anywhere in the input: each of these names is its own.
    let inputs: BTreeSet<String> = vectors().iter().flat_map(|vector| strings(&input(vector))).collect();
    assert_covered("failures", FailureKind::ALL.map(FailureKind::name), &inputs);
    assert_covered(
        "methods",
        Method::ALL.into_iter().skip(1).map(Method::name).filter(|name| !name.is_empty()),
        &inputs,
    );
    assert_covered("keys", ["sent", "honoured"], &inputs);
    assert_covered("network states", ["unknown", "up", "down"], &inputs);
    assert_covered("jitters", ["full", "equal", "scaled", "decorrelated"], &inputs);
    assert_covered("hint modes", ["instead", "instead-zero-at-once"], &inputs);
    assert_covered("ready-made policies", refrain_document::ready::names(), &inputs);
    assert_covered("units", Unit::ALL.map(Unit::name).into_iter().filter(|name| *name != "seconds"), &inputs);
    assert_covered("bad values", ["stop", "backoff"], &inputs);
    assert_covered("other choices", ["backoff", "attempts", "connect-failed"], &inputs);
}

/// The vector without its id, texts and expectations.
fn input(vector: &Vector) -> Value {
    let mut value = serde_json::to_value(vector).unwrap();
    let members = value.as_object_mut().unwrap();
    members.retain(|name, _| ["policy", "ready_made", "parse", "steps", "run"].contains(&name.as_str()));
    for call in value.pointer_mut("/steps/calls").and_then(Value::as_array_mut).into_iter().flatten() {
        call.as_object_mut().unwrap().remove("expect");
    }
    value
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        // A jitter with numbers is an object under its name.
        Value::Object(all) => {
            all.iter().flat_map(|(name, value)| [vec![name.clone()], strings(value)].concat()).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn no_case_is_both_a_vector_and_a_skip() {
    let vectors = case_ids();
    let mut skipped = HashSet::new();
    for skip in skips() {
        assert!(!skip.reason.trim().is_empty(), "`{}` is skipped without a reason", skip.id);
        assert!(!vectors.contains(&skip.id), "`{}` is skipped and a vector", skip.id);
        assert!(skipped.insert(skip.id.clone()), "`{}` is skipped twice", skip.id);
    }
}

/// The ids of the cases that vectors were made of.
fn case_ids() -> HashSet<String> {
    vectors().into_iter().map(|vector| vector.id.split('/').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_case_of_the_collection_is_a_vector_or_a_skip() {
    let Some(collection) = collection() else { return };
    let vectors = case_ids();
    let mut skips: BTreeMap<_, _> = skips().into_iter().map(|skip| (skip.id, skip.reason)).collect();
    for file in ["dates", "retry_after", "hints", "scenarios", "vectors"] {
        for case in cases::read(&collection.join(file).with_extension("json")).unwrap() {
            match case.probes {
                Ok(_) => assert!(vectors.contains(&case.id), "`{}` is no vector", case.id),
                Err(reason) => assert_eq!(skips.remove(&case.id), Some(reason), "the skip of `{}`", case.id),
            }
        }
    }
    assert!(skips.is_empty(), "skips that no case needs: {:?}", skips.keys());
}

#[test]
fn importing_the_collection_again_gives_the_same_bytes() {
    let Some(collection) = collection() else { return };
    let again = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imported/vectors");
    fs::create_dir_all(&again).unwrap();
    let import = Command::new(env!("CARGO_BIN_EXE_import")).arg(&collection).arg(&again).output().unwrap();
    assert!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
    let imported: Vec<_> =
        files().into_iter().map(|(name, _)| name).filter(|name| name.starts_with("imported-")).collect();
    assert_eq!(imported.len(), 5);
    for name in imported.iter().map(|name| format!("vectors/{name}")).chain(["skip.json".to_owned()]) {
        let (old, new) = (tests().join(&name), again.join("..").join(&name));
        assert!(fs::read(old).unwrap() == fs::read(new).unwrap(), "`{name}` differs");
    }
}

#[test]
fn a_wrong_expectation_is_noticed() {
    for mut vector in vectors() {
        // A member that is never answered with this.
        let wrong = Value::from("none of all answers");
        match &mut vector.steps {
            Some(steps) => steps.calls.last_mut().map(|step| step.expect.insert("command".into(), wrong)),
            None => Some(vector.expect.insert("end".into(), wrong)),
        };
        assert!(conformance::check(&mut Native, &vector).is_err(), "`{}` cannot fail", vector.id);
    }
}

#[test]
fn each_vector_answers_the_same_twice() {
    for vector in vectors() {
        assert_eq!(observe(&mut Native, &vector), observe(&mut Native, &vector), "`{}`", vector.id);
    }
}
