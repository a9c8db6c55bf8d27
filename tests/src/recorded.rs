//! Recordings of `refrain::record`, read and run again.

mod replay;
mod vector;

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    schema,
    vector::{Call, NowSpec, RequestSpec, Step, Steps},
};

pub use self::{
    replay::{Difference, Outcome, replay},
    vector::NoVector,
};

/// A recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The requests, in the order in which they began.
    pub requests: Vec<Request>,
    /// The last line if it is cut off, as where a process was killed while it wrote.
    pub cut_off: Option<usize>,
}

/// A request of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its number in the recording.
    pub number: u64,
    /// The policy by which it was decided.
    pub policy: PolicyName,
    /// The calls that can be made again.
    pub steps: Steps,
    /// The line of each call, from 1.
    pub lines: Vec<usize>,
    /// Why the engine made no decision at the last call, which then stands behind the others with its line.
    pub failed: Option<(usize, Step, String)>,
    /// The first line that cannot be run again, since what was read out of its hints does not stand in for them; nor can
    /// those that follow.
    pub inexact: Option<usize>,
}

/// What a recording says of a policy.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyName {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of the compiled policy, in hexadecimal digits.
    pub sha256: String,
}

/// A line that is none of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// The version that is read.
const VERSION: u32 = refrain::record::VERSION;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    refrain_record: Option<u32>,
    policy: Option<PolicyName>,
    hints: Option<Hints>,
    of: Option<RequestSpec>,
    request: u64,
    call: Call,
    now: NowSpec,
    expect: Option<Map<String, Value>>,
    failed: Option<String>,
    #[serde(default)]
    inexact: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Hints {
    Read,
    Sent,
}

#[derive(Deserialize)]
struct Versioned {
    refrain_record: Option<Value>,
}

impl Recorded {
    /// Reads a recording. A last line without its end that is no whole line is left out, and named.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut recorded = Self::default();
        let mut open = BTreeMap::new();
        let (whole, rest) = bytes.split_at(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        let lines = whole.split_inclusive(|byte| *byte == b'\n').chain((!rest.is_empty()).then_some(rest));
        for (number, line) in (1..).zip(lines) {
            match parse(line, number) {
                Ok(parsed) => recorded.add(&mut open, parsed, number)?,
                Err(_) if !line.ends_with(b"\n") => recorded.cut_off = Some(number),
                Err(error) => return Err(error),
            }
        }
        Ok(recorded)
    }

    /// `open` says where each number's request stands that is under way.
    fn add(&mut self, open: &mut BTreeMap<u64, usize>, line: Line, number: usize) -> Result<(), ReadError> {
        let Line { refrain_record, policy, hints, of, request, call, now, expect, failed, inexact } = line;
        let refuse = |message: String| Err(ReadError { line: number, column: 1, message });
        match (call == Call::Start, (refrain_record, policy, hints, of)) {
            (true, (Some(VERSION), Some(policy), Some(_), Some(of))) => {
                open.insert(request, self.requests.len());
                self.requests.push(Request::new(request, policy, of));
            }
            (true, _) => {
                return refuse("expected `refrain_record`, `policy`, `hints` and `of` beside the call `start`".into());
            }
            (false, (None, None, None, None)) => {}
            (false, _) => {
                return refuse(
                    "expected `refrain_record`, `policy`, `hints` and `of` only beside the call `start`".into(),
                );
            }
        }
        let Some(request) = open.get(&request).and_then(|at| self.requests.get_mut(*at)) else {
            return refuse(format!("expected the call `start` of request {request} before its other calls"));
        };
        if request.failed.is_some() {
            return refuse(format!("expected no call of request {} after one that failed", request.number));
        }
        match (expect, failed) {
            (Some(expect), None) => {
                schema::check_expect(&expect).or_else(|error| refuse(format!("`expect`: {error}")))?;
                request.add(Step { call, now, execution: None, expect }, number, inexact);
            }
            (None, Some(why)) => {
                let step = Step { call, now, execution: None, expect: Map::new() };
                request.failed = Some((number, step, why));
            }
            _ => return refuse("expected either `expect` or `failed`".into()),
        }
        Ok(())
    }
}

impl Request {
    fn new(number: u64, policy: PolicyName, request: RequestSpec) -> Self {
        let steps = Steps { request, calls: Vec::new() };
        Self { number, policy, steps, lines: Vec::new(), failed: None, inexact: None }
    }

    fn add(&mut self, step: Step, line: usize, inexact: bool) {
        if inexact {
            self.inexact.get_or_insert(line);
        }
        if self.inexact.is_none() {
            self.steps.calls.push(step);
            self.lines.push(line);
        }
    }
}

fn parse(line: &[u8], number: usize) -> Result<Line, ReadError> {
    let refuse = |error: &serde_json::Error| {
        // Where it is in the line is said apart.
        let text = error.to_string();
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
        let message = format!("expected a line of a recording of version {VERSION}: {message}");
        ReadError { line: number, column: error.column().max(1), message }
    };
    let versioned: Versioned = serde_json::from_slice(line).map_err(|error| refuse(&error))?;
    match versioned.refrain_record {
        Some(version) if version != VERSION => {
            let message = format!("expected a recording of version {VERSION}, found one of version `{version}`");
            Err(ReadError { line: number, column: 1, message })
        }
        _ => serde_json::from_slice(line).map_err(|error| refuse(&error)),
    }
}
