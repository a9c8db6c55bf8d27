//! A policy as a document.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

use policy_core::{Policy, slot::Slot};
use semver::Version;

use crate::{
    check,
    draft::Draft,
    format::Format,
    host::{HostSettings, KeyField},
    problem::{Problem, Problems, Severity},
    shape, tree,
};

/// Most bytes of a document.
pub const DOCUMENT_MAX: usize = 65_536;

/// Reads the file of a document, and no more of it than one can have.
///
/// ```
/// use std::io::ErrorKind;
/// use refrain_document::read;
/// assert_eq!(read("no/such/file.toml").unwrap_err().kind(), ErrorKind::NotFound);
/// ```
///
/// # Errors
/// The file cannot be read, is not UTF-8, or is longer than [`DOCUMENT_MAX`].
pub fn read(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(DOCUMENT_MAX as u64 + 1).read_to_end(&mut bytes)?;
    match bytes.len() {
        0..=DOCUMENT_MAX => String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error)),
        _ => Err(io::Error::new(ErrorKind::FileTooLarge, too_long("more"))),
    }
}

fn too_long(found: impl std::fmt::Display) -> String {
    format!("expected a document of at most {DOCUMENT_MAX} bytes, found {found}")
}

/// A policy with its name, read from a document, checked, and complete: what the document leaves out has its default.
///
/// Two documents are equal if they say the same, whatever their format, the order of their keys, the spelling of their
/// units, and whether a default is spelled out. Equal documents have the same canonical JSON and compile to the same
/// bytes. Warnings do not count.
///
/// ```
/// use policy_core::Millis;
/// use refrain_document::{Document, Format};
/// let text = r#"
///     schema = 1
///     name = "my-client"
///     version = "1.0.0"
///     [limits]
///     max_attempts = 3
///     deadline = "30s"
/// "#;
/// let document = Document::parse(text, Format::Toml).unwrap();
/// assert_eq!(document.policy().rules().deadline, Some(Millis::from_secs(30)));
/// assert_eq!(Document::parse(&document.to_canonical_json(), Format::Json), Ok(document));
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    /// Name, version and policy.
    slot: Slot,
    version: Version,
    description: String,
    host: HostSettings,
    warnings: Problems,
}

impl Document {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// All problems that were found, warnings among them: first all that cannot be read; if everything can be read, all
    /// that contradicts itself. A text longer than [`DOCUMENT_MAX`] is not read.
    pub fn parse(text: &str, format: Format) -> Result<Self, Problems> {
        if text.len() > DOCUMENT_MAX {
            return Err(Problems::new("", Problem::error(0..0, too_long(text.len())).into()));
        }
        let refused = |problems| Problems::new(text, problems);
        let draft = tree::read(text, format)
            .and_then(|root| Draft::read(&root))
            .map_err(|problems| Problems::unread(text, problems))?;
        let problems = check::all(&draft);
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            return Err(refused(problems));
        }
        let unforeseen = |error: &dyn std::fmt::Display| refused(vec![Problem::error(0..0, error.to_string())]);
        let policy = Policy::new(draft.rules()).map_err(|error| unforeseen(&error))?;
        let slot = Slot::new(&draft.name, &draft.version.to_string(), policy).map_err(|error| unforeseen(&error))?;
        Ok(Self {
            slot,
            host: host(&draft),
            version: draft.version,
            description: draft.description,
            warnings: refused(problems),
        })
    }

    /// Name of the policy.
    #[must_use]
    pub fn name(&self) -> &str {
        self.slot.name()
    }

    /// Version of the policy.
    #[must_use]
    pub const fn version(&self) -> &Version {
        &self.version
    }

    /// What the policy is for; may be empty.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The compiled policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        self.slot.policy()
    }

    /// Name, version and policy, as they are baked into an artifact.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        self.slot
    }

    /// What only hosts need to know.
    #[must_use]
    pub const fn host(&self) -> &HostSettings {
        &self.host
    }

    /// What is accepted but probably not meant.
    #[must_use]
    pub const fn warnings(&self) -> &Problems {
        &self.warnings
    }

    /// The one way to write this document for programs: compact JSON in a fixed order, every setting spelled out, spans
    /// in whole milliseconds. Two documents have the same canonical JSON if and only if they are equal.
    #[must_use]
    pub fn to_canonical_json(&self) -> String {
        shape::canonical_json(self)
    }

    /// The document for people: every setting spelled out, spans in human units.
    #[must_use]
    pub fn to_toml(&self) -> String {
        shape::toml(self)
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.slot == other.slot && self.description == other.description && self.host == other.host
    }
}

impl Eq for Document {}

fn host(draft: &Draft) -> HostSettings {
    let form = draft.replay.key_form.value;
    HostSettings {
        key: draft.replay.key_field.value.clone().map(|name| KeyField { name, form }),
        budget: draft.budget.as_ref().map(|budget| budget.per).unwrap_or_default(),
        session_required: draft.session_required,
    }
}
