//! Who may watch, and what is told: numbers, and names that are the policy's own. Never a field value, a URL or a body.
//!
//! An [`Observer`] goes into [`Options`](crate::Options). Without one a request pays a branch, and allocates nothing. Several
//! watch as a tuple. Ready-made are, each with a feature of its name,
//!
//! - `tracing`: [`TracingObserver`], spans and events;
//! - `metrics`: [`MetricsObserver`], counters and a histogram;
//! - `record`: [`Recording`](crate::record::Recording), from which a request can be run again.
//!
//! ```
//! use std::sync::Arc;
//! use refrain::observer::{Trace, TraceEvent};
//! use refrain::Options;
//!
//! let ends = |trace: &Trace| {
//!     if let TraceEvent::Ended { reason, attempts, .. } = &trace.event {
//!         eprintln!("request {}: {reason} after {attempts} sends", trace.request);
//!     }
//! };
//! let options = Options { observer: Some(Arc::new(ends)), ..Options::default() };
//! # let _ = options;
//! ```
//!
//! # What is emitted
//!
//! The five fields that may be logged (request id, status code, retry index, planned delay, end reason), the reason code of a
//! hint that could not be read, and nothing else.
//!
//! | `tracing`, target `refrain` | level | fields |
//! |---|---|---|
//! | span `request` | info | `request` |
//! | span `attempt`, in it | info | `request`; `http.request.resend_count` of a resend, absent on the first send; `http.response.status_code` once there is one |
//! | event `answered` | debug | `request`, `http.response.status_code` |
//! | event `failed`: no answer | debug | `request` |
//! | event `waiting` | info | `request`, `retry_index`, `planned_delay_ms`, `hint` if it could not be read |
//! | event `waiting for the network` | info | `request` |
//! | event `ended`, also of a request that was dropped | info; debug for `success` | `request`, `end`, `hint` if it could not be read |
//!
//! | `metrics` | kind | unit | labels | counts |
//! |---|---|---|---|---|
//! | `refrain.requests` | counter | count | `policy` | logical requests that were begun |
//! | `refrain.attempts` | counter | count | `policy`, `result`: `answered`, `failed`, `timed-out`, `aborted` | sends that are over |
//! | `refrain.retries` | counter | count | `policy` | those of them that were resends |
//! | `refrain.deferred` | counter | count | `policy` | requests that are to go on later |
//! | `refrain.ends` | counter | count | `policy`, `reason` | requests that ended, by the name of [`Reason`] or `dropped` |
//! | `refrain.planned_delay` | histogram | milliseconds | `policy`, `bound`: `backoff`, `hint`, `hold`, `resume` | waits, by their planned length |

mod call;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "tracing")]
mod tracing;
mod tuple;
mod watch;

use policy_core::{Bound, FailureKind, HintReport, Mark, Millis, Wait};

pub use self::call::{Call, Input};
#[cfg(feature = "metrics")]
pub use self::metrics::MetricsObserver;
#[cfg(feature = "tracing")]
pub use self::tracing::TracingObserver;
pub(crate) use self::watch::Watch;
use crate::outcome::Reason;

/// Watches requests. Called between two steps of a request, so it must not block.
///
/// All functions do nothing unless they are written; a closure of a [`Trace`] is an observer too.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use refrain::observer::{Call, Input, Observer};
///
/// /// How often the policy was asked about an answer.
/// #[derive(Default)]
/// struct Answers(AtomicU32);
///
/// impl Observer for Answers {
///     fn called(&self, call: &Call<'_>) {
///         if let Input::Response { .. } = call.input {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
/// ```
pub trait Observer: Send + Sync {
    /// Something happened.
    fn event(&self, trace: &Trace) {
        let _ = trace;
    }

    /// The policy was asked: for recordings, not for logs. It tells more than may be logged, but no text of a server.
    fn called(&self, call: &Call<'_>) {
        let _ = call;
    }

    /// What goes along with one request, asked for when it begins. `request` is its number, as in [`Trace::request`].
    fn scope(&self, request: u64) -> Option<Box<dyn Scope>> {
        let _ = request;
        None
    }
}

impl<F: Fn(&Trace) + Send + Sync> Observer for F {
    fn event(&self, trace: &Trace) {
        self(trace);
    }
}

