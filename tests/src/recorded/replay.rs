//! Every call of a recording made again.

use refrain::Engine;
use serde_json::{Map, Value};

use super::{Recorded, Request};
use crate::{steps, vector::Step};

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Requests that were run again.
    pub requests: usize,
    /// Calls that gave what they gave before.
    pub same: usize,
    /// The first line that gave something else.
    pub difference: Option<Difference>,
    /// Number and line of each request that could be run again only up to there.
    pub inexact: Vec<(u64, usize)>,
}

/// A call that gave something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// In the recording, from 1.
    pub line: usize,
    /// The number of the request.
    pub request: u64,
    /// Which of its calls, from 0.
    pub call: usize,
    /// The member that differs; the most telling one.
    pub member: String,
    /// What was recorded.
    pub expected: Value,
    /// What came; `null` for what is not there.
    pub got: Value,
}

/// Members of an answer in the order in which they tell what happened.
const TELLING: [&str; 6] = ["command", "end", "attempt", "delay", "until", "bound"];

/// Makes the calls again, each request by itself, and compares everything that they give.
///
/// # Errors
/// When a call could not be put together from what the recording says, in words.
pub fn replay(recorded: &Recorded, engine: &dyn Engine) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for request in &recorded.requests {
        let (same, difference) = again(request, engine)?;
        outcome.requests += 1;
        outcome.same += same;
        outcome.inexact.extend(request.inexact.map(|line| (request.number, line)));
        let first = outcome.difference.take().into_iter().chain(difference);
        outcome.difference = first.min_by_key(|difference| difference.line);
    }
    Ok(outcome)
}

/// How many calls were the same, and the one that was not.
fn again(request: &Request, engine: &dyn Engine) -> Result<(usize, Option<Difference>), String> {
    let mut calls: Vec<(usize, &Step)> = request.lines.iter().copied().zip(&request.steps.calls).collect();
    let failed = request.failed.as_ref().filter(|_| request.inexact.is_none());
    calls.extend(failed.map(|(line, step, _)| (*line, step)));
    let mut answers = steps::Answers::new(engine, &request.steps.request)?;
    for (call, (line, step)) in calls.into_iter().enumerate() {
        let differs = |(member, expected, got): (String, Value, Value)| Difference {
            line,
            request: request.number,
            call,
            member,
            expected,
            got,
        };
        let recorded = failed.filter(|(failed, ..)| *failed == line).map_or(Ok(&step.expect), |(.., why)| Err(why));
        match (recorded, answers.next(step)?) {
            (Ok(expected), Ok(got)) => {
                if let Some(found) = first_difference(expected, &got) {
                    return Ok((call, Some(differs(found))));
                }
            }
            // What the failure says of itself may differ between versions of an engine; that there was one may not.
            (Err(_), Err(_)) => return Ok((call + 1, None)),
            (Ok(expected), Err(error)) => {
                let expected = expected.get("command").cloned().unwrap_or_default();
                return Ok((call, Some(differs(("command".into(), expected, error.to_string().into())))));
            }
            (Err(why), Ok(got)) => {
                let got = got.get("command").cloned().unwrap_or_default();
                return Ok((call, Some(differs(("failed".into(), why.as_str().into(), got)))));
            }
        }
    }
    Ok((request.lines.len(), None))
}

fn first_difference(expected: &Map<String, Value>, got: &Map<String, Value>) -> Option<(String, Value, Value)> {
    let rest = expected.keys().chain(got.keys()).map(String::as_str);
    let member = TELLING.into_iter().chain(rest).find(|member| expected.get(*member) != got.get(*member))?;
    let value = |answer: &Map<String, Value>| answer.get(member).cloned().unwrap_or_default();
    Some((member.to_owned(), value(expected), value(got)))
}
