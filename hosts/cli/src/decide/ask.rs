//! The question that the flags are, put to an engine.

use policy_core::{
    Attempt, Command, End, Event, Field, Mark, Network, Now, Request, Sample, Session, Tokens, UnixMillis,
};
use refrain::{Engine, EngineError};

use super::DecideArgs;
use crate::{engine::Chosen, moment::Clock};

/// A result, and what is true when it arrives.
pub(super) struct Asked<'a> {
    pub(super) args: &'a DecideArgs,
    pub(super) wall: Option<UnixMillis>,
    pub(super) tokens: Tokens,
    /// The response fields that the policy asks for, as far as flags name them.
    pub(super) fields: Vec<Field<'a>>,
    /// Those that a flag names and the policy does not ask for.
    pub(super) ignored: Vec<&'static str>,
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
        let (mut fields, mut ignored) = (Vec::new(), Vec::new());
        let result = &args.result;
        for (name, value) in [("retry-after", &result.retry_after), ("date", &result.date), ("age", &result.age)] {
            let Some(value) = value else { continue };
            match (0..).zip(&description.fields).find(|(_, asked)| *asked == name) {
                Some((index, _)) => fields.push(Field { index, value: value.as_bytes() }),
                None => ignored.push(name),
            }
        }
        let tokens = args.now.tokens.or(description.budget).unwrap_or_default();
        Self { args, wall: Clock::or_system(args.now.now), tokens, fields, ignored }
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
