//! Readers of single values.

use std::ops::RangeInclusive;

use policy_core::{Millis, Thousandths};

use crate::{
    decimal, duration,
    duration::DurationError,
    problem::Problem,
    suggest::{listed, nearest},
    table::{At, Read},
    tree::{Node, Value},
};

/// The word that takes a limit away.
pub(crate) const NONE: &str = "none";

/// `true` or `false`.
pub(crate) fn boolean(node: &Node) -> Read<bool> {
    match node.value {
        Value::Boolean(value) => Ok(value),
        _ => Err(expected("`true` or `false`", node)),
    }
}

/// Any text.
pub(crate) fn text(node: &Node) -> Read<String> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(expected("a text in quotes", node)),
    }
}

/// One of some words, each with what it means.
pub(crate) fn word<T: Copy>(node: &Node, words: &[(&'static str, T)]) -> Read<T> {
    let names = || words.iter().map(|(name, _)| *name);
    if let Value::Text(text) = &node.value {
        if let Some((_, meaning)) = words.iter().find(|(name, _)| name == text) {
            return Ok(*meaning);
        }
        let found = expected_one(&listed(names(), "or"), node);
        return Err(match nearest(text, names()) {
            Some(meant) => found.help(format!("did you mean `{meant}`?")).into(),
            None => found.into(),
        });
    }
    Err(expected(&listed(names(), "or"), node))
}

/// A whole number within `range`.
pub(crate) fn integer(node: &Node, range: RangeInclusive<u32>) -> Read<u32> {
    let number = match &node.value {
        Value::Number(text) => decimal::scaled(text, 0).and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| expected(&format!("a whole number from {} to {}", range.start(), range.end()), node))
}

/// A number with at most three decimals, in thousandths, within `range` of them.
pub(crate) fn thousandths(node: &Node, range: RangeInclusive<u32>) -> Read<u32> {
    let number = match &node.value {
        Value::Number(text) => decimal::scaled(text, 3).and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let [from, to] = [range.start(), range.end()].map(|edge| decimal_text(*edge));
        expected(&format!("a number from {from} to {to} with at most three decimals"), node)
    })
}

/// A factor within `range` thousandths.
pub(crate) fn factor(node: &Node, range: RangeInclusive<u32>) -> Read<Thousandths> {
    thousandths(node, range).map(Thousandths::new)
}

/// Thousandths as a decimal number.
pub(crate) fn decimal_text(thousandths: u32) -> String {
    let (whole, fraction) = (thousandths / 1_000, thousandths % 1_000);
    let fraction = format!("{fraction:03}");
    match fraction.trim_end_matches('0') {
        "" => whole.to_string(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// A span of time: numbers with units, or whole milliseconds. [`Millis::MAX`] is no span but none.
pub(crate) fn span(node: &Node) -> Read<Millis> {
    let read = match &node.value {
        Value::Text(text) => duration::parse(text),
        Value::Number(text) => match decimal::scaled(text, 0).map(u64::try_from) {
            Some(Ok(ms)) if ms < Millis::MAX.get() => Ok(Millis::new(ms)),
            Some(_) => Err(DurationError::TooLong),
            None if decimal::scaled(text, 99).is_some() => Err(DurationError::NotWhole),
            None => Err(DurationError::Malformed),
        },
        _ => Err(DurationError::Malformed),
    };
    match read {
        Ok(Millis::MAX) | Err(DurationError::TooLong) => {
            Err(expected(&format!("a duration of at most {} ms", Millis::MAX.get() - 1), node))
        }
        Ok(span) => Ok(span),
        Err(DurationError::NotWhole) => Err(expected("a duration of whole milliseconds", node)),
        Err(DurationError::Malformed) => {
            Err(expected("a duration such as \"250ms\", \"30s\" or \"1h30m\", or whole milliseconds", node))
        }
    }
}

/// A span of time, or `"none"` for no limit.
pub(crate) fn limit(node: &Node) -> Read<Option<Millis>> {
    match &node.value {
        Value::Text(text) if text == NONE => Ok(None),
        Value::Text(_) | Value::Number(_) => span(node).map(Some),
        _ => Err(expected("a duration such as \"30s\", whole milliseconds, or \"none\"", node)),
    }
}

/// A list, each item read by `item`; all that is wrong with any of them.
pub(crate) fn list<T>(node: &Node, item: impl Fn(&Node) -> Read<T>) -> Read<Vec<At<T>>> {
    let Value::List(nodes) = &node.value else { return Err(expected("a list", node)) };
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    for node in nodes {
        match item(node) {
            Ok(value) => items.push(At::written(value, node.place.clone())),
            Err(wrong) => problems.extend(wrong),
        }
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}

/// A list of words, each at most once.
pub(crate) fn words<T: Copy + PartialEq>(node: &Node, words: &[(&'static str, T)]) -> Read<Vec<At<T>>> {
    let items = list(node, |node| word(node, words))?;
    let twice = items.iter().enumerate().filter_map(|(at, item)| {
        let first = items[..at].iter().find(|earlier| earlier.value == item.value)?;
        Some(stands_twice(item, first))
    });
    let twice: Vec<_> = twice.collect();
    if twice.is_empty() { Ok(items) } else { Err(twice) }
}

/// The problem that an item of a list stands there already.
pub(crate) fn stands_twice<T, U>(item: &At<T>, first: &At<U>) -> Problem {
    let place = item.place.clone().unwrap_or_default();
    Problem::error(place, "expected each item once").label("again").also(first.place.clone(), "here first")
}

/// The problem that something else was expected.
pub(crate) fn expected(what: &str, node: &Node) -> Vec<Problem> {
    expected_one(what, node).into()
}

pub(crate) fn expected_one(what: &str, node: &Node) -> Problem {
    Problem::error(node.place.clone(), format!("expected {what}, found {node}"))
}
