//! Recordings of what the policy was asked and what it said, from which a request can be run again: `refrain replay` does
//! so, and `refrain replay --as-vector` makes a conformance vector of one.
//!
//! # The format, version 1
//!
//! JSON lines, one for each call of the policy, in the order in which the calls were made. The lines of requests that run
//! at the same time lie between one another; `request` tells them apart. Recordings may be joined by joining their files.
//!
//! | member | on | what |
//! |---|---|---|
//! | `refrain_record` | the first line of a request | the version of the format, 1 |
//! | `request` | every line | the number of the request |
//! | `policy` | the first line of a request | `name`, `version`, and `sha256` of the compiled policy |
//! | `hints` | the first line of a request | what stands in `fields`: `read` or `sent`, see below |
//! | `of` | the first line of a request | the request, as in the `request` of a vector; all members |
//! | `call` | every line | the call, as in the step of a vector: `"start"`, `"wake"`, `{"response": …}`, `{"failure": …}` |
//! | `now` | every line | what else the policy was told, as in the step of a vector; all members but `hold`, which may be absent |
//! | `expect` | every line but one | what it said, as in the step of a vector; all members |
//! | `failed` | in the place of `expect` | the engine made no decision: `trapped`, `limit-reached`, `unknown` or `unavailable`; the last line of its request |
//! | `inexact` | a line with `hints` `read` | `true` if what stands in `fields` could not take the place of what was sent |
//!
//! Vectors are described by `tests/README.md` and `tests/schema.json` of this repository. The session is 1 as long as it is
//! the one in which the request began, and 2 in any other; every other number is the one that the policy was told.
//!
//! # Hints
//!
//! What a server sent is its own text. Unless the recording is made [with hints](Recording::with_hints), there stands in its
//! place what was read out of it, written anew: `120` for a number, a date in its usual form, `true` or `false`, and where a
//! value was refused, another one with the same fault. Whether the policy decides the same by that is tried out while the
//! recording is made. Where it does not, the line says that it is `inexact`, and the request can be run again only up to it.
//!
//! ```
//! use std::sync::Arc;
//! use refrain::core::{Method, Policy, Request, Rules};
//! use refrain::record::Recording;
//! use refrain::{DirectEngine, Driver, Failure, Options, SystemEntropy, transport};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use refrain::testing::TestTime;
//! let recording = Arc::new(Recording::new(Vec::new()));
//! let options = Options { observer: Some(recording.clone()), ..Options::default() };
//!
//! let engine = DirectEngine::new("polite", "1.0.0", Policy::new(Rules::DEFAULT)?)?;
//! let driver = Driver::new(engine, TestTime::default(), SystemEntropy);
//! let send = transport::from_fn(|_| async { Ok::<_, Failure<std::io::Error>>(http::Response::new("hello")) });
//! driver.run(&Request::new(Method::Get), send, &options).await?;
//!
//! drop(options);
//! let lines = Arc::into_inner(recording).ok_or("expected no other owner")?.finish()?;
//! let text = String::from_utf8(lines)?;
//! assert!(text.starts_with(r#"{"refrain_record":1,"#) && text.lines().count() == 2);
//! # Ok(())
//! # }
//! ```

mod line;
mod stand_in;

use std::{
    fmt,
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use self::line::Line;
pub use self::line::{VERSION, answer, outcome};
use crate::observer::{Call, Observer};

/// An observer that writes down every call of the policy, a line at a time; see the [module](self) for the format.
///
/// Each line is one write, so a process that is killed leaves at most its last line cut off. The write happens between two
/// steps of a request: write to a file or to memory, not to a network. What cannot be written is lost, since a request must
/// not end for it; [`Recording::finish`] and [`Recording::check`] say so.
///
/// ```
/// use refrain::record::Recording;
/// let recording = Recording::new(Vec::new());
/// assert!(recording.check().is_ok());
/// assert_eq!(recording.finish()?, b"");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Recording<W> {
    hints: Hints,
    out: Mutex<Out<W>>,
}

/// What of an answer's fields is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hints {
    /// What was read out of them.
    Read,
    /// They themselves.
    Sent,
}

struct Out<W> {
    writer: W,
    /// The first; nothing is written after it.
    error: Option<io::Error>,
}

impl<W: Write + Send> Recording<W> {
    /// Writes to `writer`, nothing of a server's text.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { hints: Hints::Read, out: Mutex::new(Out { writer, error: None }) }
    }

    /// Writes down what the server sent in those fields that the policy asks for, and in no other. It may hold anything.
    ///
    /// ```
    /// use refrain::record::Recording;
    /// let recording = Recording::new(std::io::sink()).with_hints();
    /// # let _ = recording;
    /// ```
    #[must_use]
    pub fn with_hints(self) -> Self {
        Self { hints: Hints::Sent, ..self }
    }

    /// Whether everything so far could be written.
    ///
    /// # Errors
    /// The first error of the writer, once.
    pub fn check(&self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).error.take().map_or(Ok(()), Err)
    }

    /// The writer, with everything that was recorded.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn finish(self) -> io::Result<W> {
        let Out { mut writer, error } = self.out.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), Err)?;
        writer.flush().map(|()| writer)
    }
}

impl<W: Write + Send> Observer for Recording<W> {
    fn called(&self, call: &Call<'_>) {
        let line = Line::of(call, self.hints).to_text();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.error.is_none() {
            out.error = out.writer.write_all(line.as_bytes()).err();
        }
    }
}

impl<W> fmt::Debug for Recording<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("hints", &self.hints).finish_non_exhaustive()
    }
}
