//! Artifacts, written as ES modules. That they run is tested in `hosts/browser`.

use std::fs;

use refrain_document::{Artifact, Document, Format, artifact};
use serde_json::{Value, json};

use crate::{
    artifact::{DOCUMENT, Folder},
    support::template,
};

/// A folder with a pinned artifact.
fn pinned(name: &str) -> (Folder, Artifact) {
    let folder = Folder::new(name);
    folder.good(&["pin", "tested.toml"]);
    let artifact = Artifact::load(folder.read("tested.wasm")).unwrap();
    (folder, artifact)
}

/// The bytes that the text of an inline module stands for, read by what stands there to read it.
fn core_of(module: &str) -> Vec<u8> {
    let between = |before: &str, behind: &str| {
        let (_, from) = module.split_once(before).unwrap_or_else(|| panic!("no `{before}`"));
        from.split_once(behind).unwrap().0.to_owned()
    };
    let (text, low) = (between("const CORE =\n  \"", "\";\n"), between("const low = \"", "\".indexOf"));
    let space: i32 = between("low) + ", " * word.length").parse().unwrap();
    let less: i32 = between("word.length - ", ";").parse().unwrap();
    let mut bytes = Vec::new();
    let mut length = 0;
    for character in text.chars() {
        length += 1;
        if character != ' ' {
            let number = low.find(character).unwrap_or(character as usize);
            bytes.push((number as i32 + space * length - less) as u8);
            length = 0;
        }
    }
    bytes
}

#[test]
fn both_forms_carry_the_core_module_byte_for_byte_and_name_its_digest() {
    let (folder, artifact) = pinned("bundle");
    let run = folder.good(&["bundle", "tested.wasm", "--out", "made/here", "--json"]);
    let files =
        ["inline.js", "inline.d.ts", "js", "d.ts", "core.wasm"].map(|ending| format!("made/here/tested.{ending}"));
    let (sha256, core_sha256) = (artifact.digest().to_string(), artifact.core_digest().to_string());
    let expected = json!({
        "name": "tested", "version": "1.2.0", "sha256": sha256, "core_sha256": core_sha256,
        "core_bytes": artifact.core_module().len(), "lock": "refrain.lock", "files": files,
    });
    assert_eq!(run.json(), expected);
    assert!(core_of(&folder.text("made/here/tested.inline.js")) == artifact.core_module());
    assert!(folder.read("made/here/tested.core.wasm") == artifact.core_module());
    for form in ["inline.js", "js"] {
        let module = folder.text(&format!("made/here/tested.{form}"));
        let said = [
            format!("export const artifactSha256 = \"{sha256}\";"),
            format!("export const coreSha256 = \"{core_sha256}\";"),
            "from \"@refrain/fetch/pinned\"".to_owned(),
        ];
        for said in said {
            assert!(module.contains(&said), "{form}: no {said}");
        }
    }
    let separate = folder.text("made/here/tested.js");
    assert!(separate.contains("new URL(\"./tested.core.wasm\", import.meta.url)"), "{separate}");
}

#[test]
fn one_form_alone_can_be_asked_for() {
    let (folder, _) = pinned("bundle-forms");
    let names = |folder: &Folder, out: &str| {
        let name = |entry: Result<fs::DirEntry, _>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(folder.path(out)).unwrap().map(name).collect();
        names.sort_unstable();
        names
    };
    folder.good(&["bundle", "tested.wasm", "--out", "a", "--inline"]);
    assert_eq!(names(&folder, "a"), ["tested.inline.d.ts", "tested.inline.js"]);
    folder.good(&["bundle", "tested.wasm", "--out", "b", "--separate"]);
    assert_eq!(names(&folder, "b"), ["tested.core.wasm", "tested.d.ts", "tested.js"]);
    assert!(folder.bad(2, &["bundle", "tested.wasm", "--out", "c", "--inline", "--separate"]).contains("--separate"));
    assert!(!folder.path("c").exists());
}

