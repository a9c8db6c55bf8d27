//! A table of a document, read key by key.

use crate::{
    problem::{Place, Problem},
    suggest::{listed, nearest},
    tree::{Entry, Node, Value},
};

/// What a reader makes of a value, or all that is wrong with it.
pub(crate) type Read<T> = Result<T, Vec<Problem>>;

/// A setting, and where it was written; nowhere, if it is a default.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) place: Option<Place>,
}

impl<T> At<T> {
    pub(crate) const fn default(value: T) -> Self {
        Self { value, place: None }
    }

    pub(crate) fn written(value: T, place: Place) -> Self {
        Self { value, place: Some(place) }
    }
}

/// A table, and the problems that reading it brings to light.
pub(crate) struct Table<'a> {
    entries: &'a [Entry],
    asked: Vec<&'static str>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Table<'a> {
    /// Reads a table with `read`, and complains about every key that it did not ask for.
    pub(crate) fn read<T>(entries: &[Entry], problems: &mut Vec<Problem>, read: impl FnOnce(&mut Table<'_>) -> T) -> T {
        let mut table = Table { entries, asked: Vec::new(), problems };
        let value = read(&mut table);
        table.refuse_unknown_keys();
        value
    }

    /// The value of a key, if it is there and can be read.
    pub(crate) fn get<T>(&mut self, key: &'static str, read: impl FnOnce(&Node) -> Read<T>) -> Option<At<T>> {
        let node = self.node(key)?;
        match read(node) {
            Ok(value) => Some(At::written(value, node.place.clone())),
            Err(problems) => {
                let named = |problem: Problem| Problem { message: format!("`{key}`: {}", problem.message), ..problem };
                self.problems.extend(problems.into_iter().map(named));
                None
            }
        }
    }

    /// The value of a key, or its default.
    pub(crate) fn get_or<T>(&mut self, key: &'static str, default: T, read: impl FnOnce(&Node) -> Read<T>) -> At<T> {
        self.get(key, read).unwrap_or_else(|| At::default(default))
    }

    /// A table in this one; an empty one if it is not there.
    pub(crate) fn section<T>(&mut self, key: &'static str, read: impl FnOnce(&mut Table<'_>) -> T) -> T {
        let entries = match self.node(key) {
            None => &[],
            Some(Node { value: Value::Table(entries), .. }) => entries.as_slice(),
            Some(other) => {
                let message = format!("`{key}`: expected a table, found {other}");
                self.problems.push(Problem::error(other.place.clone(), message));
                &[]
            }
        };
        Table::read(entries, self.problems, read)
    }

    /// The value of a key as it stands there; the key counts as known from here on.
    pub(crate) fn node(&mut self, key: &'static str) -> Option<&'a Node> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Something is wrong with this table.
    pub(crate) fn complain(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn refuse_unknown_keys(self) {
        let Self { entries, asked, problems } = self;
        for entry in entries.iter().filter(|entry| !asked.contains(&&*entry.key)) {
            problems.push(unknown_key(entry, &asked));
        }
    }
}

/// Words of other tools, and what to do here.
const ELSEWHERE: [(&[&str], &str); 4] = [
    (
        &["retries", "max_retries", "retry_count", "max_tries"],
        "`limits.max_attempts` counts every send, the first included: three retries are `max_attempts = 4`",
    ),
    (&["timeout", "request_timeout"], "`limits.attempt_timeout` is for one attempt, `limits.deadline` for all of them"),
    (&["max_delay", "max_backoff", "max_interval"], "`backoff.cap` limits the backoff, `limits.max_wait` every wait"),
    (
        &["clip", "max_retry_after", "hint_cap"],
        "what the server asks for is never shortened: above `limits.max_wait` the request is deferred",
    ),
];

fn unknown_key(entry: &Entry, known: &[&'static str]) -> Problem {
    let key = &*entry.key;
    let problem = |message: String| Problem::error(entry.key_place.clone(), message);
    let shown = key.escape_debug();
    if let Some(meant) = nearest(key, known.iter().copied()) {
        return problem(format!("there is no key `{shown}` here; did you mean `{meant}`?")).label("unknown key");
    }
    let elsewhere = ELSEWHERE.iter().find(|(words, _)| words.contains(&key)).map(|(_, help)| (*help).to_owned());
    let help = elsewhere.unwrap_or_else(|| format!("the keys here are {}", listed(known.iter().copied(), "and")));
    problem(format!("there is no key `{shown}` here")).label("unknown key").help(help)
}
