//! A document as it was read: every setting with its place, defaults filled in, contradictions not looked for yet.

pub(crate) mod backoff;
pub(crate) mod budget;
pub(crate) mod hints;
pub(crate) mod limits;
pub(crate) mod replay;
pub(crate) mod retry;

use policy_core::{Offline, Policy, Rules, slot::Slot};
use semver::Version;

use self::{backoff::Backoffs, budget::Budget, hints::Hints, limits::Limits, replay::Replay, retry::Retry};
use crate::{
    problem::Problem,
    table::{Read, Table},
    tree::{Node, Value},
    value::{boolean, expected, integer, text, word},
};

/// The version of the document's shape.
pub(crate) const SCHEMA: u32 = 1;

/// Most characters of a description.
const DESCRIPTION_MAX: usize = 2_000;

/// What is done without a network, by its word.
pub(crate) const OFFLINE: [(&str, Offline); 2] =
    [("await", Offline::Await), ("connect-failed", Offline::CountAsConnectFailed)];

pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) description: String,
    pub(crate) limits: Limits,
    pub(crate) backoff: Backoffs,
    pub(crate) retry: Retry,
    pub(crate) replay: Replay,
    pub(crate) hints: Hints,
    /// Absent: every retry is free.
    pub(crate) budget: Option<Budget>,
    pub(crate) offline: Offline,
    pub(crate) session_required: bool,
}

impl Draft {
    /// Reads a whole document, or all that cannot be read of it.
    pub(crate) fn read(root: &Node) -> Read<Self> {
        let Value::Table(entries) = &root.value else { return Err(expected("a table", root)) };
        let mut problems = Vec::new();
        let draft = Table::read(entries, &mut problems, Self::read_root);
        match draft {
            Some(draft) if problems.is_empty() => Ok(draft),
            _ => Err(problems),
        }
    }

    /// `None` if something is missing that has no default; that is a problem of the table then.
    fn read_root(table: &mut Table<'_>) -> Option<Self> {
        // Which schema a JSON document is checked by is the editor's business.
        table.get("$schema", text);
        required(table, "schema", "`schema = 1`, the version of the document's shape", |node| {
            integer(node, SCHEMA..=SCHEMA).map_err(|_| expected("`1`, the version of the document's shape", node))
        });
        let name = required(table, "name", "a name such as `name = \"my-client\"`", name);
        let version = required(table, "version", "a version such as `version = \"1.0.0\"`", version);
        let description = table.get_or("description", String::new(), description).value;
        let limits = table.section("limits", Limits::read);
        let backoff = table.section("backoff", Backoffs::read);
        let retry = table.section("retry", Retry::read);
        let replay = table.section("replay", Replay::read);
        let hints = table.section("hints", Hints::read);
        let budget = Budget::read(table);
        let mode = |table: &mut Table<'_>| table.get_or("mode", Rules::DEFAULT.offline, |node| word(node, &OFFLINE));
        let offline = table.section("offline", mode).value;
        let session_required = table.section("session", |table| table.get_or("required", false, boolean)).value;
        Some(Self {
            name: name?,
            version: version?,
            description,
            limits,
            backoff,
            retry,
            replay,
            hints,
            budget,
            offline,
            session_required,
        })
    }

    /// The rules that the document says.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            max_attempts: self.limits.max_attempts.value,
            deadline: self.limits.deadline.value,
            deadline_scope: self.limits.deadline_bounds.value,
            attempt_timeout: self.limits.attempt_timeout.value,
            max_wait: self.limits.max_wait.value,
            retry: self.retry.statuses.value.set,
            throttle: self.retry.throttled.value.set,
            failures: self.retry.failures(),
            methods: self.replay.methods.set(),
            keyed_methods: self.replay.keyed_methods.set(),
            transient: self.backoff.transient.backoff(),
            throttled: self.backoff.throttled.backoff(),
            hint: self.hints.rules(),
            offline: self.offline,
            budget: self.budget.as_ref().map(Budget::rules),
        }
    }
}

fn required<T>(table: &mut Table<'_>, key: &'static str, what: &str, read: impl FnOnce(&Node) -> Read<T>) -> Option<T> {
    if table.node(key).is_none() {
        table.complain(Problem::error(0..0, format!("expected {what}, found no key `{key}`")));
    }
    table.get(key, read).map(|at| at.value)
}

fn name(node: &Node) -> Read<String> {
    let name = text(node)?;
    match fits_a_slot(&name, "1.0.0") {
        true => Ok(name),
        false => Err(expected("1 to 39 lower-case letters, digits and `-`", node)),
    }
}

fn version(node: &Node) -> Read<Version> {
    let version = text(node)?;
    match Version::parse(&version) {
        Ok(version) if fits_a_slot("name", &version.to_string()) => Ok(version),
        _ => Err(expected("a semantic version of at most 23 characters, such as \"1.0.0\"", node)),
    }
}

/// Shown on terminals, so no control character but the end of a line, which is one letter on every system.
fn description(node: &Node) -> Read<String> {
    let text = text(node)?.replace("\r\n", "\n");
    let fits =
        text.chars().count() <= DESCRIPTION_MAX && text.chars().all(|letter| letter == '\n' || !letter.is_control());
    match fits {
        true => Ok(text),
        false => {
            let message =
                format!("expected at most {DESCRIPTION_MAX} characters, and no control character but line ends");
            Err(Problem::error(node.place.clone(), message).into())
        }
    }
}

/// Whether an artifact can bear this name and version.
fn fits_a_slot(name: &str, version: &str) -> bool {
    Policy::new(Rules::DEFAULT).is_ok_and(|policy| Slot::new(name, version, policy).is_ok())
}
