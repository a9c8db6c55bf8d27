//! What came of a recording that was run again, for people and for programs.

use conformance::recorded::{Difference, Outcome, PolicyName, Recorded};
use refrain_document::{Digest, visible};
use serde::Serialize;
use serde_json::Value;

use crate::{
    engine::Chosen,
    style::{BAD, BOLD, DIM, GOOD, paint},
};

#[derive(Serialize)]
pub(super) struct Report {
    /// Every call gave what it gave, as far as it could be made.
    same: bool,
    requests: usize,
    /// Calls that gave what they gave.
    calls: usize,
    difference: Option<Differs>,
    /// The last line, if it is cut off.
    cut_off_line: Option<usize>,
    /// Requests that could be run again only in part.
    inexact: Vec<Inexact>,
    /// The policies of the recording, each once.
    recorded: Vec<Named>,
    replayed: Named,
}

#[derive(Serialize)]
struct Differs {
    line: usize,
    request: u64,
    /// From 0.
    call: usize,
    member: String,
    expected: Value,
    got: Value,
}

#[derive(Serialize)]
struct Inexact {
    request: u64,
    /// The first one that was not run again.
    line: usize,
}

#[derive(PartialEq, Serialize)]
struct Named {
    name: String,
    version: String,
    /// Of the compiled policy.
    sha256: String,
}

impl Report {
    pub(super) fn of(recorded: &Recorded, outcome: &Outcome, chosen: &Chosen) -> Self {
        let mut policies: Vec<Named> = Vec::new();
        for request in &recorded.requests {
            let named = Named::from(&request.policy);
            if !policies.contains(&named) {
                policies.push(named);
            }
        }
        Self {
            same: outcome.difference.is_none(),
            requests: outcome.requests,
            calls: outcome.same,
            difference: outcome.difference.as_ref().map(Differs::from),
            cut_off_line: recorded.cut_off,
            inexact: outcome.inexact.iter().map(|(request, line)| Inexact { request: *request, line: *line }).collect(),
            recorded: policies,
            replayed: Named::of(chosen),
        }
    }

    pub(super) fn text(&self) -> String {
        let calls = plural(self.calls, "call");
        let said = match &self.difference {
            None => format!(
                "{}: {calls} of {} gave what they gave when they were recorded",
                paint(GOOD, "the same"),
                plural(self.requests, "request")
            ),
            Some(differs) => differs.text(),
        };
        format!("{said}\n{}", self.remarks()).trim_end().to_owned()
    }

    /// What has to be known beside, a line each.
    pub(super) fn remarks(&self) -> String {
        let mut lines = Vec::new();
        for policy in self.recorded.iter().filter(|policy| policy.sha256 != self.replayed.sha256) {
            lines.push(format!("recorded by {}, run again by {}: another policy", policy.text(), self.replayed.text()));
        }
        if let Some(line) = self.cut_off_line {
            lines.push(format!("line {line} is cut off, as where a process was killed while it wrote; it is left out"));
        }
        for Inexact { request, line } in &self.inexact {
            lines.push(format!(
                "request {request} is run again only up to line {line}, whose hint cannot be told in numbers: record it \
                 with `--record-hints`"
            ));
        }
        lines.into_iter().map(|line| format!("  {}\n", paint(DIM, visible::text(&line)))).collect()
    }
}

impl Differs {
    fn text(&self) -> String {
        let Self { line, request, call, member, expected, got } = self;
        let said = |value: &Value| visible::text(&value.to_string()).into_owned();
        format!(
            "{} on line {line}, call {call} of request {request}\n  {}: expected {}, got {}",
            paint(BAD, "differs"),
            paint(BOLD, visible::text(member)),
            said(expected),
            said(got)
        )
    }
}

impl From<&Difference> for Differs {
    fn from(difference: &Difference) -> Self {
        let Difference { line, request, call, member, expected, got } = difference.clone();
        Self { line, request, call, member, expected, got }
    }
}

impl Named {
    fn of(chosen: &Chosen) -> Self {
        let description = chosen.engine.description();
        Self {
            name: description.name.clone(),
            version: description.version.clone(),
            sha256: Digest::of(&description.policy).to_string(),
        }
    }

    fn text(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

impl From<&PolicyName> for Named {
    fn from(policy: &PolicyName) -> Self {
        let PolicyName { name, version, sha256 } = policy.clone();
        Self { name, version, sha256 }
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
