//! The custom section that says what an artifact's policy was compiled from.

use std::{borrow::Cow, fmt};

use serde::Deserialize;
use serde_json::value::RawValue;
use wasm_encoder::{ComponentSection, CustomSection};

use super::WIT;
use crate::{Digest, Document, Format, Problems};

/// The name of the section.
pub(super) const NAME: &str = "refrain";

/// Most bytes of the section's contents.
pub const SECTION_MAX: usize = 16 * 1024;

/// What the section `refrain` of an artifact says. Its interface is [`WIT`]; a section of another one is refused.
///
/// ```
/// use refrain_document::Artifact;
///
/// /// What a person may read of where a policy comes from.
/// fn origin(artifact: &Artifact) -> Option<String> {
///     let section = artifact.section()?;
///     let document = section.document().map_or("the default".to_owned(), |document| document.to_toml());
///     Some(format!("{document}\nbeside the suite {}", section.suite()))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Section {
    document: Option<Document>,
    suite: Digest,
}

/// The contents of the section, as they are written: these members in this order, without white space.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json<'a> {
    #[serde(borrow)]
    document: Option<&'a RawValue>,
    #[serde(borrow)]
    suite: Cow<'a, str>,
    #[serde(borrow)]
    wit: Cow<'a, str>,
}

impl Section {
    pub(super) const fn new(document: Option<Document>, suite: Digest) -> Self {
        Self { document, suite }
    }

    /// What the policy in the slot was compiled from; absent from a template.
    #[must_use]
    pub const fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// SHA-256 of the conformance vectors that the component was built beside; `tests/README.md` says of what exactly.
    #[must_use]
    pub const fn suite(&self) -> Digest {
        self.suite
    }

    /// Reads the whole section, which has these contents. What [`encode`](Self::encode) would write otherwise is refused.
    pub(super) fn read(whole: &[u8], contents: &[u8]) -> Result<Self, SectionError> {
        let section = Self::parse(contents)?;
        if section.encode()? == whole { Ok(section) } else { Err(SectionError::Form) }
    }

    fn parse(contents: &[u8]) -> Result<Self, SectionError> {
        if contents.len() > SECTION_MAX {
            return Err(SectionError::TooLong(contents.len()));
        }
        let text = str::from_utf8(contents).map_err(|error| SectionError::Json(error.to_string()))?;
        let json: Json<'_> = serde_json::from_str(text).map_err(|error| SectionError::Json(error.to_string()))?;
        if json.wit != WIT {
            return Err(SectionError::Wit(json.wit.into_owned()));
        }
        let suite = json.suite.parse().map_err(|_| SectionError::Form)?;
        let document = json.document.map(|document| Document::parse(document.get(), Format::Json)).transpose();
        Ok(Self { document: document.map_err(SectionError::Document)?, suite })
    }

    /// The whole section, as it stands in a component.
    pub(super) fn encode(&self) -> Result<Vec<u8>, SectionError> {
        let document = self.document.as_ref().map(Document::to_canonical_json);
        let contents = written(document.as_deref(), self.suite);
        if contents.len() > SECTION_MAX {
            return Err(SectionError::TooLong(contents.len()));
        }
        let mut section = Vec::new();
        CustomSection { name: NAME.into(), data: contents.as_bytes().into() }.append_to_component(&mut section);
        Ok(section)
    }
}

fn written(document: Option<&str>, suite: Digest) -> String {
    let document = document.map(|document| format!(r#""document":{document},"#)).unwrap_or_default();
    format!(r#"{{{document}"suite":"{suite}","wit":"{WIT}"}}"#)
}

/// Why the section `refrain` of an artifact is refused.
///
/// ```
/// use refrain_document::{ArtifactError, artifact::SectionError};
///
/// /// Whether a newer version of the tool may know better.
/// fn is_newer(error: &ArtifactError) -> bool {
///     matches!(error, ArtifactError::Section(SectionError::Wit(_)))
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum SectionError {
    /// There are as many of them.
    Several(usize),
    /// Something follows it, or it does not belong to the outermost component.
    NotLast,
    /// Its contents have as many bytes.
    TooLong(usize),
    /// It is no JSON, or has other members; the text says where.
    Json(String),
    /// Another custom section, of this name, stands in the component beside it.
    Foreign(String),
    /// It says what it may, but not in the bytes that are written here.
    Form,
    /// It is of another interface, or of a version that is not known here.
    Wit(String),
    /// Its document is refused.
    Document(Problems),
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Several(count) => write!(f, "expected one section `{NAME}` in the component, found {count}"),
            Self::NotLast => write!(f, "expected the section `{NAME}` to be the last of the component"),
            Self::TooLong(len) => {
                write!(f, "expected a section `{NAME}` of at most {SECTION_MAX} bytes, found one of {len}")
            }
            Self::Json(why) => write!(f, "expected JSON in the section `{NAME}`: {why}"),
            Self::Form => write!(
                f,
                "expected the section `{NAME}` byte for byte as `refrain pin` writes it: the members `document` (canonical \
                 JSON), `suite` (a SHA-256 in lower case) and `wit` in this order, without white space"
            ),
            Self::Foreign(name) => {
                write!(f, "expected no custom section beside `{NAME}` in the component, found `{name}`")
            }
            Self::Wit(found) => write!(f, "expected the section `{NAME}` to be of `{WIT}`, found `{found}`"),
            Self::Document(problems) => write!(f, "the document in the section `{NAME}` is refused: {problems}"),
        }
    }
}

impl std::error::Error for SectionError {}
