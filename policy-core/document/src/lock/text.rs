//! The text of a lock file.

use std::{
    collections::{BTreeMap, btree_map},
    fmt,
    str::FromStr,
};

use policy_core::{
    Policy, Rules,
    slot::{Slot, SlotError},
};
use semver::Version;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Entry, Lock, RelativePath};
use crate::{Place, Problem, Problems};

/// The version of the format that is read and written here.
const FORMAT: i64 = 1;

const HEADING: &str = "# Written by `refrain pin` and `refrain lock`; `refrain lock` checks it.\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    version: Spanned<i64>,
    #[serde(default)]
    policy: Vec<ReadEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadEntry {
    name: Spanned<String>,
    version: Spanned<String>,
    file: Option<Spanned<String>>,
    sha256: Spanned<String>,
    core_sha256: Spanned<String>,
}

#[derive(Serialize)]
struct Written<'a> {
    version: i64,
    policy: Vec<WrittenEntry<'a>>,
}

#[derive(Serialize)]
struct WrittenEntry<'a> {
    name: &'a str,
    version: String,
    file: Option<&'a str>,
    sha256: String,
    core_sha256: String,
}

impl Lock {
    /// Reads the text of a lock file. The artifacts may come in any order, each name and version once.
    ///
    /// # Errors
    /// All problems that were found.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        let refused = |problems| Problems::new(text, problems);
        let read: Read = toml::from_str(text).map_err(|error| {
            refused(Problem::error(error.span().unwrap_or_default(), error.message().trim_end()).into())
        })?;
        let format = *read.version.get_ref();
        if format != FORMAT {
            let message = format!("expected a lock file of version {FORMAT}, found version `{format}`");
            return Err(refused(Problem::error(read.version.span(), message).into()));
        }
        let (mut entries, mut problems) = (BTreeMap::<_, (Entry, Place)>::new(), Vec::new());
        for read in read.policy {
            let place = read.name.span();
            match entry(read) {
                Ok(entry) => match entries.entry(entry.key()) {
                    btree_map::Entry::Vacant(free) => drop(free.insert((entry, place))),
                    btree_map::Entry::Occupied(first) => problems.push(
                        Problem::error(place, format!("`{}` {} is locked twice", entry.name, entry.version))
                            .also(Some(first.get().1.clone()), "locked here"),
                    ),
                },
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(Self { entries: entries.into_iter().map(|(key, (entry, _))| (key, entry)).collect() })
        } else {
            Err(refused(problems))
        }
    }
}

fn entry(read: ReadEntry) -> Result<Entry, Problem> {
    let version = read.version.get_ref();
    let version = Version::parse(version).map_err(|_| {
        let message = format!("expected a semantic version such as `1.2.0`, found `{version}`");
        Problem::error(read.version.span(), message)
    })?;
    named(read.name.get_ref(), read.version.get_ref())
        .map_err(|error| Problem::error(read.name.span(), error.to_string()))?;
    Ok(Entry {
        version,
        file: read.file.as_ref().map(value).transpose()?,
        sha256: value(&read.sha256)?,
        core_sha256: value(&read.core_sha256)?,
        name: read.name.into_inner(),
    })
}

/// Whether an artifact can have this name and version.
fn named(name: &str, version: &str) -> Result<(), SlotError> {
    let policy = Policy::new(Rules::DEFAULT).map_err(SlotError::Policy)?;
    Slot::new(name, version, policy).map(drop)
}

fn value<T: FromStr<Err: fmt::Display>>(text: &Spanned<String>) -> Result<T, Problem> {
    text.get_ref().parse().map_err(|error: T::Err| Problem::error(text.span(), error.to_string()))
}

impl fmt::Display for Lock {
    /// Writes the text of the lock file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = self.entries().map(|entry| WrittenEntry {
            name: &entry.name,
            version: entry.version.to_string(),
            file: entry.file.as_ref().map(RelativePath::as_str),
            sha256: entry.sha256.to_string(),
            core_sha256: entry.core_sha256.to_string(),
        });
        let written = Written { version: FORMAT, policy: policy.collect() };
        write!(f, "{HEADING}{}", toml::to_string(&written).map_err(|_| fmt::Error)?)
    }
}
