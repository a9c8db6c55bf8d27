//! Counters and a histogram.

use ::metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};
use policy_core::{Bound, End, Wait};

use super::{DROPPED, Observer, Trace, TraceEvent};
use crate::{engine::Description, outcome::Reason};

/// Counts what the requests under one policy come to; names, units and labels stand in a table of the [module](super).
///
/// Counting neither allocates nor looks anything up. All counters are there from the beginning, at zero. Of several with the
/// same policy's name, all count to the same.
///
/// ```
/// use std::sync::Arc;
/// use refrain::core::{Policy, Rules};
/// use refrain::{DirectEngine, Engine, Options, observer::MetricsObserver};
/// let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
/// let observer = MetricsObserver::new(engine.description());
/// let options = Options { observer: Some(Arc::new(observer)), ..Options::default() };
/// # let _ = options;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MetricsObserver {
    requests: Counter,
    attempts: Attempts,
    retries: Counter,
    deferred: Counter,
    ends: Vec<(&'static str, Counter)>,
    delays: Vec<(Bound, Histogram)>,
}

/// By their result.
struct Attempts {
    answered: Counter,
    failed: Counter,
    timed_out: Counter,
    aborted: Counter,
}

impl MetricsObserver {
    /// Counts for the recorder that is installed now: install yours before, or nothing is counted.
    #[must_use]
    pub fn new(policy: &Description) -> Self {
        describe();
        let policy = policy.name.as_str();
        let named = |name: &'static str| counter!(name, "policy" => policy.to_owned());
        let attempts = |result| counter!(ATTEMPTS, "policy" => policy.to_owned(), "result" => result);
        let end = |reason| (reason, counter!(ENDS, "policy" => policy.to_owned(), "reason" => reason));
        let delay =
            |bound: Bound| (bound, histogram!(PLANNED_DELAY, "policy" => policy.to_owned(), "bound" => bound.name()));
        Self {
            requests: named(REQUESTS),
            attempts: Attempts {
                answered: attempts("answered"),
                failed: attempts("failed"),
                timed_out: attempts("timed-out"),
                aborted: attempts("aborted"),
            },
            retries: named(RETRIES),
            deferred: named(DEFERRED),
            ends: End::ALL.map(End::name).into_iter().chain(Reason::OTHERS).chain([DROPPED]).map(end).collect(),
            delays: [Bound::Backoff, Bound::Hint, Bound::Hold, Bound::Resume].map(delay).into(),
        }
    }

    fn attempt(&self, number: u32, result: &Counter) {
        result.increment(1);
        if number > 1 {
            self.retries.increment(1);
        }
    }

    fn wait(&self, wait: &Wait) {
        if let Some((_, delays)) = self.delays.iter().find(|(bound, _)| *bound == wait.bound) {
            // Exact up to 2^53.
            delays.record(wait.delay.get() as f64);
        }
    }

    fn end(&self, reason: &str) {
        if let Some((_, ends)) = self.ends.iter().find(|(known, _)| *known == reason) {
            ends.increment(1);
        }
    }
}

impl Observer for MetricsObserver {
    fn event(&self, trace: &Trace) {
        let Attempts { answered, failed, timed_out, aborted } = &self.attempts;
        match &trace.event {
            TraceEvent::Begun { .. } => self.requests.increment(1),
            TraceEvent::Answered { attempt, .. } => self.attempt(*attempt, answered),
            TraceEvent::Failed { attempt, timed_out: true, .. } => self.attempt(*attempt, timed_out),
            TraceEvent::Failed { attempt, .. } => self.attempt(*attempt, failed),
            TraceEvent::Aborted { attempt } => self.attempt(*attempt, aborted),
            TraceEvent::WaitPlanned(wait) => self.wait(wait),
            TraceEvent::Ended { reason, .. } => {
                if *reason == Reason::Policy(End::Deferred) {
                    self.deferred.increment(1);
                }
                self.end(reason.name());
            }
            TraceEvent::Dropped { .. } => self.end(DROPPED),
            TraceEvent::Sent { .. }
            | TraceEvent::Refused { .. }
            | TraceEvent::NetworkAwaited { .. }
            | TraceEvent::WaitOver { .. } => {}
        }
    }
}

/// Says that it is one; a counter's own text would be an address.
impl std::fmt::Debug for MetricsObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetricsObserver").finish_non_exhaustive()
    }
}

const REQUESTS: &str = "refrain.requests";
const ATTEMPTS: &str = "refrain.attempts";
const RETRIES: &str = "refrain.retries";
const DEFERRED: &str = "refrain.deferred";
const ENDS: &str = "refrain.ends";
const PLANNED_DELAY: &str = "refrain.planned_delay";

fn describe() {
    describe_counter!(REQUESTS, Unit::Count, "logical requests that were begun");
    describe_counter!(ATTEMPTS, Unit::Count, "sends that are over, by their result");
    describe_counter!(RETRIES, Unit::Count, "sends that are over and were resends");
    describe_counter!(DEFERRED, Unit::Count, "logical requests that are to go on later");
    describe_counter!(ENDS, Unit::Count, "logical requests that ended, by their reason");
    describe_histogram!(PLANNED_DELAY, Unit::Milliseconds, "planned length of waits, by what bounds it");
}
