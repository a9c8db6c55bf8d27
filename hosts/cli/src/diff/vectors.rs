//! The conformance vectors, each put to two engines.

use std::collections::BTreeMap;

use conformance::{Vector, embedded, observe_by};
use refrain::Engine;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::style::{DIM, paint};

/// Named where not all are.
const SHOWN: usize = 12;

/// Members of an answer in the order in which they matter; the first that differs is the one that is named.
const MEMBERS: [&str; 14] = [
    "command",
    "end",
    "sends",
    "attempt",
    "delay",
    "delays",
    "delay_seconds",
    "at",
    "refused",
    "timeout",
    "until",
    "attempts",
    "bound",
    "hint",
];

/// Members that tell of the budget and decide nothing by themselves: where one changes what is decided, another member
/// differs too.
const TOKENS: [&str; 2] = ["tokens", "tokens_after"];

/// What an engine answers to one call.
type Answer = Map<String, Value>;

/// How the vectors came out.
#[derive(Serialize)]
pub(super) struct Vectors {
    total: usize,
    pub(super) different: Vec<Different>,
    /// How many decide the same and leave another number of tokens in the budget.
    tokens_only: usize,
}

/// A vector that two policies decide differently, and the first thing that differs.
#[derive(Serialize)]
pub(super) struct Different {
    id: String,
    /// The call, from 0, of a vector that has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<usize>,
    member: String,
    from: Value,
    to: Value,
}

impl Vectors {
    /// Puts every vector to both engines.
    pub(super) fn of(from: &dyn Engine, to: &dyn Engine) -> Self {
        let vectors = embedded::vectors();
        let (mut different, mut tokens_only) = (Vec::new(), 0);
        for vector in &vectors {
            let (one, other) = (answers(from, vector), answers(to, vector));
            let found = one.iter().zip(&other).enumerate().find_map(|(at, (one, other))| {
                let call = vector.steps.is_some().then_some(at);
                Different::between(&vector.id, call, one, other)
            });
            tokens_only += usize::from(found.is_none() && one.iter().zip(&other).any(|(one, other)| one != other));
            different.extend(found);
        }
        Self { total: vectors.len(), different, tokens_only }
    }

    pub(super) fn lines(&self, all: bool) -> Vec<String> {
        let shown = if all { self.different.len() } else { SHOWN };
        let mut lines =
            vec![format!("  {} of {} decide differently{}", self.different.len(), self.total, self.kinds())];
        let width = self.different.iter().take(shown).map(|vector| vector.id.chars().count()).max().unwrap_or(0);
        lines.extend(self.different.iter().take(shown).map(|vector| vector.text(width)));
        if let Some(rest) = self.different.len().checked_sub(shown).filter(|rest| *rest > 0) {
            lines.push(format!("  {}", paint(DIM, format!("… and {rest} more; `--all` names them"))));
        }
        if self.tokens_only > 0 {
            lines.push(format!("  and {} in tokens alone, which decides nothing", self.tokens_only));
        }
        lines
    }

    /// How many differ in what.
    fn kinds(&self) -> String {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for vector in &self.different {
            *kinds.entry(&vector.member).or_default() += 1;
        }
        let kinds: Vec<_> = kinds.into_iter().map(|(member, count)| format!("{member} {count}")).collect();
        if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) }
    }
}

/// What an engine answers. A vector that was written for another policy may run out of answers of its own: that is where
/// the request ends then.
fn answers(engine: &dyn Engine, vector: &Vector) -> Vec<Answer> {
    observe_by(engine, vector).unwrap_or_else(|error| vec![Map::from_iter([("end".to_owned(), error.into())])])
}

impl Different {
    /// The first member that differs, if one does that is not only of the budget.
    fn between(id: &str, call: Option<usize>, one: &Answer, other: &Answer) -> Option<Self> {
        let differs = |member: &&str| one.get(*member) != other.get(*member);
        let rest = one.keys().chain(other.keys()).map(String::as_str).filter(|member| !TOKENS.contains(member));
        let member = MEMBERS.into_iter().chain(rest).find(differs)?;
        let value = |answer: &Answer| answer.get(member).cloned().unwrap_or_default();
        Some(Self { id: id.to_owned(), call, member: member.to_owned(), from: value(one), to: value(other) })
    }

    fn text(&self, width: usize) -> String {
        let call = self.call.map(|call| format!(", call {call}")).unwrap_or_default();
        format!("  {:width$}  {} {} → {}{}", self.id, self.member, self.from, self.to, paint(DIM, call))
    }
}
