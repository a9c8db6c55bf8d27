//! The longest waits that a policy can lead to, computed by the core.

use policy_core::{Backoff, Millis, Rules, Sample, Unit};
use serde::{Serialize, Serializer};

use crate::{document::Document, draft::retry::codes};

/// The waits and sends of one logical request at their worst. Attempts themselves take time too, which nobody can know.
///
/// ```
/// use refrain_document::{explain, ready};
/// let worst = explain::table(&ready::find("read-only-strict").unwrap().document());
/// assert_eq!((worst.sends, worst.retries.len()), (4, 3));
/// assert_eq!(worst.retries.last().map(|retry| retry.total), Some(worst.local));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorstCase {
    /// All sends, the first included.
    pub sends: u32,
    /// Each retry, if the server names no time.
    pub retries: Vec<Retry>,
    /// Longest wait in the process; what asks for more is deferred.
    #[serde(skip)]
    pub max_wait: Option<Millis>,
    /// No wait is begun that would reach it.
    #[serde(skip)]
    pub deadline: Option<Millis>,
    /// All waits together if the server names no time: no longer than this.
    #[serde(rename = "local_ms", serialize_with = "millis")]
    pub local: Millis,
    /// All waits together if the server names the longest time that is waited for, each time: no longer than this. `None`
    /// if nothing limits it.
    #[serde(rename = "with_hints_ms", serialize_with = "limit")]
    pub with_hints: Option<Millis>,
}

/// One retry, if the server names no time.
///
/// ```
/// use refrain_document::explain::Retry;
///
/// fn row(retry: &Retry) -> String {
///     let longest = retry.transient.longest.get();
///     format!("retry {}: up to {longest} ms, {} ms in all", retry.index, retry.total.get())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Retry {
    /// Its index, from 0.
    pub index: u32,
    /// The wait before it, after a fault that passes.
    pub transient: Waits,
    /// The wait before it, after a throttled status; `None` if no status is throttled.
    pub throttled: Option<Waits>,
    /// All waits up to here together: no longer than this.
    #[serde(rename = "total_ms", serialize_with = "millis")]
    pub total: Millis,
}

/// The waits that may be drawn; one above the longest wait in the process is deferred.
///
/// ```
/// use refrain_document::explain::Waits;
///
/// /// Whether clients that failed together come back together.
/// fn are_bunched(waits: &Waits) -> bool {
///     waits.shortest == waits.longest
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Waits {
    /// With the smallest sample.
    #[serde(rename = "shortest_ms", serialize_with = "millis")]
    pub shortest: Millis,
    /// With the largest sample.
    #[serde(rename = "longest_ms", serialize_with = "millis")]
    pub longest: Millis,
}

fn millis<S: Serializer>(span: &Millis, serializer: S) -> Result<S::Ok, S::Error> {
    span.get().serialize(serializer)
}

/// `null` for none.
fn limit<S: Serializer>(span: &Option<Millis>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(Millis::get).serialize(serializer)
}

/// The longest waits under a document, while there is a network.
///
/// ```
/// use refrain_document::{Document, Format, explain};
/// let text = "schema = 1\nname = \"once\"\nversion = \"1.0.0\"\nlimits.max_attempts = 1";
/// let worst = explain::table(&Document::parse(text, Format::Toml).unwrap());
/// assert_eq!((worst.sends, worst.retries.len()), (1, 0));
/// ```
#[must_use]
pub fn table(document: &Document) -> WorstCase {
    let rules = document.policy().rules();
    let (mut retries, mut series, mut total) = (Vec::new(), Series::default(), Millis::ZERO);
    for index in 0..rules.max_attempts.saturating_sub(1) {
        let transient = series.waits(&rules.transient);
        let throttled = (!rules.throttle.is_empty()).then(|| series.waits(&rules.throttled));
        let retry = Retry { index, transient, throttled, total };
        total = within(&rules, total.plus(retry.longest(&rules)));
        retries.push(Retry { total, ..retry });
        series = series.after(&rules);
    }
    WorstCase {
        sends: rules.max_attempts,
        max_wait: rules.max_wait,
        deadline: rules.deadline,
        local: total,
        with_hints: with_hints(&rules, &retries),
        retries,
    }
}

/// Where the local backoff can stand before a retry, whatever came before: see [`Backoff::draw`].
#[derive(Clone, Copy, Default)]
struct Series {
    least: u64,
    most: u64,
}

impl Series {
    fn waits(self, backoff: &Backoff) -> Waits {
        Waits {
            shortest: backoff.draw(self.least, Sample::ZERO).delay,
            longest: backoff.draw(self.most, Sample::ONE).delay,
        }
    }

    fn after(self, rules: &Rules) -> Self {
        let classes = [&rules.transient, &rules.throttled];
        let least = classes.map(|backoff| backoff.draw(self.least, Sample::ZERO).series);
        let most = classes.map(|backoff| backoff.draw(self.most, Sample::ONE).series);
        Self { least: least[0].min(least[1]), most: most[0].max(most[1]) }
    }
}

impl Retry {
    /// The longest wait of either class that is not deferred.
    fn longest(&self, rules: &Rules) -> Millis {
        let throttled = self.throttled.map_or(Millis::ZERO, |waits| waits.longest);
        self.transient.longest.max(throttled).min(rules.max_wait.unwrap_or(Millis::MAX))
    }
}

/// A sum of waits, none of which reaches the deadline.
fn within(rules: &Rules, total: Millis) -> Millis {
    total.min(rules.deadline.unwrap_or(Millis::MAX))
}

fn with_hints(rules: &Rules, retries: &[Retry]) -> Option<Millis> {
    let hint = match rules.max_wait {
        _ if retries.is_empty() || !hears_times(rules) => Millis::ZERO,
        Some(longest) => longest.plus(rules.hint.spread.of(longest)),
        None => return rules.deadline,
    };
    let total = retries.iter().fold(Millis::ZERO, |total, retry| total.plus(retry.longest(rules).max(hint)));
    Some(within(rules, total))
}

/// Whether a time that the server names is read on any result that is retried.
fn hears_times(rules: &Rules) -> bool {
    let has = |verdict| rules.hint.fields.iter().any(|field| (field.unit == Unit::Verdict) == verdict);
    let (times, verdicts) = (has(false), has(true));
    times && codes(rules.hint.statuses).any(|code| rules.retry.contains(code) || (verdicts && code >= 400))
}
