//! Turns a folder of cases into vectors and a skip file. `cargo xtask import-cases` builds and runs this.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use conformance::{Native, Skip, Vector, VectorFile, cases, layout, observe};

const HELP: &str = "\
Turns the cases that apply into vectors, and the others into a skip file with a reason each.

Usage: import CASES VECTORS

Writes VECTORS/imported-NAME.json for each file NAME.json of CASES, and VECTORS/../skip.json. A case whose answer is not
acceptable is an error: nothing is written then.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &arguments[..] else {
        eprintln!("{HELP}");
        return ExitCode::from(2);
    };
    match import(Path::new(from), Path::new(to)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn import(from: &Path, to: &Path) -> io::Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(from)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut written = Vec::new();
    let mut skipped: Vec<Skip> = Vec::new();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut vectors = Vec::new();
        for case in cases::read(file)? {
            match case.probes {
                Err(reason) => skipped.push(Skip { id: case.id, reason }),
                Ok(probes) => {
                    for probe in probes {
                        vectors.push(answered(probe)?);
                    }
                }
            }
        }
        println!("imported-{name}.json: {} vectors", vectors.len());
        let about = format!("Imported from the case collection `{name}`");
        written.push((format!("imported-{name}.json"), VectorFile { about, vectors }));
    }
    for (name, file) in written {
        fs::write(to.join(name), layout::vector_file(&file))?;
    }
    println!("skip.json: {} cases", skipped.len());
    fs::write(to.join("../skip.json"), layout::skip_file(&skipped))
}

/// The vector of a probe, with the answer that is ours among the acceptable ones.
fn answered(probe: cases::Probe) -> io::Result<Vector> {
    let mut vector = probe.vector;
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let seen = observe(&mut Native, &vector).map_err(|error| invalid(format!("{}: {error}", vector.id)))?;
    let mut seen = seen.into_iter().next().unwrap_or_default();
    (probe.judge)(&seen).map_err(|expected| invalid(format!("{}: expected {expected}", vector.id)))?;
    seen.retain(|name, value| probe.records.contains(&name.as_str()) && !value.is_null());
    vector.expect = seen;
    Ok(vector)
}
