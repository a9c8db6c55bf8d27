//! What is retried.

use policy_core::{FailureKind, Rules, StatusSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::{defaults, scalar};
use crate::draft::retry::{FAILURES, runs};

/// What is retried.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Retry {
    /// Statuses that are retried.
    statuses: Vec<StatusOrRange>,
    /// Those of them that say "too much": they have a backoff and a token price of their own. Left out, it is 429 if that
    /// is retried.
    throttled: Vec<StatusOrRange>,
    /// Failures that are retried, named by what is known about processing. "permanent" failures never are, and for
    /// "offline" there is `offline.mode`.
    #[schemars(extend("items" = scalar::one_of(FAILURES.map(FailureKind::name))))]
    failures: Vec<&'static str>,
}

/// A status, or a range of them such as "500-504".
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum StatusOrRange {
    Status(#[schemars(range(min = 100, max = 599))] u16),
    Range(#[schemars(regex(pattern = r"^[1-5][0-9]{2}-[1-5][0-9]{2}$"))] String),
}

impl Retry {
    pub(super) fn of(rules: &Rules) -> Self {
        let kinds = FailureKind::ALL.into_iter().filter(|kind| rules.failures.contains(*kind));
        Self {
            statuses: statuses(rules.retry),
            throttled: statuses(rules.throttle),
            failures: kinds.map(FailureKind::name).collect(),
        }
    }
}

/// Runs of three and more as ranges.
pub(super) fn statuses(set: StatusSet) -> Vec<StatusOrRange> {
    let written = |(first, last): (u16, u16)| match last - first {
        0 => vec![StatusOrRange::Status(first)],
        1 => vec![StatusOrRange::Status(first), StatusOrRange::Status(last)],
        _ => vec![StatusOrRange::Range(format!("{first}-{last}"))],
    };
    runs(set).into_iter().flat_map(written).collect()
}

impl Default for Retry {
    fn default() -> Self {
        defaults().retry
    }
}