#[test]
fn what_the_document_says_to_hosts_stands_in_the_module() {
    let folder = Folder::new("bundle-host");
    let host = |name: &str| -> Value {
        let module = folder.text(&format!("out/{name}.js"));
        let (_, from) = module.split_once("host: ").unwrap();
        serde_json::from_str(from.split_once(",\n").unwrap().0).unwrap()
    };
    for (name, rest, expected) in [
        ("plain", "", json!({"key": {"name": "idempotency-key"}, "budget": "policy"})),
        (
            "keyed",
            "replay = { key_field = \"X-Key\", key_form = \"quoted\" }\nbudget.per = \"host\"\nsession.required = true\n",
            json!({"key": {"name": "x-key", "quoted": true}, "budget": "host", "sessionRequired": true}),
        ),
        (
            "keyless",
            "replay = { key_field = \"none\", keyed_methods = [] }\n",
            json!({"key": null, "budget": "policy"}),
        ),
    ] {
        folder.write(&format!("{name}.toml"), format!("schema = 1\nname = \"{name}\"\nversion = \"1.0.0\"\n{rest}"));
        folder.good(&["pin", &format!("{name}.toml"), "--no-lock"]);
        folder.good(&["bundle", &format!("{name}.wasm"), "--out", "out"]);
        assert_eq!(host(name), expected, "{name}");
    }
    let default = fs::read(template()).unwrap();
    folder.write("template.wasm", &default);
    folder.good(&["bundle", "template.wasm", "--out", "out"]);
    let name = Artifact::load(default).unwrap().slot().name().to_owned();
    assert_eq!(host(&name), json!({"key": null, "budget": "policy"}));
}

#[test]
fn a_module_says_who_its_policy_is_as_the_core_module_would() {
    let (folder, artifact) = pinned("bundle-description");
    folder.good(&["bundle", "tested.wasm", "--out", "out"]);
    let policy = artifact.slot().policy();
    let expected = json!({
        "name": "tested", "version": "1.2.0", "fields": policy.fields().collect::<Vec<_>>(),
        "budget": policy.budget().map(|budget| budget.capacity.thousandths()), "maxAttempts": 2,
    });
    for form in ["inline.js", "js"] {
        let module = folder.text(&format!("out/tested.{form}"));
        let (_, from) = module.split_once("bytes()), {").unwrap();
        let description = format!("{{{}", from.split_once("),\n").unwrap().0);
        assert_eq!(serde_json::from_str::<Value>(&description).unwrap(), expected, "{form}");
    }
}

#[test]
fn an_artifact_that_the_lock_file_does_not_list_is_refused_and_nothing_is_written() {
    let (folder, _) = pinned("bundle-locked");
    let document = Document::parse(&DOCUMENT.replace("= 2", "= 3"), Format::Toml).unwrap();
    let other = artifact::pin(&fs::read(template()).unwrap(), &document).unwrap();
    let digest = refrain_document::Digest::of(&other).to_string();
    folder.write("other.wasm", &other);
    folder.write("garbage.wasm", "garbage");
    let out = ["--out", "out"];
    for (code, args, said) in [
        (5, &["other.wasm"][..], &["`other.wasm` is refused", "lock"][..]),
        (5, &["other.wasm", "--locked"], &["`other.wasm` is refused", "lock"]),
        (5, &["other.wasm", "--no-lock", "--sha256", &"0".repeat(64)], &["expected an artifact with the SHA-256"]),
        (5, &["garbage.wasm", "--no-lock"], &["`garbage.wasm`", "expected a component"]),
        (5, &["tested.wasm", "--lock", "no-such.lock"], &["`no-such.lock`"]),
        (2, &["no-such.wasm"], &["`no-such.wasm`"]),
        (2, &["tested.wasm", "--no-lock", "--locked"], &["--no-lock", "--locked"]),
        (2, &["tested.wasm", "--policy", "stripe"], &["--policy", "refrain bundle"]),
    ] {
        let stderr = folder.bad(code, &[&["bundle"], args, &out].concat());
        for said in said {
            assert!(stderr.contains(said), "{args:?}: no {said} in {stderr}");
        }
        assert!(!folder.path("out").exists(), "{args:?}");
    }
    folder.good(&["bundle", "other.wasm", "--out", "out", "--sha256", &digest, "--no-lock"]);
}

#[test]
fn a_folder_that_cannot_be_made_and_an_artifact_that_would_be_written_over_are_refused() {
    let (folder, artifact) = pinned("bundle-over");
    let stderr = folder.bad(6, &["bundle", "tested.wasm", "--out", "tested.toml/out"]);
    assert!(stderr.contains("cannot make the folder `tested.toml/out`"), "{stderr}");
    folder.write("tested.core.wasm", artifact.bytes());
    let stderr = folder.bad(2, &["bundle", "tested.core.wasm", "--out", "."]);
    assert!(stderr.contains("`./tested.core.wasm`") && stderr.contains("--out"), "{stderr}");
    assert!(folder.read("tested.core.wasm") == artifact.bytes());
    assert!(!folder.path("tested.js").exists());
}