/// Goes along with one request, and is dropped with it: for spans and other contexts that are entered and left.
///
/// ```
/// use std::cell::Cell;
/// use refrain::observer::{Scope, Trace};
///
/// thread_local!(static CURRENT: Cell<u64> = const { Cell::new(0) });
///
/// /// Tells what runs within an attempt which request it is for.
/// struct Numbered(u64);
///
/// impl Scope for Numbered {
///     fn event(&mut self, _: &Trace) {}
///
///     fn enter(&mut self, poll: &mut dyn FnMut()) {
///         let outer = CURRENT.replace(self.0);
///         poll();
///         CURRENT.set(outer);
///     }
/// }
/// ```
pub trait Scope: Send {
    /// Something happened. The observer itself is told before.
    fn event(&mut self, trace: &Trace);

    /// Calls `poll` once, which polls the attempt under way: what the client underneath emits meanwhile happens in here.
    fn enter(&mut self, poll: &mut dyn FnMut()) {
        poll();
    }
}

/// How a request ended that was dropped, beside the names of [`Reason`].
#[cfg(any(feature = "metrics", feature = "tracing"))]
const DROPPED: &str = "dropped";

/// Why a hint could not be read.
#[cfg(feature = "tracing")]
const fn unread(hint: HintReport) -> Option<&'static str> {
    match hint {
        HintReport::Absent | HintReport::Used | HintReport::NotAsked => None,
        unread => Some(unread.name()),
    }
}

/// Something that happened to one request.
///
/// ```
/// use refrain::core::Mark;
/// use refrain::observer::{Trace, TraceEvent};
/// let event = TraceEvent::Answered { attempt: 2, status: 503 };
/// let trace = Trace { request: 7, at: Mark::new(1_250), event };
/// assert!(matches!(trace.event, TraceEvent::Answered { status: 500..=599, .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Which request: the number, from 1, of those that were watched in this process.
    pub request: u64,
    /// When, as it was last told to the policy.
    pub at: Mark,
    /// What.
    pub event: TraceEvent,
}

/// What happened. The first is `Begun` and the last `Ended` or `Dropped`; each `Sent` is followed by one of `Answered`,
/// `Failed`, `Aborted` and `Refused`.
///
/// ```
/// use refrain::observer::TraceEvent;
/// fn line(event: &TraceEvent) -> Option<String> {
///     match event {
///         TraceEvent::WaitPlanned(wait) => Some(format!("{} ms before retry {}", wait.delay.get(), wait.retry_index)),
///         TraceEvent::Ended { reason, attempts, .. } => Some(format!("{reason} after {attempts} sends")),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent {
    /// The request begins.
    Begun {
        /// Sends that were made before: by a layer above, or before the request was saved.
        attempts_used: u32,
    },
    /// An attempt begins.
    Sent {
        /// Its number; the first is 1.
        attempt: u32,
        /// Time until the response head must be here.
        timeout: Option<Millis>,
    },
    /// The head of a response is here.
    Answered {
        /// The attempt that it answers.
        attempt: u32,
        /// Its status code.
        status: u16,
    },
    /// An attempt brought no response.
    Failed {
        /// The attempt that failed.
        attempt: u32,
        /// What is known about processing.
        kind: FailureKind,
        /// It ran into the attempt's timeout.
        timed_out: bool,
    },
    /// An attempt was given up under way: the request was cancelled, dropped, or its session ended.
    Aborted {
        /// The attempt.
        attempt: u32,
    },
    /// The transport refused to make the attempt: nothing was sent, and it does not count.
    Refused {
        /// The attempt.
        attempt: u32,
    },
    /// A wait begins: how long, until when, for which retry, and why.
    WaitPlanned(Wait),
    /// A wait for the network begins.
    NetworkAwaited {
        /// At the latest until here.
        until: Mark,
    },
    /// A wait is over, or was broken off.
    WaitOver {
        /// How long it was.
        waited: Millis,
    },
    /// The request has ended.
    Ended {
        /// Why.
        reason: Reason,
        /// The bound that decided.
        bound: Bound,
        /// What became of the server's hint.
        hint: HintReport,
        /// All sends.
        attempts: u32,
    },
    /// The caller has dropped the request before it ended.
    Dropped {
        /// All sends, the one under way included.
        attempts: u32,
    },
}
