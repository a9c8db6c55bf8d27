//! Retries for HTTP clients in Rust: one policy that gives the same answer everywhere.
//!
//! Use it as a small [`Client`] that gives the data or a typed error, as a [`tower`] layer around any
//! `Service<http::Request<B>>`, or as a [`middleware`] of `reqwest-middleware`. The examples of this crate show each.
//!
//! Under all of them a [`Driver`] runs logical requests. It asks an [`Engine`] what to do (the policy linked in, or the same
//! policy as a WebAssembly component), and does it: sends over a [`Transport`], waits on a [`Time`], returns. It holds no
//! retry rule.
//!
//! It reads no clock but its `Time`, draws no random number but its [`Entropy`], and starts no task. Dropping the
//! future, a [`CancellationToken`] and a raised [`SessionHandle`] each end a request at once, in every state.
//!
//! Not here, on purpose: circuit breakers, bulkheads, hedging, caching, redirects, authentication (a 401 is not
//! retried), range resumption of downloads.
//!
//! ```
//! use std::io;
//! use refrain::core::{Method, Policy, Request, Rules};
//! use refrain::{DirectEngine, Driver, Failure, Options, SystemEntropy, SystemTime, transport};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
//! let driver = Driver::new(engine, SystemTime, SystemEntropy);
//!
//! let request = Request::new(Method::Get);
//! let send = transport::from_fn(|_attempt| async { Ok::<_, Failure<io::Error>>(http::Response::new("hello")) });
//! let delivered = driver.run(&request, send, &Options::default()).await?;
//!
//! let text = delivered.response.body();
//! if delivered.session.is_current() {
//!     assert_eq!(*text, "hello");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Coming from reqwest-retry, backon or `tower::retry`? `MIGRATION.md`, the module `migration` of these pages, says what
//! changes.
//!
//! | feature | what |
//! |---|---|
//! | `tokio` (default) | [`SystemTime`] |
//! | `client` (default) | [`Client`]: the data, or a typed error |
//! | `middleware` | [`middleware::RetryMiddleware`] for `reqwest-middleware` |
//! | `tower` | [`tower::RetryLayer`] for any `Service<http::Request<B>>` |
//! | `reqwest` (default) | [`ReqwestTransport`]: plain HTTP/1 |
//! | `rustls-tls` | TLS for it; needs a C compiler |
//! | `http2` | HTTP/2 for it |
//! | `document` | a document's key field and budget scope, from `refrain-document` |
//! | `hyper` | [`transport::kind_of`]: what the errors of clients over hyper prove; in `reqwest` and `tower` |
//! | `serde` | [`Saved`] can be written and read |
//! | `tracing` | [`observer::TracingObserver`]: spans and events |
//! | `metrics` | [`observer::MetricsObserver`]: counters and a histogram |
//! | `record` | [`record::Recording`]: what the policy was asked, to be run again |
//! | `testing` | [`testing`]: controlled time, a scripted transport |

#[cfg(any(feature = "middleware", feature = "tower"))]
mod adapter;
mod body;
mod budget;
mod changes;
#[cfg(feature = "client")]
mod client;
mod deferral;
mod directory;
#[cfg(feature = "document")]
mod document;
mod driver;
mod engine;
mod entropy;
mod fields;
mod fresh;
mod key;
#[cfg(all(feature = "client", feature = "middleware", feature = "tower"))]
#[doc = include_str!("../MIGRATION.md")]
pub mod migration {}
#[cfg(feature = "middleware")]
pub mod middleware;
mod nesting;
mod network;
pub mod observer;
mod options;
mod outcome;
mod race;
#[cfg(feature = "record")]
pub mod record;
mod run;
mod saved;
mod session;
#[cfg(any(feature = "client", feature = "middleware", feature = "tower"))]
mod sharing;
#[cfg(any(feature = "client", feature = "middleware", feature = "tower"))]
mod stamp;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
#[cfg(feature = "tower")]
pub mod tower;
pub mod transport;

#[cfg(any(feature = "middleware", feature = "tower"))]
pub use adapter::{NoAnswer, Report};
pub use body::Body;
pub use budget::RetryBudget;
#[cfg(feature = "client")]
pub use client::{Client, ClientBuilder, ClientError, Invalid, RequestBuilder, SendError};
pub use deferral::{DeferralQueue, DeferralStorage, Due, MemoryStorage, PushError, Ticket};
pub use directory::{BudgetKey, Budgets, Holds, Origin};
pub use driver::{Driver, RunResult};
pub use engine::{Description, DirectEngine, Engine, EngineError, State, Step};
pub use entropy::{Entropy, EntropyError, SystemEntropy};
pub use fresh::{BoxError, FreshHeaders, FreshHeadersFuture, Outgoing, Refusal};
pub use key::{Key, KeyError, KeyField};
pub use nesting::Nesting;
pub use network::{Connectivity, Hold, ManualConnectivity};
pub use observer::{Observer, Trace, TraceEvent};
pub use options::Options;
pub use outcome::{Delivered, Ended, Last, Reason};
pub use policy_core as core;
pub use policy_core::{BudgetScope, KeyForm};
pub use saved::Saved;
pub use session::{SessionHandle, SessionTag};
#[cfg(feature = "tokio")]
pub use time::SystemTime;
pub use time::{Rounding, Time};
pub use tokio_util::sync::CancellationToken;
#[cfg(feature = "reqwest")]
pub use transport::reqwest::{ReqwestCall, ReqwestTransport};
pub use transport::{Attempt, Attempted, Failure, Head, Transport};
