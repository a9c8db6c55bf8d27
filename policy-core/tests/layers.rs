//! Holds the modules to their one-way order: each may import only what stands before it.

use std::{collections::BTreeSet, fs, path::Path};

/// Lowest first: quantities, what can come out, parsers, what can be decided by, decisions, the state machine, artifacts.
const ORDER: [&str; 31] = [
    "host",
    "time",
    "random",
    "outcome",
    "days",
    "word",
    "imf_fixdate",
    "http_date",
    "retry_after",
    "request",
    "failure",
    "field",
    "field_list",
    "status",
    "budget",
    "backoff",
    "rules",
    "policy",
    "compiled",
    "event",
    "hint",
    "classify",
    "command",
    "state",
    "decision",
    "interruption",
    "step",
    "call",
    "pause",
    "retry",
    "execution",
];

#[test]
fn imports_run_one_way() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "lib" {
            continue;
        }
        let rank = |module: &str| {
            let found = ORDER.iter().chain(&["slot"]).position(|known| *known == module);
            found.unwrap_or_else(|| panic!("`{module}` has no place in the order"))
        };
        let source = fs::read_to_string(&path).unwrap();
        let product = source.split("#[cfg(test)]").next().unwrap();
        for imported in imports(product) {
            assert!(rank(&imported) < rank(&name), "`{name}` imports `{imported}`, which stands above it");
        }
        seen.insert(name);
    }
    let expected = ORDER.iter().chain(&["slot"]).map(|name| (*name).to_owned()).collect();
    assert_eq!(seen, expected, "every module has a place, and every place a module");
}

/// The modules that `use crate::…` names, in either form, and `crate::module::` anywhere outside documentation.
fn imports(source: &str) -> BTreeSet<String> {
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let (mut depth, mut path) = (0, String::new());
                let mut first = |path: &str| found.extend(module(path.split(':').next().unwrap_or_default()));
                for character in list.chars() {
                    match character {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => first(&std::mem::take(&mut path)),
                        _ if depth == 0 => path.push(character),
                        _ => {}
                    }
                }
                first(&path);
            }
            None => found.extend(module(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap())),
        }
    }
    found
}

/// A lower-case word; a type's name comes after its module's and is none.
fn module(word: &str) -> Option<String> {
    let word = word.trim();
    word.starts_with(|c: char| c.is_ascii_lowercase()).then(|| word.to_owned())
}
