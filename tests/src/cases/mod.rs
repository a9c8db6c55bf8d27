//! Cases in the format of public collections (`dates.json`, `retry_after.json`, `hints.json`, `scenarios.json`,
//! `vectors.json`), turned into probes: a vector without its expectation, and a judge that knows every acceptable answer.
//!
//! The kind of a case is told by its `id` (`DATE-`, `RA-`, `HINT-`, `SCEN-`, `VEC-`), so any folder and any file name
//! will do.

mod dates;
mod expected;
mod hints;
mod numbers;
mod retry_after;
mod scenarios;

use std::{fs, io, path::Path};

use serde_json::{Map, Value};

use crate::vector::Vector;

/// One case.
pub struct Case {
    /// Its stable id.
    pub id: String,
    /// What to ask an engine; `Err` says why the case does not apply.
    pub probes: Result<Vec<Probe>, String>,
}

/// One question of a case.
pub struct Probe {
    /// The input; its `expect` is empty.
    pub vector: Vector,
    /// Members of the answer that a vector made of this probe records.
    pub records: &'static [&'static str],
    /// Says what was expected, if the answer is none of the acceptable ones.
    pub judge: Judge,
}

/// Judges an answer; `Err` says what was expected.
pub type Judge = Box<dyn Fn(&Map<String, Value>) -> Result<(), String>>;

/// Reads the cases of one file.
///
/// # Errors
/// A file that cannot be read or is no list of cases; the message names it.
pub fn read(path: &Path) -> io::Result<Vec<Case>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, format!("`{name}`: {what}"));
    let cases: Vec<Value> = serde_json::from_slice(&fs::read(path)?)
        .map_err(|error| invalid(format!("expected a list of cases: {error}")))?;
    cases
        .iter()
        .map(|case| {
            let id = case["id"].as_str().ok_or_else(|| invalid("expected an `id` in every case".into()))?;
            Ok(Case { id: id.into(), probes: convert(id, case) })
        })
        .collect()
}

fn convert(id: &str, case: &Value) -> Result<Vec<Probe>, String> {
    match id.split('-').next() {
        Some("DATE") => dates::convert(case),
        Some("RA") => retry_after::convert(case),
        Some("HINT") => hints::convert(case),
        Some("SCEN") => scenarios::convert(case),
        Some("VEC") => numbers::convert(case),
        _ => Err("expected an id that begins with DATE-, RA-, HINT-, SCEN- or VEC-".into()),
    }
}

/// A vector of this case without any input; `part` tells several of one case apart.
fn blank(case: &Value, part: &str) -> Vector {
    let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
    let id = if part.is_empty() { text("id") } else { format!("{}/{part}", text("id")) };
    Vector {
        id,
        source: text("source"),
        why: text("note"),
        ready_made: None,
        policy: crate::PolicySpec::default(),
        parse: None,
        steps: None,
        run: None,
        expect: Map::new(),
    }
}

/// Bytes as the characters of the same numbers.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// A text as UTF-8, and, where it can be and differs, as the single bytes that a Latin-1 peer sends.
fn encodings(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let single: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    let utf8 = ("", text.as_bytes().to_vec());
    match single {
        Some(bytes) if !text.is_ascii() => vec![utf8, ("latin-1", bytes)],
        _ => vec![utf8],
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
