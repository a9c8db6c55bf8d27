//! For tests: time that stands still until it is told to move, and a transport, randomness and observer under control.
//!
//! No test has to sleep, and none has to guess how far a request has come: it awaits [`TestTime::wait_entered`] and
//! [`ScriptedTransport::sent`], looks at the planned wait, and then moves the time.
//!
//! ```
//! use refrain::core::{Jitter, Mark, Method, Millis, Policy, Request, Rules, Sample};
//! use refrain::testing::{ScriptedEntropy, ScriptedTransport, TestTime};
//! use refrain::{DirectEngine, Driver, Options};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
//! let time = TestTime::default();
//! let driver = Driver::new(engine, time.clone(), ScriptedEntropy::new(Sample::ONE));
//!
//! let server = ScriptedTransport::new(&time);
//! server.respond(503, &[]);
//! server.respond(429, &[("retry-after", "2")]);
//! server.respond(200, &[]);
//!
//! let (request, options) = (Request::new(Method::Get), Options::default());
//! let test = async {
//!     // The local backoff is at most 500 ms for the first retry, and the sample takes all of it.
//!     assert_eq!(time.wait_entered().await, Mark::new(500));
//!     time.advance(Millis::new(500));
//!     // Told to wait 2 s, the policy adds a tenth for this sample.
//!     assert_eq!(time.wait_entered().await, Mark::new(500 + 2_200));
//!     time.advance(Millis::new(2_200));
//! };
//! let (result, ()) = tokio::join!(driver.run(&request, server.clone(), &options), test);
//!
//! assert_eq!(result?.attempts, 3);
//! let sends: Vec<_> = server.sends().iter().map(|send| send.at.get()).collect();
//! assert_eq!(sends, [0, 500, 2_700]);
//! # Ok(())
//! # }
//! ```

mod entropy;
mod observer;
mod time;
mod transport;

pub use entropy::ScriptedEntropy;
pub use observer::Recorder;
pub use time::TestTime;
pub use transport::{Later, Script, ScriptedError, ScriptedSend, ScriptedTransport};
