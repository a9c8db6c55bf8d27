//! How long to wait when the server does not say, for each class of results.

use policy_core::{Backoff, Jitter, Millis, Rules, Sample, Thousandths};

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
        let transient = table.section("transient", Written::read).or(&common);
        let throttled = table.section("throttled", Written::read).or(&common);
        let jitters = [transient.jitter.as_ref(), throttled.jitter.as_ref()].map(|at| at.map(|at| at.value));
        Self {
            transient: Class::of(transient, &Rules::DEFAULT.transient, jitters[1]),
            throttled: Class::of(throttled, &Rules::DEFAULT.throttled, jitters[0]),
        }
    }
}

/// What stands in one table, or holds for it.
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

    /// What is left out here, as it stands there.
    fn or(self, common: &Self) -> Self {
        Self {
            base: self.base.or_else(|| common.base.clone()),
            multiplier: self.multiplier.or_else(|| common.multiplier.clone()),
            cap: self.cap.or_else(|| common.cap.clone()),
            ceiling: self.ceiling.or_else(|| common.ceiling.clone()),
            jitter: self.jitter.or_else(|| common.jitter.clone()),
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
    /// What is written, else the defaults as far as they fit what is written; `other_jitter` is written for the other
    /// class.
    fn of(written: Written, default: &Backoff, other_jitter: Option<Jitter>) -> Self {
        let Written { base, multiplier, cap, ceiling, jitter } = written;
        // Either all classes are decorrelated or none.
        let follows = other_jitter.filter(|other| *other == Jitter::Decorrelated);
        let default_cap = match &base {
            Some(base) => default.cap.max(base.value),
            None => default.cap,
        };
        let mut class = Self {
            base: At::default(default.base),
            multiplier: multiplier.unwrap_or_else(|| At::default(default.multiplier)),
            cap: cap.unwrap_or_else(|| At::default(limited(default_cap))),
            ceiling: ceiling.unwrap_or_else(|| At::default(limited(default.ceiling))),
            jitter: jitter.unwrap_or_else(|| At::default(follows.unwrap_or(default.jitter))),
        };
        class.base = base.unwrap_or_else(|| At::default(class.longest_base(default.base)));
        class
    }

    /// The longest base of at most `most` that the cap does not cut, and the ceiling no first wait.
    fn longest_base(&self, most: Millis) -> Millis {
        let ceiling = self.ceiling.value.unwrap_or(Millis::MAX);
        let fits = |base| {
            let uncut = Backoff { base: Millis::new(base), ceiling: Millis::MAX, ..self.backoff() };
            uncut.base <= uncut.cap && uncut.draw(0, Sample::ONE).delay <= ceiling
        };
        // A base of zero always fits.
        let (mut fitting, mut above) = (0, most.get() + 1);
        while above - fitting > 1 {
            let middle = fitting.midpoint(above);
            if fits(middle) { fitting = middle } else { above = middle }
        }
        Millis::new(fitting)
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
