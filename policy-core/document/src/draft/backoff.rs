//! How long to wait when the server does not say, for each class of results.

use policy_core::{Backoff, Jitter, Millis, Rules, Thousandths};

use crate::{
    table::{At, Read, Table},
    tree::{Node, Value},
    value::{expected, factor, limit, span, word},
};

/// The jitters without numbers, by their words.
pub(crate) const JITTERS: [(&str, Jitter); 4] =
    [("none", Jitter::None), ("full", Jitter::Full), ("equal", Jitter::Equal), ("decorrelated", Jitter::Decorrelated)];

/// The largest multiplier and jitter factor, in thousandths.
pub(crate) const FACTOR_MAX: u32 = 100_000;

pub(crate) struct Backoffs {
    pub(crate) transient: Class,
    pub(crate) throttled: Class,
}

/// The backoff of one class.
pub(crate) struct Class {
    pub(crate) base: At<Millis>,
    pub(crate) multiplier: At<Thousandths>,
    pub(crate) cap: At<Option<Millis>>,
    pub(crate) ceiling: At<Option<Millis>>,
    pub(crate) jitter: At<Jitter>,
}

impl Backoffs {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let common = Written::read(table);
        let transient = table.section("transient", Written::read);
        let throttled = table.section("throttled", Written::read);
        Self {
            transient: Class::of(transient, &common, &Rules::DEFAULT.transient),
            throttled: Class::of(throttled, &common, &Rules::DEFAULT.throttled),
        }
    }
}

/// What stands in one table.
struct Written {
    base: Option<At<Millis>>,
    multiplier: Option<At<Thousandths>>,
    cap: Option<At<Option<Millis>>>,
    ceiling: Option<At<Option<Millis>>>,
    jitter: Option<At<Jitter>>,
}

impl Written {
    fn read(table: &mut Table<'_>) -> Self {
        Self {
            base: table.get("base", span),
            multiplier: table.get("multiplier", multiplier),
            cap: table.get("cap", limit),
            ceiling: table.get("ceiling", limit),
            jitter: table.get("jitter", jitter),
        }
    }
}

/// What the core takes: 1.0, or 1.1 to 100.0.
fn multiplier(node: &Node) -> Read<Thousandths> {
    let refused = |_| expected("1.0, or a number from 1.1 to 100 with at most three decimals", node);
    let multiplier = factor(node, 1_000..=FACTOR_MAX).map_err(refused)?;
    if (1_001..1_100).contains(&multiplier.get()) { Err(refused(Vec::new())) } else { Ok(multiplier) }
}

fn jitter(node: &Node) -> Read<Jitter> {
    match &node.value {
        Value::Table(entries) => {
            let mut problems = Vec::new();
            let read = |table: &mut Table<'_>| {
                let mut edge = |key| table.get(key, |node| factor(node, 0..=FACTOR_MAX));
                (edge("low"), edge("high"))
            };
            match Table::read(entries, &mut problems, read) {
                (Some(low), Some(high)) if problems.is_empty() => {
                    Ok(Jitter::Scaled { low: low.value, high: high.value })
                }
                _ if problems.is_empty() => {
                    Err(expected("both `low` and `high`, such as { low = 0.8, high = 1.2 }", node))
                }
                _ => Err(problems),
            }
        }
        Value::Text(_) => word(node, &JITTERS),
        _ => Err(expected("a jitter such as \"full\", or { low = 0.8, high = 1.2 }", node)),
    }
}

impl Class {
    /// Its own settings, else those of all classes, else the defaults.
    fn of(own: Written, common: &Written, default: &Backoff) -> Self {
        fn pick<T: Clone>(own: Option<At<T>>, common: &Option<At<T>>, default: T) -> At<T> {
            own.or_else(|| common.clone()).unwrap_or_else(|| At::default(default))
        }
        Self {
            base: pick(own.base, &common.base, default.base),
            multiplier: pick(own.multiplier, &common.multiplier, default.multiplier),
            cap: pick(own.cap, &common.cap, limited(default.cap)),
            ceiling: pick(own.ceiling, &common.ceiling, limited(default.ceiling)),
            jitter: pick(own.jitter, &common.jitter, default.jitter),
        }
    }

    pub(crate) fn backoff(&self) -> Backoff {
        Backoff {
            base: self.base.value,
            multiplier: self.multiplier.value,
            cap: self.cap.value.unwrap_or(Millis::MAX),
            jitter: self.jitter.value,
            ceiling: self.ceiling.value.unwrap_or(Millis::MAX),
        }
    }
}

/// A limit as the core writes it, in which the longest span means none.
pub(crate) fn limited(span: Millis) -> Option<Millis> {
    (span != Millis::MAX).then_some(span)
}
