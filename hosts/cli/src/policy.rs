//! What a POLICY on the command line names.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use refrain_document::{Artifact, Document, Format, artifact, ready};

use crate::{
    engine::{self, Trust},
    exit::{Error, Exit},
};

/// A policy that was named on the command line, read but not yet trusted.
pub(crate) enum Source {
    /// A document, or a ready-made policy.
    Document(Box<Document>),
    /// The bytes of an artifact, and where they come from.
    Artifact(PathBuf, Vec<u8>),
}

impl Source {
    /// Reads what `policy` names: a file by its ending, else a ready-made policy.
    pub(crate) fn read(policy: &OsStr) -> Result<Self, Error> {
        let path = Path::new(policy);
        if let Some(format) = Format::of_path(path) {
            return read_document(path, format).map(|document| Self::Document(Box::new(document)));
        }
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wasm")) {
            return Ok(Self::Artifact(path.to_owned(), bytes(path)?));
        }
        let ready = policy.to_str().and_then(ready::find).map(|ready| Self::Document(Box::new(ready.document())));
        ready.ok_or_else(|| {
            Error::usage(format!(
                "expected a document (`.toml`, `.json`), an artifact (`.wasm`) or a ready-made policy ({}), found `{}`",
                ready::names().collect::<Vec<_>>().join(", "),
                path.display()
            ))
        })
    }

    /// The document; that of an artifact once `load` has proved that the artifact decides by it.
    pub(crate) fn into_document(
        self,
        load: impl FnOnce(Vec<u8>, &str) -> Result<Artifact, Error>,
    ) -> Result<Document, Error> {
        let (path, bytes) = match self {
            Self::Document(document) => return Ok(*document),
            Self::Artifact(path, bytes) => (path, bytes),
        };
        let artifact = load(bytes, &format!("the artifact `{}`", path.display()))?;
        artifact.document().cloned().ok_or_else(|| {
            Error::usage(format!("expected an artifact with a document, found none in `{}`", path.display()))
        })
    }
}

/// The document of a policy that is trusted: one that stands for an artifact is baked before it is compared.
pub(crate) fn document(policy: &OsStr, trust: &Trust) -> Result<Document, Error> {
    let source = Source::read(policy)?;
    if let Source::Document(document) = &source
        && trust.compares()
    {
        let what = format!("the artifact of `{}` {}", document.name(), document.version());
        trust.load(engine::pin(None, document)?, &what)?;
    }
    let document = source.into_document(|bytes, what| trust.load(bytes, what))?;
    warn(policy, &document);
    Ok(document)
}

/// Shows what is accepted but probably not meant, on stderr.
pub(crate) fn warn(policy: &OsStr, document: &Document) {
    let warnings = document.warnings();
    if !warnings.is_empty() {
        anstream::eprintln!("{}", warnings.clone().in_file(policy.to_string_lossy()).render(true));
    }
}

/// Reads an artifact without looking at it.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    artifact::read(path).map_err(|error| Error::usage(error.to_string()))
}

fn read_document(path: &Path, format: Format) -> Result<Document, Error> {
    let name = path.display().to_string();
    let text = refrain_document::read(path)
        .map_err(|error| Error::usage(format!("cannot read the document `{name}`: {error}")))?;
    Document::parse(&text, format).map_err(|problems| Error::shown(Exit::Usage, problems.in_file(name).render(true)))
}
