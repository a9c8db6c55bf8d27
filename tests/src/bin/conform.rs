//! Judges an engine by a folder of cases. `cargo xtask conform` builds and runs this.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use conformance::{Component, Maker, Native, cases, observe};

const HELP: &str = "\
Judges an engine by a folder of cases in the format of `dates.json`, `retry_after.json`, `hints.json`,
`scenarios.json` and `vectors.json`.

Usage: conform DIR [--engine native|wasm]

`native`, the default, is the core linked in; `wasm` is the component that `cargo xtask guest` builds, in wasmtime.

Prints, for each file, how many cases passed, failed and do not apply (with each reason), then every failure:
its id, what was expected, what came.

Exit code: 0 all passed, 1 some failed, 2 the folder or an argument could not be used.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (folder, engine) = match words[..] {
        ["-h" | "--help"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [folder] if !folder.starts_with('-') => (folder, "native"),
        [folder, "--engine", engine] | ["--engine", engine, folder] => (folder, engine),
        _ => return refuse(&format!("expected a folder of cases and perhaps an engine\n\n{HELP}")),
    };
    let judged = maker(engine).and_then(|mut maker| {
        judge_folder(Path::new(folder), &mut *maker).map_err(|error| format!("`{folder}`: {error}"))
    });
    match judged {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

fn maker(engine: &str) -> Result<Box<dyn Maker>, String> {
    match engine {
        "native" => Ok(Box::new(Native)),
        "wasm" => Ok(Box::new(Component::find()?)),
        other => Err(format!("expected the engine `native` or `wasm`, found `{other}`")),
    }
}

fn judge_folder(folder: &Path, maker: &mut dyn Maker) -> io::Result<bool> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "expected files that end in `.json`, found none"));
    }
    let mut out = io::stdout().lock();
    let mut failures = Vec::new();
    for file in &files {
        let mut tally = Tally::default();
        for case in cases::read(file)? {
            match case.probes {
                Err(reason) => *tally.not_applicable.entry(reason).or_default() += 1,
                Ok(probes) => match probes.iter().find_map(|probe| judge(maker, probe)) {
                    None => tally.passed += 1,
                    Some(failure) => {
                        tally.failed += 1;
                        failures.push(failure);
                    }
                },
            }
        }
        let apart: u32 = tally.not_applicable.values().sum();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        writeln!(out, "{name}: {} passed, {} failed, {apart} not applicable", tally.passed, tally.failed)?;
        for (reason, count) in &tally.not_applicable {
            writeln!(out, "  {count:>4} not applicable: {reason}")?;
        }
    }
    for failure in &failures {
        writeln!(out, "\n{}\n  expected {}\n  came     {}", failure.id, failure.expected, failure.came)?;
    }
    Ok(failures.is_empty())
}

#[derive(Default)]
struct Tally {
    passed: u32,
    failed: u32,
    not_applicable: BTreeMap<String, u32>,
}

struct Failure {
    id: String,
    expected: String,
    came: String,
}

fn judge(maker: &mut dyn Maker, probe: &cases::Probe) -> Option<Failure> {
    let failure = |expected, came| Some(Failure { id: probe.vector.id.clone(), expected, came });
    match observe(maker, &probe.vector) {
        Err(error) => {
            let expected = (probe.judge)(&serde_json::Map::new()).err().unwrap_or_default();
            failure(expected, error)
        }
        Ok(seen) => {
            let seen = seen.into_iter().next().unwrap_or_default();
            let expected = (probe.judge)(&seen).err()?;
            failure(expected, serde_json::Value::Object(seen).to_string())
        }
    }
}
