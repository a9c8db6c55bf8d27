//! Where an artifact goes, and where it must not.

use std::{
    fs,
    path::{Path, PathBuf},
};

use refrain_document::{
    Document, Format,
    lock::{self, RelativePath},
};

use super::PinArgs;
use crate::{engine::Trust, exit::Error};

/// Where the artifact goes.
pub(super) fn output(args: &PinArgs, document: &Document) -> Result<PathBuf, Error> {
    match (&args.output, document.name()) {
        (Some(output), _) => Ok(output.clone()),
        (None, name) if name.starts_with('-') => Err(Error::usage(format!(
            "expected `-o FILE`: the file `{name}.wasm` of the policy `{name}` would pass for a flag"
        ))),
        (None, name) => Ok(format!("{name}.wasm").into()),
    }
}

/// Whether what is written replaces nothing that is read: the document, the template, the lock file. An artifact that is
/// baked anew may take its own place.
pub(super) fn keeps_inputs(args: &PinArgs, trust: &Trust, outputs: [Option<&Path>; 2]) -> Result<(), Error> {
    let policy = Path::new(&args.policy);
    let inputs = [
        Format::of_path(policy).map(|_| ("document", policy)),
        args.template.as_deref().map(|template| ("template", template)),
        Some(("lock file", trust.lock_file())),
    ];
    for output in outputs.into_iter().flatten() {
        let place = place(output);
        let same = |(_, input): &(&str, &Path)| place.is_some() && self::place(input) == place;
        if let Some((what, input)) = inputs.into_iter().flatten().find(same) {
            return Err(Error::usage(format!(
                "expected a file that is not the {what} `{}` to write to, found `{}`: pass another with `-o FILE`",
                input.display(),
                output.display()
            )));
        }
    }
    Ok(())
}

/// The way from the folder of the lock file to `path`; none if it lies elsewhere.
pub(crate) fn relative(lock: &Path, path: &Path) -> Result<Option<RelativePath>, Error> {
    let found = |path: &Path| {
        let folder = folder(path);
        fs::canonicalize(folder)
            .map_err(|error| Error::usage(format!("cannot find the folder `{}`: {error}", folder.display())))
    };
    let name = path.file_name().ok_or_else(|| Error::usage(format!("expected a file, found `{}`", path.display())))?;
    Ok(RelativePath::from_folder(&found(&lock::resolved(lock.to_owned()))?, &found(path)?.join(name)))
}

/// The one name of a file, whatever links lead to it; of one that is not there, the name that it would get.
fn place(path: &Path) -> Option<PathBuf> {
    let new = || Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(new)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
