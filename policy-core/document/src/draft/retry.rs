//! What is retried.

use std::ops::RangeInclusive;

use policy_core::{FailureKind, FailureSet, Rules, StatusSet};

use crate::{
    problem::Problem,
    table::{At, Read, Table},
    tree::{Node, Value},
    value::{expected, list, stands_twice, words},
};

/// The failures that can be retried.
pub(crate) const FAILURES: [FailureKind; 5] = [
    FailureKind::DnsFailed,
    FailureKind::ConnectFailed,
    FailureKind::TlsFailed,
    FailureKind::Unprocessed,
    FailureKind::Ambiguous,
];

pub(crate) struct Retry {
    pub(crate) statuses: At<Statuses>,
    pub(crate) throttled: At<Statuses>,
    pub(crate) failures: At<Vec<FailureKind>>,
}

/// A set of statuses, and where each part of it was written.
#[derive(Clone)]
pub(crate) struct Statuses {
    pub(crate) set: StatusSet,
    pub(crate) items: Vec<At<RangeInclusive<u16>>>,
}

impl Retry {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let statuses = table.get_or("statuses", Statuses::default(Rules::DEFAULT.retry), statuses);
        // A default gives way to what is written.
        let retried = statuses.value.set;
        let both = codes(Rules::DEFAULT.throttle).filter(|code| retried.contains(*code));
        let throttled = both.fold(StatusSet::EMPTY, StatusSet::with);
        let all = FAILURES.into_iter().filter(|kind| Rules::DEFAULT.failures.contains(*kind)).collect();
        Self {
            statuses,
            throttled: table.get_or("throttled", Statuses::default(throttled), self::statuses),
            failures: table.get_or("failures", all, failures),
        }
    }

    pub(crate) fn failures(&self) -> FailureSet {
        FailureSet::of(&self.failures.value)
    }
}

impl Statuses {
    pub(crate) const fn default(set: StatusSet) -> Self {
        Self { set, items: Vec::new() }
    }
}

/// The codes of a set, in their order.
pub(crate) fn codes(set: StatusSet) -> impl Iterator<Item = u16> {
    (100..=599).filter(move |code| set.contains(*code))
}

/// The codes of a set as runs, from the first of each to its last.
pub(crate) fn runs(set: StatusSet) -> Vec<(u16, u16)> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for code in codes(set) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => runs.push((code, code)),
        }
    }
    runs
}

/// A list of codes and ranges of codes, no code twice.
pub(crate) fn statuses(node: &Node) -> Read<Statuses> {
    let items = list(node, status)?;
    let (mut set, mut twice) = (StatusSet::EMPTY, Vec::new());
    for (at, item) in items.iter().enumerate() {
        if item.value.clone().any(|code| set.contains(code)) {
            let shares = |earlier: &&At<RangeInclusive<u16>>| overlap(&earlier.value, &item.value);
            twice.extend(items[..at].iter().find(shares).map(|first| stands_twice(item, first)));
        }
        set = item.value.clone().fold(set, StatusSet::with);
    }
    if twice.is_empty() { Ok(Statuses { set, items }) } else { Err(twice) }
}

fn overlap(one: &RangeInclusive<u16>, other: &RangeInclusive<u16>) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
}

/// `429` or `"500-504"`.
fn status(node: &Node) -> Read<RangeInclusive<u16>> {
    let code = |text: &str| {
        let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|code| digits && (100..=599).contains(code))
    };
    let read = match &node.value {
        Value::Number(text) => code(text).map(|code| code..=code),
        Value::Text(text) => text.split_once('-').and_then(|(from, to)| Some(code(from)?..=code(to)?)),
        _ => None,
    };
    match read {
        Some(range) if range.is_empty() => {
            let turned = format!("write \"{}-{}\"", range.end(), range.start());
            let message = format!("expected the lower status first, found {node}");
            Err(Problem::error(node.place.clone(), message).help(turned).into())
        }
        Some(range) => Ok(range),
        None => Err(expected("a status from 100 to 599, or a range such as \"500-504\"", node)),
    }
}

fn failures(node: &Node) -> Read<Vec<FailureKind>> {
    let names = FAILURES.map(|kind| (kind.name(), kind));
    let refused = |node: &Node| match &node.value {
        Value::Text(text) if text == FailureKind::Permanent.name() => {
            Some("it would fail again, so it is never retried")
        }
        Value::Text(text) if text == FailureKind::Offline.name() => {
            Some("`offline.mode` says what is done without a network")
        }
        _ => None,
    };
    if let Value::List(items) = &node.value
        && let Some((item, help)) = items.iter().find_map(|item| Some((item, refused(item)?)))
    {
        let message = format!("expected failures that can be retried, found {item}");
        return Err(Problem::error(item.place.clone(), message).help(help).into());
    }
    let mut kinds: Vec<_> = words(node, &names)?.into_iter().map(|item| item.value).collect();
    kinds.sort_by_key(|kind| *kind as u8);
    Ok(kinds)
}
