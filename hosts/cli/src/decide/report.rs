//! The decision and its reasons, for people and for programs.

use policy_core::{Bound, Command, End, HintReport, Millis, Sample, Tokens};
use refrain::EngineError;
use serde::Serialize;

use super::{
    ask::{Answer, Asked},
    checks::{self, tokens},
};
use crate::{
    checklist::Check,
    duration,
    engine::Chosen,
    style::{BAD, BOLD, DIM, GOOD, WAITING, paint},
    timeline::ResumeRecord,
    words,
};

/// What was decided, and why.
#[derive(Serialize)]
pub(super) struct Report {
    decision: &'static str,
    /// Absent for a retry.
    end: Option<&'static str>,
    bound: &'static str,
    hint: &'static str,
    retry_index: u32,
    /// Sends so far.
    attempts: u32,
    delay_ms: Option<u64>,
    /// With the smallest sample.
    delay_min_ms: Option<u64>,
    /// With the largest.
    delay_max_ms: Option<u64>,
    /// Without a hint.
    local_backoff_ms: Option<u64>,
    maybe_applied: bool,
    resume: Option<ResumeRecord>,
    token_thousandths_before: u32,
    token_thousandths_after: u32,
    /// Response fields that were given and that the policy does not ask for.
    ignored_fields: Vec<String>,
    checks: Vec<Check>,
    policy: String,
    policy_version: String,
    #[serde(skip)]
    sentence: String,
}

impl Report {
    /// Asks for the decision, and for those that differ in sample or hint.
    pub(super) fn of(asked: &Asked<'_>, chosen: &Chosen) -> Result<Self, EngineError> {
        let engine = &*chosen.engine;
        let sample = asked.args.now.sample;
        let fields = asked.fields();
        let answer = asked.put(engine, sample, &fields)?;
        let shortest = asked.put(engine, Sample::ZERO, &fields)?;
        let longest = asked.put(engine, Sample::ONE, &fields)?;
        let local = asked.put(engine, sample, &asked.verdicts(&chosen.policy))?.delay();
        let description = engine.description();
        let told = Told::of(&answer);
        Ok(Self {
            decision: told.decision,
            end: answer.end().map(End::name),
            bound: told.bound.name(),
            hint: told.hint.name(),
            retry_index: asked.args.request.retry_index,
            attempts: answer.attempt.unwrap_or(asked.args.request.retry_index),
            delay_ms: answer.delay(),
            delay_min_ms: shortest.delay(),
            delay_max_ms: longest.delay(),
            local_backoff_ms: local,
            maybe_applied: told.maybe_applied,
            resume: told.resume,
            token_thousandths_before: asked.tokens.thousandths(),
            token_thousandths_after: answer.tokens.thousandths(),
            ignored_fields: asked.ignored.clone(),
            checks: checks::of(asked, &chosen.policy, &answer, local.map(Millis::new)),
            policy: description.name.clone(),
            policy_version: description.version.clone(),
            sentence: told.sentence,
        })
    }

    pub(super) fn text(&self) -> String {
        let style = match self.decision {
            "retry" | "deliver" => GOOD,
            "defer" | "await-network" => WAITING,
            _ => BAD,
        };
        let mut lines = vec![format!("{}: {}", paint(style, self.decision), self.sentence), String::new()];
        let mut row =
            |name: &str, value: String| lines.push(format!("  {} {value}", paint(DIM, format_args!("{name:<14}"))));
        row("policy", format!("{} {}", self.policy, self.policy_version));
        row("bound", self.bound.to_owned());
        if let (Some(delay), Some(min), Some(max)) = (self.delay_ms, self.delay_min_ms, self.delay_max_ms) {
            let [delay, min, max] = [delay, min, max].map(|ms| duration::text(Millis::new(ms)));
            let range =
                if min == max { "whatever the sample".to_owned() } else { format!("{min} to {max} by the sample") };
            row("delay", format!("{delay} ({range})"));
        }
        let (before, after) = (self.token_thousandths_before, self.token_thousandths_after);
        if before != after {
            let [before, after] = [before, after].map(|n| tokens(Tokens::from_thousandths(n)));
            row("tokens", format!("{before}, then {after}"));
        }
        if self.maybe_applied {
            row("maybe applied", "an attempt without an answer may have been applied".to_owned());
        }
        if !self.ignored_fields.is_empty() {
            row("ignored", format!("{}: the policy does not ask for it", self.ignored_fields.join(", ")));
        }
        lines.push(format!("\n{}", paint(BOLD, "Checks, in their order")));
        lines.extend(self.checks.iter().map(Check::text));
        lines.join("\n")
    }
}

/// What a command says.
struct Told {
    decision: &'static str,
    sentence: String,
    bound: Bound,
    hint: HintReport,
    maybe_applied: bool,
    resume: Option<ResumeRecord>,
}

impl Told {
    fn of(answer: &Answer) -> Self {
        let told = |decision, sentence| Self {
            decision,
            sentence,
            bound: Bound::None,
            hint: HintReport::Absent,
            maybe_applied: false,
            resume: None,
        };
        match &answer.command {
            Command::Wait(wait) => {
                let why = words::why(wait.bound, wait.hint);
                let sentence = format!("send again after {}: {why}", duration::text(wait.delay));
                Self { bound: wait.bound, hint: wait.hint, ..told("retry", sentence) }
            }
            Command::AwaitNetwork { .. } => told("await-network", "send again when the network is back".to_owned()),
            Command::Finish(outcome) => {
                let decision = match outcome.end {
                    End::Success => "deliver",
                    End::Deferred => "defer",
                    _ => "stop",
                };
                let why = words::ended(outcome.end, outcome.bound);
                let later = outcome.resume.as_ref().map(|resume| format!("; go on {}", words::resume(resume)));
                let sentence = format!("{}: {why}{}", outcome.end.name(), later.unwrap_or_default());
                Self {
                    bound: outcome.bound,
                    hint: outcome.hint,
                    maybe_applied: outcome.maybe_applied,
                    resume: outcome.resume.as_ref().map(ResumeRecord::from),
                    ..told(decision, sentence)
                }
            }
            Command::Send { .. } | Command::Keep => told("none", "the policy has nothing to say about this".to_owned()),
        }
    }
}
