//! What changes for callers between two policies.
//!
//! ```
//! use refrain_document::{diff, ready};
//! let document = |name| ready::find(name).unwrap().document();
//! let changes = diff::between(&document("aws-standard-2-0"), &document("aws-standard-2-1"));
//! let cost = changes.settings.iter().find(|setting| setting.path == "budget.retry").unwrap();
//! assert_eq!((cost.from.as_deref(), cost.to.as_deref()), (Some("5"), Some("14")));
//! ```

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::{document::Document, explain};

/// What differs.
///
/// ```
/// use refrain_document::{diff, ready};
/// let stripe = ready::find("stripe").unwrap().document();
/// assert!(diff::between(&stripe, &stripe).are_none());
/// let changes = diff::between(&stripe, &ready::find("grpc-a6").unwrap().document());
/// assert!(!changes.settings.is_empty() && !changes.after.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Each setting that differs, by its path in the document.
    pub settings: Vec<Setting>,
    /// Sentences of the one's explanation that are none of the other's.
    pub before: Vec<String>,
    /// Sentences of the other's explanation that are none of the one's.
    pub after: Vec<String>,
}

/// A setting that differs.
///
/// ```
/// use refrain_document::diff::Setting;
///
/// fn line(setting: &Setting) -> String {
///     let shown = |value: &Option<String>| value.clone().unwrap_or("(absent)".to_owned());
///     format!("{}: {} → {}", setting.path, shown(&setting.from), shown(&setting.to))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// Its path, for example `limits.max_wait`.
    pub path: String,
    /// As the one document has it; `None` where it has no such setting.
    pub from: Option<String>,
    /// As the other has it.
    pub to: Option<String>,
}

impl Changes {
    /// Whether callers notice nothing: the two are equal but for name, version and description.
    #[must_use]
    pub fn are_none(&self) -> bool {
        const TEXTS: [&str; 3] = ["name", "version", "description"];
        self.settings.iter().all(|setting| TEXTS.contains(&setting.path.as_str()))
    }
}

/// What changes from `one` to `other`.
///
/// ```
/// use refrain_document::{Document, Format, diff};
/// let document = |attempts: u32| {
///     let text = format!("schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nlimits.max_attempts = {attempts}");
///     Document::parse(&text, Format::Toml).unwrap()
/// };
/// let changes = diff::between(&document(3), &document(4));
/// assert_eq!(changes.settings.len(), 1);
/// assert_eq!(changes.settings[0].path, "limits.max_attempts");
/// ```
#[must_use]
pub fn between(one: &Document, other: &Document) -> Changes {
    let (mut from, to) = (settings(one), settings(other));
    let mut paths: Vec<String> = from.keys().chain(to.keys()).cloned().collect();
    paths.sort();
    paths.dedup();
    let settings = paths.into_iter().filter_map(|path| {
        let (from, to) = (from.remove(&path), to.get(&path).cloned());
        (from != to).then_some(Setting { path, from, to })
    });
    let (before, after) = (explain::sentences(one), explain::sentences(other));
    Changes {
        settings: settings.collect(),
        before: before.iter().filter(|sentence| !after.contains(sentence)).cloned().collect(),
        after: after.iter().filter(|sentence| !before.contains(sentence)).cloned().collect(),
    }
}

/// Every setting in the spelling for people, by its path.
fn settings(document: &Document) -> BTreeMap<String, String> {
    let table: Table = document.to_toml().parse().expect("a document that was written can be read");
    let mut settings = BTreeMap::new();
    flatten("", table, &mut settings);
    settings
}

fn flatten(prefix: &str, table: Table, settings: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        let path = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(table) => flatten(&path, table, settings),
            value => drop(settings.insert(path, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, ready};

    fn document(text: &str) -> Document {
        let head = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\n";
        Document::parse(&format!("{head}{text}"), Format::Toml).unwrap()
    }

    #[test]
    fn a_policy_does_not_differ_from_itself() {
        for name in ready::names() {
            let document = ready::find(name).unwrap().document();
            let changes = between(&document, &document);
            assert!(changes.settings.is_empty() && changes.before.is_empty() && changes.after.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_setting_is_named_by_its_path_and_said_in_words() {
        let changes = between(&document(""), &document("[limits]\nmax_attempts = 3\nmax_wait = \"none\""));
        let found: Vec<_> = changes.settings.iter().map(|s| (&*s.path, s.from.as_deref(), s.to.as_deref())).collect();
        assert_eq!(
            found,
            [("limits.max_attempts", Some("4"), Some("3")), ("limits.max_wait", Some("\"1m\""), Some("\"none\""))]
        );
        assert!(changes.before.iter().any(|sentence| sentence.contains("at most 4 times")), "{:?}", changes.before);
        assert!(changes.after.iter().any(|sentence| sentence.contains("at most 3 times")), "{:?}", changes.after);
        assert!(!changes.are_none());
    }

    #[test]
    fn a_setting_that_only_one_has_is_a_change() {
        let changes = between(&document(""), &document("budget = \"none\""));
        let capacity = changes.settings.iter().find(|setting| setting.path == "budget.capacity").unwrap();
        assert_eq!((capacity.from.as_deref(), capacity.to.as_deref()), (Some("500"), None));
    }

    #[test]
    fn another_name_is_no_change_for_callers() {
        let other = Document::parse("schema = 1\nname = \"b\"\nversion = \"2.0.0\"", Format::Toml).unwrap();
        assert!(between(&document(""), &other).are_none());
    }
}
