//! Artifacts: pinned, looked into, proved, locked, and refused when they are not what they have to be.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use policy_core::{
    Policy, Rules,
    slot::{self, Slot},
};
use refrain_document::{
    Artifact, Document, Format,
    artifact::{self, Contents},
    ready, visible,
};
use serde_json::{Value, json};

use crate::support::{Run, bare_command, scratch, template};

pub(crate) const DOCUMENT: &str = "schema = 1\nname = \"tested\"\nversion = \"1.2.0\"\nlimits.max_attempts = 2\n";

/// A folder of one test, in which the binary runs.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = scratch(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.write("tested.toml", DOCUMENT);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("`{name}`: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = bare_command();
        command.current_dir(&self.0).args(args);
        if args[0] == "pin" && !args.contains(&"--template") {
            command.arg("--template").arg(fs::canonicalize(template()).unwrap());
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    /// A run that has to end with 0.
    pub(crate) fn good(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(0), "{args:?}: {} {}", run.stdout, run.stderr);
        run
    }

    /// The error of a run that has to end with `code`, and prints nothing else.
    pub(crate) fn bad(&self, code: i32, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{args:?}: {}", run.stderr);
        run.stderr
    }

    /// `verify` says that just this check failed, and `inspect` that the artifact is not sound.
    fn refuses(&self, name: &str, check: &str) {
        let run = self.run(&["verify", name, "--json"]);
        assert_eq!((run.code, failed(&run)), (Some(5), vec![check.to_owned()]), "{}", run.stdout);
        let run = self.run(&["inspect", name]);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == Some(5) && (said.contains('✗') || said.contains("is refused")), "{check}: {said}");
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let name = |entry: Result<fs::DirEntry, _>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(name).collect();
        names.sort_unstable();
        names
    }
}

