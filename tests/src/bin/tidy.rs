//! Writes `schema.json`, and every vector file anew in the layout that the linter asks for.

use std::{fs, io, path::Path, process::ExitCode};

use conformance::{layout, load_all, schema};

fn main() -> ExitCode {
    match tidy(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn tidy(tests: &Path) -> io::Result<()> {
    fs::write(tests.join("schema.json"), schema::text())?;
    let vectors = tests.join("vectors");
    for (name, file) in load_all(&vectors)? {
        fs::write(vectors.join(name), layout::vector_file(&file))?;
    }
    Ok(())
}
