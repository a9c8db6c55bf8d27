//! The written form of a document: what is written as canonical JSON and as TOML, and what the JSON Schema describes.
//! Reading is [`Draft`](crate::draft::Draft)'s, which gives better errors; tests hold the two together.

mod backoff;
mod budget;
mod hints;
mod limits;
mod replay;
mod retry;
mod scalar;

use schemars::JsonSchema;
use serde::Serialize;

use self::{
    backoff::Backoff,
    budget::{Budget, BudgetOrNone},
    hints::Hints,
    limits::Limits,
    replay::Replay,
    retry::Retry,
    scalar::{word, words},
};
use crate::{
    document::Document,
    draft::{OFFLINE, SCHEMA},
    format::Format,
    value::NONE,
};

/// See [`Document::to_canonical_json`].
pub(crate) fn canonical_json(document: &Document) -> String {
    let shape = Shape::of(document, Spelling::Canonical);
    serde_json::to_string(&shape).expect("a shape is texts, numbers, lists and tables with texts as keys")
}

/// See [`Document::to_toml`].
pub(crate) fn toml(document: &Document) -> String {
    let shape = Shape::of(document, Spelling::People);
    toml::to_string(&shape).expect("a shape has no null and no number beyond TOML's")
}

/// For whom a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// For programs: everything spelled out, spans in milliseconds.
    Canonical,
    /// For people: human units, and the short form where there is one.
    People,
}

/// One HTTP retry policy: what is retried, how often, how far apart, and what the server has to say about it. What is
/// left out takes its default; a default gives way to what is written.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Refrain policy")]
pub(crate) struct Shape {
    /// Where this schema stands, for editors.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", extend("format" = "uri-reference"))]
    schema_place: Option<String>,
    /// The version of the document's shape.
    #[schemars(extend("const" = 1))]
    schema: u32,
    /// Name of the policy: 1 to 39 lower-case letters, digits and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,39}$"), extend("examples" = ["my-client"]))]
    name: String,
    /// Version of the policy: a semantic version (https://semver.org) of at most 23 characters. A released version does
    /// not change.
    #[schemars(
        length(max = 23),
        regex(pattern = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+][0-9A-Za-z.+-]+)?$"),
        extend("examples" = ["1.0.0"])
    )]
    version: String,
    /// What the policy is for.
    #[serde(default)]
    #[schemars(length(max = 2000))]
    description: String,
    #[serde(rename = "budget", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    no_budget: Option<&'static str>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    backoff: Backoff,
    #[serde(default)]
    retry: Retry,
    #[serde(default)]
    replay: Replay,
    #[serde(default)]
    hints: Hints,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BudgetOrNone")]
    budget: Option<Budget>,
    #[serde(default)]
    offline: Offline,
    #[serde(default)]
    session: Session,
}

/// Without a network.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Offline {
    /// What an attempt is that was not sent for want of a network: "await" gives its number back and waits for the
    /// network, "connect-failed" counts it as a failed connection.
    #[schemars(extend("enum" = words(&OFFLINE)))]
    mode: &'static str,
}

/// Sign-in.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Session {
    /// A host without a session handle refuses to start.
    required: bool,
}

impl Shape {
    fn of(document: &Document, spelling: Spelling) -> Self {
        let (rules, host) = (document.policy().rules(), document.host());
        Self {
            schema_place: None,
            schema: SCHEMA,
            name: document.name().to_owned(),
            version: document.version().to_string(),
            description: document.description().to_owned(),
            no_budget: rules.budget.is_none().then_some(NONE),
            limits: Limits::of(&rules, spelling),
            backoff: Backoff::of(&rules, spelling),
            retry: Retry::of(&rules),
            replay: Replay::of(&rules, host),
            hints: Hints::of(&rules.hint, spelling),
            budget: rules.budget.map(|budget| Budget::of(&budget, host.budget)),
            offline: Offline { mode: word(&OFFLINE, rules.offline) },
            session: Session { required: host.session_required },
        }
    }
}

/// The written form of a document that says nothing: the schema shows its values as defaults.
fn defaults() -> Shape {
    let least = format!("schema = {SCHEMA}\nname = \"name\"\nversion = \"1.0.0\"");
    let document = Document::parse(&least, Format::Toml).expect("the defaults hold together");
    Shape::of(&document, Spelling::People)
}

impl Default for Offline {
    fn default() -> Self {
        defaults().offline
    }
}

impl Default for Session {
    fn default() -> Self {
        defaults().session
    }
}