fn document(text: &str) -> Document {
    Document::parse(text, Format::Toml).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The checks of `refrain verify --json` that failed.
fn failed(run: &Run) -> Vec<String> {
    let report = run.json();
    let failed = report["checks"].as_array().unwrap().iter().filter(|check| check["passed"] == json!(false));
    failed.map(|check| check["check"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_document_is_pinned_as_the_library_pins_it_and_its_identity_is_printed() {
    let folder = Folder::new("pin");
    let run = folder.good(&["pin", "tested.toml", "--core", "--json"]);
    let expected = artifact::pin(&fs::read(template()).unwrap(), &document(DOCUMENT)).unwrap();
    assert!(folder.read("tested.wasm") == expected);
    let artifact = Artifact::load(expected).unwrap();
    assert!(folder.read("tested.core.wasm") == artifact.core_module());
    assert_eq!(folder.files(), ["refrain.lock", "tested.core.wasm", "tested.toml", "tested.wasm"]);

    let (sha256, core) = (artifact.digest().to_string(), artifact.core_digest().to_string());
    let pinned = json!({
        "name": "tested", "version": "1.2.0", "file": "tested.wasm", "bytes": artifact.bytes().len(), "sha256": sha256,
        "core_file": "tested.core.wasm", "core_bytes": artifact.core_module().len(), "core_sha256": core,
        "lock": {"file": "refrain.lock", "artifact": "added"},
    });
    assert_eq!(run.json(), pinned);
    let entry = format!(
        "[[policy]]\nname = \"tested\"\nversion = \"1.2.0\"\nfile = \"tested.wasm\"\nsha256 = \"{sha256}\"\n\
         core_sha256 = \"{core}\"\n"
    );
    assert!(folder.text("refrain.lock").ends_with(&entry), "{}", folder.text("refrain.lock"));
}

#[test]
fn a_ready_made_policy_and_an_artifact_can_be_pinned_too_and_json_is_the_same_as_toml() {
    let folder = Folder::new("pin-sources");
    for name in ready::names() {
        folder.good(&["pin", name, "--no-lock"]);
        assert_eq!(Artifact::load(folder.read(&format!("{name}.wasm"))).unwrap().slot().name(), name);
    }
    folder.good(&["pin", "tested.toml", "--no-lock"]);
    folder.write("tested.json", document(DOCUMENT).to_canonical_json());
    folder.good(&["pin", "tested.json", "-o", "of-json.wasm", "--no-lock"]);
    folder.good(&["pin", "tested.wasm", "-o", "of-artifact.wasm", "--no-lock"]);
    assert!(folder.read("of-json.wasm") == folder.read("tested.wasm"));
    assert!(folder.read("of-artifact.wasm") == folder.read("tested.wasm"));
    assert!(!folder.path("refrain.lock").exists());
}

#[test]
fn what_cannot_be_pinned_writes_nothing() {
    let folder = Folder::new("pin-refused");
    folder.write("bad.toml", DOCUMENT.replace("max_attempts", "max_attemts"));
    folder.write("garbage.wasm", "garbage");
    let before = folder.files();
    for (code, args, said) in [
        (2, &["pin", "bad.toml"][..], &["bad.toml:4", "`max_attemts`", "`max_attempts`"][..]),
        (2, &["pin", "no/such.toml"], &["`no/such.toml`"]),
        (2, &["pin", "polite"], &["found `polite`", "polite-default", "`.toml`"]),
        (5, &["pin", "garbage.wasm"], &["`garbage.wasm`", "expected a component"]),
        (2, &["pin", "tested.toml", "--no-lock", "--locked"], &["--no-lock", "--locked"]),
        (2, &["pin", "tested.toml", "--policy", "stripe"], &["--policy", "refrain pin"]),
        (2, &["pin", "tested.toml", "-o", "no/such/folder.wasm"], &["`no/such`"]),
        (6, &["pin", "tested.toml", "-o", "no/such/folder.wasm", "--no-lock"], &["`no/such/folder.wasm`"]),
        (5, &["pin", "tested.toml", "--sha256", &"0".repeat(64)], &["expected an artifact with the SHA-256"]),
    ] {
        let stderr = folder.bad(code, args);
        for said in said {
            assert!(stderr.contains(said), "{args:?}: no {said} in {stderr}");
        }
    }
    assert_eq!(folder.files(), before);
    assert!(folder.bad(5, &["pin", "tested.toml", "--template", "garbage.wasm"]).contains("the template is refused"));
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = Folder::new("pin-over");
    folder.good(&["pin", "stripe"]);
    fs::create_dir(folder.path("sub")).unwrap();
    fs::copy(template(), folder.path("template.wasm")).unwrap();
    folder.write("lock.core.wasm", folder.read("refrain.lock"));
    let mut outputs = vec![
        ("tested.toml", "document", &[][..]),
        ("./sub/../tested.toml", "document", &[]),
        ("refrain.lock", "lock file", &[]),
        ("sub/../refrain.lock", "lock file", &["--no-lock"]),
        ("sub/new.lock", "lock file", &["--lock", "sub/../sub/new.lock"]),
        ("template.wasm", "template", &["--template", "./template.wasm"]),
        ("lock.wasm", "lock file", &["--core", "--lock", "lock.core.wasm"]),
    ];
    #[cfg(unix)]
    for (link, to, what) in [("a.wasm", "tested.toml", "document"), ("b.wasm", "refrain.lock", "lock file")] {
        std::os::unix::fs::symlink(to, folder.path(link)).unwrap();
        outputs.push((link, what, &[]));
    }
    let before = folder.files();
    let contents = before.iter().filter(|name| *name != "sub").map(|name| folder.read(name)).collect::<Vec<_>>();
    for (output, what, more) in outputs {
        let stderr = folder.bad(2, &[&["pin", "tested.toml", "-o", output][..], more].concat());
        assert!(stderr.contains(&format!("that is not the {what} ")), "{output}: {stderr}");
        assert!(stderr.contains(&format!("found `{output}`")) || more.contains(&"--core"), "{output}: {stderr}");
        assert_eq!(folder.files(), before, "{output}");
        let found = before.iter().filter(|name| *name != "sub").map(|name| folder.read(name));
        assert!(found.eq(contents.iter().cloned()), "{output}");
    }
    assert_eq!(fs::read_dir(folder.path("sub")).unwrap().count(), 0);
    folder.good(&["pin", "stripe.wasm"]);
}

#[test]
fn a_name_that_makes_a_file_like_a_flag_needs_one_of_its_own() {
    let folder = Folder::new("pin-flag");
    folder.write("flag.toml", DOCUMENT.replace("\"tested\"", "\"-o\""));
    let stderr = folder.bad(2, &["pin", "flag.toml"]);
    assert!(stderr.contains("expected `-o FILE`") && stderr.contains("`-o.wasm`"), "{stderr}");
    assert_eq!(folder.files(), ["flag.toml", "tested.toml"]);
    folder.good(&["pin", "flag.toml", "-o", "flag.wasm"]);
    assert_eq!(Artifact::load(folder.read("flag.wasm")).unwrap().slot().name(), "-o");
}

#[test]
fn a_released_version_does_not_change() {
    let folder = Folder::new("pin-release");
    folder.good(&["pin", "tested.toml"]);
    let (artifact, lock) = (folder.read("tested.wasm"), folder.read("refrain.lock"));
    folder.good(&["pin", "tested.toml"]);
    assert!(folder.read("refrain.lock") == lock, "the same again changes nothing");

    folder.write("tested.toml", DOCUMENT.replace("= 2\n", "= 3\n"));
    let stderr = folder.bad(5, &["pin", "tested.toml"]);
    assert!(stderr.contains("`tested` 1.2.0 is locked with") && stderr.contains("--update"), "{stderr}");
    assert!(folder.read("tested.wasm") == artifact && folder.read("refrain.lock") == lock);

    folder.write("tested.toml", DOCUMENT.replace("= 2\n", "= 3\n").replace("1.2.0", "1.3.0"));
    folder.good(&["pin", "tested.toml"]);
    let lock = folder.text("refrain.lock");
    assert_eq!((lock.matches("[[policy]]").count(), lock.matches("file = ").count()), (2, 1), "{lock}");

    folder.write("tested.toml", DOCUMENT.replace("= 2\n", "= 4\n"));
    assert_eq!(folder.good(&["pin", "tested.toml", "--update", "--json"]).json()["lock"]["artifact"], "replaced");
}

#[test]
fn under_locked_nothing_is_pinned_that_the_lock_file_does_not_say() {
    let folder = Folder::new("pin-locked");
    assert!(folder.bad(5, &["pin", "tested.toml", "--locked"]).contains("forbids"));
    assert_eq!(folder.files(), ["tested.toml"]);
    folder.good(&["pin", "tested.toml"]);
    fs::remove_file(folder.path("tested.wasm")).unwrap();
    folder.good(&["pin", "tested.toml", "--locked"]);
    assert!(folder.path("tested.wasm").exists());
    assert!(folder.bad(5, &["pin", "tested.toml", "-o", "elsewhere.wasm", "--locked"]).contains("forbids"));
}

#[test]
fn a_lock_file_that_says_the_same_is_left_as_it_stands_whatever_its_form() {
    let folder = Folder::new("lock-form");
    folder.good(&["pin", "tested.toml"]);
    let plain = folder.text("refrain.lock");
    let sha256 = Artifact::load(folder.read("tested.wasm")).unwrap().digest().to_string();
    let upper = plain.replace(&sha256, &sha256.to_uppercase());
    for form in [plain.replace("[[", "# keep this\n[["), plain.replace('\n', "\r\n"), upper] {
        assert_ne!(form, plain);
        folder.write("refrain.lock", &form);
        for command in [&["lock", "tested.wasm"][..], &["pin", "tested.toml"]] {
            for locked in [&[][..], &["--locked"]] {
                folder.good(&[command, locked].concat());
                assert_eq!(folder.text("refrain.lock"), form, "{command:?} {locked:?}");
            }
        }
    }
}

#[test]
fn under_locked_an_entry_that_names_the_same_file_is_not_changed_either() {
    let folder = Folder::new("lock-shared-file");
    folder.good(&["pin", "tested.toml"]);
    let lock = folder.text("refrain.lock");
    let (_, entry) = lock.split_once("[[").unwrap();
    let shared = format!("{lock}\n[[{}", entry.replace("1.2.0", "1.1.0"));
    folder.write("refrain.lock", &shared);
    for command in [&["lock", "tested.wasm", "--locked"][..], &["pin", "tested.toml", "--locked"]] {
        assert!(folder.bad(5, command).contains("lists another artifact in the file of `tested` 1.2.0"));
        assert_eq!(folder.text("refrain.lock"), shared);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_the_lock_file_names_the_same_files_as_the_lock_file() {
    let folder = Folder::new("lock-linked");
    fs::create_dir(folder.path("sub")).unwrap();
    folder.good(&["pin", "tested.toml"]);
    std::os::unix::fs::symlink("../refrain.lock", folder.path("sub/linked.lock")).unwrap();
    let lock = folder.text("refrain.lock");
    folder.good(&["lock", "--lock", "sub/linked.lock"]);
    folder.good(&["pin", "tested.toml", "--lock", "sub/linked.lock", "--locked"]);
    assert!(lock.contains("file = \"tested.wasm\"") && folder.text("refrain.lock") == lock);
}

#[test]
fn what_is_killed_while_it_pins_leaves_the_lock_file_whole() {
    let folder = Folder::new("pin-killed");
    folder.good(&["pin", "tested.toml"]);
    let mut wholes = vec![folder.text("refrain.lock")];
    for number in 0..20 {
        folder.write("next.toml", DOCUMENT.replace("tested", &format!("next-{number}")));
        let mut command = folder.command(&["pin", "next.toml"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let found = folder.text("refrain.lock");
        assert!(refrain_document::Lock::parse(&found).is_ok(), "{found}");
        folder.good(&["pin", "next.toml"]);
        wholes.push(folder.text("refrain.lock"));
        assert!(wholes.contains(&found), "{found}");
    }
    assert_eq!(refrain_document::Lock::parse(&wholes[20]).unwrap().entries().len(), 21);
}

#[test]
fn an_artifact_is_inspected_without_running_it() {
    let folder = Folder::new("inspect");
    folder.good(&["pin", "tested.toml"]);
    let bytes = folder.read("tested.wasm");
    let artifact = Artifact::load(&*bytes).unwrap();
    let report = folder.good(&["inspect", "tested.wasm", "--json"]).json();
    let canonical: Value = serde_json::from_str(&document(DOCUMENT).to_canonical_json()).unwrap();
    for (name, value) in [
        ("name", json!("tested")),
        ("version", json!("1.2.0")),
        ("document", canonical),
        ("world", json!("refrain:policy/refrain@1.0.0")),
        ("imports", json!([])),
        ("exports", json!(["refrain:policy/policy@1.0.0"])),
        ("bytes", json!(bytes.len())),
        ("sha256", json!(artifact.digest().to_string())),
        ("core_bytes", json!(artifact.core_module().len())),
        ("core_sha256", json!(artifact.core_digest().to_string())),
        ("suite_sha256", json!(artifact.section().unwrap().suite().to_string())),
        ("faults", json!([])),
    ] {
        assert_eq!(report[name], value, "{name}");
    }
    let text = folder.good(&["inspect", "tested.wasm"]).stdout;
    let toml = document(DOCUMENT).to_toml();
    assert!(text.starts_with("tested 1.2.0\n") && text.contains(toml.trim()), "{text}");
}

#[test]
fn every_check_of_a_sound_artifact_passes_and_one_that_is_not_asked_says_so() {
    let folder = Folder::new("verify");
    folder.good(&["pin", "tested.toml"]);
    let sha256 = Artifact::load(folder.read("tested.wasm")).unwrap().digest().to_string();
    for (args, not_asked) in [
        (&["verify", "tested.wasm", "--json"][..], 2),
        (&["verify", "tested.wasm", "--json", "--sha256", &sha256], 1),
        (&["verify", "tested.wasm", "--json", "--locked", "--sha256", &sha256], 0),
    ] {
        let report = folder.good(args).json();
        let checks = report["checks"].as_array().unwrap();
        assert_eq!((&report["sound"], checks.len()), (&json!(true), 10));
        assert_eq!(checks.iter().filter(|check| check["passed"].is_null()).count(), not_asked, "{args:?}");
    }
    let text = folder.good(&["verify", "tested.wasm"]).stdout;
    assert!(text.starts_with("sound: `tested.wasm`\n") && text.contains("✓ running component"), "{text}");
}

#[test]
fn what_is_not_as_it_should_be_fails_its_check_and_is_a_fault_for_inspect() {
    let folder = Folder::new("verify-refused");
    folder.good(&["pin", "tested.toml"]);
    let whole = folder.read("tested.wasm");
    let rebaked = |name: &str| {
        let mut bytes = whole.clone();
        let slot = Slot::new(name, "1.2.0", Policy::new(Rules::DEFAULT).unwrap()).unwrap();
        slot::bake(&mut bytes, &slot).unwrap();
        bytes
    };
    let edited = |from: &[u8], to: &[u8]| {
        let mut bytes = whole.clone();
        let at = bytes.windows(from.len()).rposition(|window| window == from).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    for (bytes, check) in [
        (rebaked("tested"), "document"),
        (rebaked("another"), "document"),
        (edited(b"policy@1.0.0\"}", b"policy@1.0.1\"}"), "section"),
        (edited(b"\"schema\"", b"\"scheme\""), "section"),
        (edited(b"refrain.policy\0\x01", b"refrain.policy\0\x02"), "slot"),
        (whole[..whole.len() - 1].to_vec(), "component"),
    ] {
        folder.write("edited.wasm", bytes);
        folder.refuses("edited.wasm", check);
        assert!(folder.bad(5, &["parse", "5", "--policy", "edited.wasm"]).contains("`edited.wasm` is refused"));
    }
}

#[test]
fn an_artifact_whose_document_was_stripped_is_not_sound() {
    let folder = Folder::new("verify-stripped");
    folder.good(&["pin", "tested.toml"]);
    let whole = folder.read("tested.wasm");
    let section = Contents::read(&whole).unwrap().section_len();
    let suite = Artifact::load(&*whole).unwrap().section().unwrap().suite();
    let stripped = whole[..whole.len() - section].to_vec();
    folder.write("edited.wasm", artifact::template(&stripped, suite).unwrap());
    folder.refuses("edited.wasm", "document");
    folder.write("edited.wasm", stripped);
    folder.refuses("edited.wasm", "document");

    fs::copy(template(), folder.path("template.wasm")).unwrap();
    folder.good(&["verify", "template.wasm"]);
    folder.good(&["inspect", "template.wasm"]);
}

#[test]
fn a_component_that_runs_otherwise_than_its_bytes_say_is_found_out_by_running_it() {
    let folder = Folder::new("verify-running");
    folder.good(&["pin", "tested.toml"]);
    let mut bytes = folder.read("tested.wasm");
    let artifact = Artifact::load(&*bytes).unwrap();
    let core = artifact.core_module();
    let code = core.windows(7).position(|window| window == b"memory\x02").unwrap();
    let at = bytes.windows(core.len()).position(|window| window == core).unwrap() + code;
    // A core module without the memory that the component wires: valid by itself.
    bytes[at] = b'M';
    folder.write("edited.wasm", bytes);
    let run = folder.run(&["verify", "edited.wasm", "--json"]);
    assert_eq!((run.code, failed(&run)), (Some(5), vec!["running component".to_owned()]), "{}", run.stdout);
}

#[test]
fn an_artifact_that_is_not_pinned_is_refused_before_it_is_read() {
    let folder = Folder::new("trust");
    folder.good(&["pin", "tested.toml"]);
    folder.write("other.wasm", "garbage");
    let zeros = "0".repeat(64);
    for command in [&["inspect", "other.wasm"][..], &["decide", "--status", "503", "--policy", "other.wasm"]] {
        let locked = folder.bad(5, &[command, &["--locked"]].concat());
        assert!(locked.contains("expected an artifact that is locked"), "{locked}");
        assert!(locked.contains("looked for in `refrain.lock`, into which `refrain lock"), "{locked}");
        let missing = folder.bad(5, &[command, &["--locked", "--lock", "no.lock"]].concat());
        assert!(missing.contains("`no.lock`") && missing.contains("write one"), "{missing}");
        let pinned = folder.bad(5, &[command, &["--sha256", &zeros]].concat());
        assert!(pinned.contains("expected an artifact with the SHA-256"), "{pinned}");
    }
    let run = folder.run(&["verify", "other.wasm", "--locked", "--json"]);
    assert_eq!((run.code, failed(&run)), (Some(5), vec!["digest".to_owned()]));
}

#[test]
fn what_is_locked_decides_and_what_is_not_does_not() {
    let folder = Folder::new("locked");
    folder.good(&["pin", "tested.toml"]);
    let decide =
        |args: &[&str]| folder.run(&[&["decide", "--json", "--status", "503", "--retry-index", "1"], args].concat());
    for engine in ["wasm", "native"] {
        let run = decide(&["--policy", "tested.wasm", "--locked", "--engine", engine]);
        assert_eq!((run.code, &run.json()["end"]), (Some(0), &json!("attempts-used")), "{}", run.stderr);
    }
    fs::remove_file(folder.path("refrain.lock")).unwrap();
    let run = decide(&["--policy", "tested.wasm", "--locked"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    folder.write("elsewhere", "version = 1\n");
    let run = decide(&["--policy", "tested.wasm", "--locked", "--lock", "elsewhere"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert_eq!(decide(&["--policy", "tested.wasm"]).code, Some(0));
}

#[test]
fn a_document_can_be_tried_at_once() {
    let folder = Folder::new("tried");
    let decide = |engine: &str| {
        folder.run(&[
            "decide",
            "--json",
            "--status",
            "503",
            "--retry-index",
            "1",
            "--policy",
            "tested.toml",
            "--engine",
            engine,
        ])
    };
    let native = decide("native");
    assert_eq!((native.code, &native.json()["end"]), (Some(0), &json!("attempts-used")), "{}", native.stderr);
    let wasm = decide("wasm");
    let locked = folder.run(&["parse", "5", "--policy", "tested.toml", "--engine", "native", "--locked"]);
    if option_env!("REFRAIN_COMPONENT").is_some() {
        assert_eq!(wasm.json(), native.json());
        assert_eq!(locked.code, Some(5), "{}", locked.stderr);
    } else {
        assert_eq!((wasm.code, locked.code), (Some(2), Some(2)), "{} {}", wasm.stderr, locked.stderr);
    }
    assert!(folder.bad(2, &["parse", "5", "--policy", "polite"]).contains("found `polite`"));
}

#[test]
fn the_lock_file_is_checked_and_artifacts_are_put_into_it() {
    let folder = Folder::new("lock");
    assert!(folder.bad(2, &["lock"]).contains("`refrain.lock`"));
    fs::create_dir(folder.path("sub")).unwrap();
    folder.good(&["pin", "tested.toml", "-o", "sub/tested.wasm", "--no-lock"]);
    folder.good(&["pin", "stripe", "-o", "../stripe.wasm"]);
    folder.good(&["lock", "sub/tested.wasm"]);
    let report = folder.good(&["lock", "--json"]).json();
    let line = |name: &str, version: &str, file: Value, holds: Value| {
        let found = report["artifacts"].as_array().unwrap().iter().find(|line| line["name"] == name).unwrap();
        assert_eq!((&found["version"], &found["file"], &found["holds"]), (&json!(version), &file, &holds), "{report}");
    };
    line("tested", "1.2.0", json!("sub/tested.wasm"), json!(true));
    line("stripe", "1.0.0", Value::Null, Value::Null);
    folder.good(&["lock", "sub/tested.wasm", "--locked"]);

    folder.write("tested.toml", DOCUMENT.replace("= 2\n", "= 3\n"));
    folder.good(&["pin", "tested.toml", "-o", "sub/tested.wasm", "--no-lock"]);
    let changed = folder.run(&["lock"]);
    assert!(changed.code == Some(5) && changed.stdout.contains("✗"), "{}", changed.stdout);
    assert!(folder.bad(5, &["lock", "sub/tested.wasm"]).contains("--update"));
    assert!(folder.bad(5, &["lock", "sub/tested.wasm", "--update", "--locked"]).contains("forbids"));
    folder.good(&["lock", "sub/tested.wasm", "--update"]);
    folder.good(&["lock"]);

    fs::remove_file(folder.path("sub/tested.wasm")).unwrap();
    assert_eq!(folder.run(&["lock"]).code, Some(5));
    folder.write("refrain.lock", "version = 2\n");
    let refused = folder.bad(2, &["lock"]);
    assert!(refused.contains("refrain.lock:1:11: error: expected a lock file of version 1"), "{refused}");
}

#[test]
fn a_lock_entry_that_calls_an_artifact_otherwise_is_found_out() {
    let folder = Folder::new("lock-edited");
    folder.good(&["pin", "tested.toml"]);
    let lock = folder.text("refrain.lock");
    for (from, to) in [("1.2.0", "1.2.1"), ("name = \"tested\"", "name = \"other\"")] {
        folder.write("refrain.lock", lock.replace(from, to));
        assert_eq!(folder.run(&["lock"]).code, Some(5), "{to}");
        assert_eq!(folder.run(&["parse", "5", "--policy", "tested.wasm", "--locked"]).code, Some(5), "{to}");
    }
    let core = lock.rsplit('"').nth(1).unwrap();
    folder.write("refrain.lock", lock.replace(core, &"0".repeat(64)));
    assert_eq!(folder.run(&["lock"]).code, Some(5));
    let run = folder.run(&["verify", "tested.wasm", "--locked", "--json"]);
    assert_eq!((run.code, failed(&run)), (Some(5), vec!["lock file".to_owned()]), "{}", run.stdout);
    let run = folder.run(&["inspect", "tested.wasm", "--locked", "--json"]);
    assert!(run.code == Some(5) && run.json()["faults"][0].as_str().unwrap().contains("core module"), "{}", run.stdout);
    for command in
        [&["explain", "tested.wasm"][..], &["parse", "5", "--policy", "tested.wasm"], &["lock", "tested.wasm"]]
    {
        assert!(folder.bad(5, &[command, &["--locked"]].concat()).contains("core module"), "{command:?}");
    }
}

#[test]
fn nothing_that_is_read_steers_the_terminal() {
    let folder = Folder::new("terminal");
    let description = r#"description = "a red \u202edlo\u2066 word""#;
    folder.write("tested.toml", format!("{DOCUMENT}{description}\n"));
    let artifact = folder.good(&["pin", "tested.toml", "--json"]).json();
    let sha256 = artifact["sha256"].as_str().unwrap();
    let steers = |shown: &str| shown.contains(|character| visible::is_hidden(character) && character != '\n');
    for args in [&["explain", "tested.toml"][..], &["explain", "tested.wasm"], &["inspect", "tested.wasm"]] {
        let shown = folder.good(args).stdout;
        assert!(!steers(&shown) && shown.contains(r"\u202E") && shown.contains("red"), "{args:?}: {shown:?}");
    }

    let lock = folder.text("refrain.lock");
    folder.write("refrain.lock", lock.replace("tested.wasm", r"\u001b[2J\u202e.wasm"));
    let refused = folder.bad(2, &["lock"]);
    assert!(
        !steers(&refused) && refused.contains("expected a path below") && refused.contains(r"\u001B"),
        "{refused:?}"
    );
    folder.write("refrain.lock", lock.replace(sha256, r"\u001b[2J\u202e"));
    let refused = folder.bad(5, &["explain", "tested.wasm", "--locked"]);
    assert!(!steers(&refused) && refused.contains("expected a SHA-256") && refused.contains(r"\u202E"), "{refused:?}");

    let whole = folder.read("tested.wasm");
    let end: &[u8; 23] = br#""refrain:policy@1.0.0"}"#;
    // Of the same length.
    let steering: &[u8; 23] = br#""\u001b[2J\n\u202e \""}"#;
    let mut bytes = whole[..whole.len() - end.len()].to_vec();
    bytes.extend(steering);
    folder.write("edited.wasm", bytes);
    for command in ["verify", "inspect"] {
        let run = folder.run(&[command, "edited.wasm"]);
        assert!(run.code == Some(5) && run.stdout.contains(r"found `\u001B[2J"), "{run:?}");
        assert!(!steers(&run.stdout) && run.stdout.contains("\n      \\u202E"), "{run:?}");
    }
}

#[test]
fn the_help_of_each_command_has_examples_and_exit_codes() {
    for command in ["pin", "inspect", "verify", "lock", "bundle"] {
        let help: Run = bare_command().args([command, "--help"]).output().unwrap().into();
        assert!(help.stdout.contains(&format!("  refrain {command} ")), "{}", help.stdout);
        assert!(help.stdout.contains("Exit codes:"), "{}", help.stdout);
    }
}

#[test]
fn an_artifact_is_explained_by_its_document_and_only_if_it_is_what_it_has_to_be() {
    let folder = Folder::new("explained");
    folder.run(&["pin", "tested.toml", "--no-lock"]);
    let run = folder.run(&["explain", "tested.wasm"]);
    assert_eq!((run.code, run.stdout), (Some(0), folder.run(&["explain", "tested.toml"]).stdout));
    let run = folder.run(&["explain", "tested.wasm", "--sha256", &"0".repeat(64)]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(5), ""));
    let run = folder.run(&["explain", "tested.wasm", "--locked"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(5), ""));
    folder.run(&["lock", "tested.wasm"]);
    assert_eq!(folder.run(&["explain", "tested.wasm", "--locked"]).code, Some(0));
}
