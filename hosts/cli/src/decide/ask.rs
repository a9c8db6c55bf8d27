//! The question that the flags are, put to an engine.

use std::collections::BTreeMap;

use policy_core::{
    Attempt, Command, End, Event, Field, Mark, Network, Now, Policy, Request, Sample, Session, Tokens, Unit, UnixMillis,
};
use refrain::{Engine, EngineError};

use super::{DecideArgs, ResultArgs};
use crate::{engine::Chosen, moment::Clock};

/// A result, and what is true when it arrives.
pub(super) struct Asked<'a> {
    pub(super) args: &'a DecideArgs,
    pub(super) wall: Option<UnixMillis>,
    pub(super) tokens: Tokens,
    /// The response fields that the policy asks for, by position, as far as flags name them.
    values: Vec<(u8, String)>,
    /// Those that a flag names and the policy does not ask for.
    pub(super) ignored: Vec<String>,
}

/// What an engine says.
pub(super) struct Answer {
    pub(super) command: Command,
    pub(super) tokens: Tokens,
    /// The number of the attempt that the result is of; absent if it was not to be made at all.
    pub(super) attempt: Option<u32>,
}

impl Answer {
    /// Milliseconds to wait: here, or later in another process.
    pub(super) fn delay(&self) -> Option<u64> {
        match &self.command {
            Command::Wait(wait) => Some(wait.delay.get()),
            Command::Finish(outcome) => outcome.resume.map(|resume| resume.delay.get()),
            _ => None,
        }
    }

    pub(super) fn end(&self) -> Option<End> {
        match &self.command {
            Command::Finish(outcome) => Some(outcome.end),
            _ => None,
        }
    }
}

impl<'a> Asked<'a> {
    pub(super) fn of(args: &'a DecideArgs, chosen: &Chosen) -> Self {
        let description = chosen.engine.description();
        let (mut values, mut ignored) = (Vec::new(), Vec::new());
        for (name, value) in args.result.fields() {
            match (0..).zip(&description.fields).find(|(_, asked)| **asked == name) {
                Some((index, _)) => values.push((index, value)),
                None => ignored.push(name),
            }
        }
        let tokens = args.now.tokens.or(description.budget).unwrap_or_default();
        Self { args, wall: Clock::or_system(args.now.now), tokens, values, ignored }
    }

    /// The response fields that the policy asks for.
    pub(super) fn fields(&self) -> Vec<Field<'_>> {
        self.values.iter().map(|(index, value)| Field { index: *index, value: value.as_bytes() }).collect()
    }

    /// Those that say whether, not when.
    pub(super) fn verdicts(&self, policy: &Policy) -> Vec<Field<'_>> {
        let rules = policy.rules();
        let units: Vec<Unit> = rules.hint.fields.iter().map(|field| field.unit).collect();
        let is_verdict = |field: &Field<'_>| units.get(usize::from(field.index)) == Some(&Unit::Verdict);
        self.fields().into_iter().filter(is_verdict).collect()
    }

    /// What the engine says with this sample, and with these fields.
    pub(super) fn put(&self, engine: &dyn Engine, sample: Sample, fields: &[Field<'_>]) -> Result<Answer, EngineError> {
        let begun = Now {
            mark: Mark::default(),
            wall: self.wall,
            session: Session::new(0),
            cancelled: false,
            network: Network::Unknown,
            sample,
            tokens: self.tokens,
            hold: None,
        };
        let step = engine.start(&self.request(), &begun)?;
        let Command::Send { attempt, .. } = step.command else {
            return Ok(Answer { command: step.command, tokens: step.tokens, attempt: None });
        };
        let now = Now {
            mark: Mark::default().after(self.args.now.elapsed),
            session: Session::new(self.args.now.session_changed.into()),
            cancelled: self.args.now.cancelled,
            network: self.args.now.network.into(),
            ..begun
        };
        let step = engine.handle(&step.state, self.event(attempt, fields), &now)?;
        Ok(Answer { command: step.command, tokens: step.tokens, attempt: Some(attempt) })
    }

    fn request(&self) -> Request {
        let args = &self.args.request;
        Request {
            key: args.key.into(),
            replayable: !args.one_shot_body,
            limits: self.args.limits.into(),
            attempts_used: args.retry_index,
            ..Request::new(args.method())
        }
    }

    fn event<'f>(&self, number: u32, fields: &'f [Field<'f>]) -> Event<'f> {
        let result = &self.args.result;
        let of = Attempt { exhausted: result.nested_gave_up, ..Attempt::single(number) };
        match (result.kind.failure, result.kind.status) {
            (Some(kind), _) => Event::Failure { of, kind, timed_out: result.timed_out },
            (None, Some(status)) => Event::Response { of, status, fields },
            // The flags require one of the two.
            (None, None) => Event::Wake,
        }
    }
}

impl ResultArgs {
    /// The response's fields, lines of one name joined as a host joins them.
    fn fields(&self) -> BTreeMap<String, String> {
        let mut fields: BTreeMap<String, String> = BTreeMap::new();
        let retry_after = self.retry_after.as_ref().map(|value| ("retry-after", value));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        for (name, value) in retry_after.into_iter().chain(headers) {
            match fields.get_mut(name) {
                Some(lines) => lines.extend([", ", value]),
                None => drop(fields.insert(name.to_owned(), value.clone())),
            }
        }
        fields
    }
}
