//! What is wrong with a document, and where.

use std::{fmt, ops::Range, sync::Arc};

/// Bytes of a document's text, from a start up to but not including an end.
pub type Place = Range<usize>;

/// How grave a problem is.
///
/// ```
/// use refrain_document::{Document, Format, Severity};
/// let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nlimits.max_attempts = 0";
/// let problems = Document::parse(text, Format::Toml).unwrap_err();
/// assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted, but probably does not do what was meant.
    Warning,
}

impl Severity {
    /// The name in what is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One thing that is wrong with a document.
///
/// ```
/// use refrain_document::{Document, Format};
/// let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nlimit = {}";
/// let problems = Document::parse(text, Format::Toml).unwrap_err();
/// let problem = problems.iter().next().unwrap();
/// assert_eq!(&text[problem.place.clone()], "limit");
/// assert!(problem.message.contains("did you mean `limits`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong; it can be understood without the document.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What is to be seen there; may be empty.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
    /// Other places that belong to it, and what is to be seen there.
    pub also: Vec<(Place, String)>,
}

impl Problem {
    pub(crate) fn error(place: Place, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            place,
            label: String::new(),
            help: None,
            also: Vec::new(),
        }
    }

    pub(crate) fn warning(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(place, message) }
    }

    pub(crate) fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn also(mut self, place: Option<Place>, label: impl Into<String>) -> Self {
        self.also.extend(place.map(|place| (place, label.into())));
        self
    }
}

/// One problem is a list of problems.
impl From<Problem> for Vec<Problem> {
    fn from(problem: Problem) -> Self {
        vec![problem]
    }
}

/// All problems of one document, in the order of their places, with its text.
///
/// Its `Display` has one line a problem, `line:column: error: …`, behind the file's name if [`Problems::in_file`] gave
/// one; [`Problems::render`] shows the text.
///
/// ```
/// use refrain_document::{Document, Format};
/// let text = "schema = 1\nname = \"polite\"\nversion = \"1.0.0\"\nlimit = {}";
/// let problems = Document::parse(text, Format::Toml).unwrap_err().in_file("polite.toml");
/// assert_eq!(
///     problems.to_string(),
///     "polite.toml:4:1: error: there is no key `limit` here; did you mean `limits`?"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    text: Arc<str>,
    /// Where each line begins.
    lines: Arc<[usize]>,
    file: Option<String>,
    list: Vec<Problem>,
    /// Something could not be read, so that nothing was compared.
    unread: bool,
}

/// A place as people count it.
///
/// ```
/// use refrain_document::{Document, Format, Position};
/// let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nlimit = {}";
/// let problems = Document::parse(text, Format::Toml).unwrap_err();
/// let place = &problems.iter().next().unwrap().place;
/// assert_eq!(problems.position(place), Position { line: 4, column: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Problems {
    pub(crate) fn new(text: &str, mut list: Vec<Problem>) -> Self {
        list.sort_by_key(|problem| (problem.place.start, problem.place.end));
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { text: text.into(), lines, file: None, list, unread: false }
    }

    /// The problems of a text that could not be read whole.
    pub(crate) fn unread(text: &str, list: Vec<Problem>) -> Self {
        Self { unread: true, ..Self::new(text, list) }
    }

    /// The same problems, shown with the name of the document's file.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// Each problem, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether the document is refused.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Whether there may be more: settings are compared with each other once all of them can be read.
    ///
    /// ```
    /// use refrain_document::{Document, Format};
    /// let text = "schema = 1\nname = \"polite\"\nversion = \"1.0.0\"\nlimits.max_attempts = \"three\"";
    /// assert!(Document::parse(text, Format::Toml).unwrap_err().are_first());
    /// ```
    #[must_use]
    pub fn are_first(&self) -> bool {
        self.unread
    }

    /// Where a place of the document begins.
    #[must_use]
    pub fn position(&self, place: &Place) -> Position {
        let start = place.start.min(self.text.len());
        let line = self.lines.partition_point(|begins| *begins <= start);
        let before = line.checked_sub(1).and_then(|at| self.text.get(self.lines[at]..start)).unwrap_or("");
        Position { line, column: before.chars().count() + 1 }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            if let Some(file) = &self.file {
                write!(f, "{file}:")?;
            }
            let Position { line, column } = self.position(&problem.place);
            write!(f, "{line}:{column}: {}: {}", problem.severity.name(), problem.message)?;
            if let Some(help) = &problem.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
