//! What the process ends with.

use std::fmt;

use policy_core::End;
use refrain::Reason;
use refrain_document::visible;

use crate::style::{BAD, paint};

/// The exit codes, as `--help` lists them.
pub(crate) const CODES: &str = "\
\x1b[1;4mExit codes:\x1b[0m
    0  success
    1  the answer was no success, or the request must not be repeated; for `parse`: the value is refused
    2  bad usage or bad input; nothing was sent
    3  deferred: worth another try, but later than a wait in this process may be
    4  given up: attempts, budget or deadline used up, or no network
    5  the policy or artifact was refused, or its engine failed; nothing more was sent
    6  the answer could not be read or written whole, or not be recorded
  130  cancelled with Ctrl-C";

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Success = 0,
    NoSuccess = 1,
    Usage = 2,
    Deferred = 3,
    GivenUp = 4,
    Broken = 5,
    Incomplete = 6,
    Cancelled = 130,
}

impl Exit {
    /// For the way in which a request ended.
    pub(crate) fn of(reason: &Reason) -> Self {
        match reason {
            Reason::Policy(End::Success) => Self::Success,
            Reason::Policy(End::Deferred) => Self::Deferred,
            Reason::Policy(End::Cancelled) => Self::Cancelled,
            Reason::Policy(End::NotRetryable | End::BodyNotReplayable | End::NotIdempotent) => Self::NoSuccess,
            Reason::Policy(End::AttemptsUsed | End::BudgetEmpty | End::Deadline | End::Offline | End::Nested) => {
                Self::GivenUp
            }
            _ => Self::Broken,
        }
    }
}

/// Why a command came to nothing.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) exit: Exit,
    message: Message,
}

#[derive(Debug)]
enum Message {
    /// A sentence.
    Plain(String),
    /// Several lines that say themselves what they are.
    Shown(String),
}

impl Error {
    /// Bad usage or bad input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: Message::Plain(message.into()) }
    }

    /// The policy was refused, or its engine failed.
    pub(crate) fn broken(error: impl fmt::Display) -> Self {
        Self { exit: Exit::Broken, message: Message::Plain(error.to_string()) }
    }

    /// What was to be read or written could not be.
    pub(crate) fn incomplete(message: impl Into<String>) -> Self {
        Self { exit: Exit::Incomplete, message: Message::Plain(message.into()) }
    }

    /// The problems of a document, beside its text.
    pub(crate) fn shown(exit: Exit, problems: String) -> Self {
        Self { exit, message: Message::Shown(problems) }
    }
}

impl Error {
    /// What it says, without colours unless it is [`shown`](Self::shown) with them.
    pub(crate) fn message(&self) -> &str {
        let (Message::Plain(message) | Message::Shown(message)) = &self.message;
        message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Message::Plain(message) => write!(f, "{} {}", paint(BAD, "error:"), visible::text(message)),
            Message::Shown(problems) => f.write_str(problems),
        }
    }
}
