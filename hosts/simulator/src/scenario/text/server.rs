//! A server and its troubles as they are written.

use policy_core::Millis;
use serde::Deserialize;

use super::{
    File, busy, one,
    value::{Duration, LengthText, gap, status, window},
};
use crate::{
    draw::Length,
    micros::Micros,
    scenario::{BrownOut, Contention, Limit, LimitKind, Outage, OutageAnswer, RetryAfter, ScenarioError, ServerSpec},
};

impl File {
    pub(super) fn server(&self) -> Result<ServerSpec, ScenarioError> {
        let (workers, queue, service, busy_status) = match (&self.server, &self.contention) {
            (Some(server), None) => {
                (server.workers, server.queue, server.service.check("server.service")?, server.busy_status)
            }
            // It answers at once: what takes time is the way.
            (None, Some(_)) => (u32::MAX, 0, Length::Fixed(Micros::ZERO), busy()),
            _ => return Err(ScenarioError::value("server", "either `server` or `contention`")),
        };
        if workers == 0 {
            return Err(ScenarioError::value("server.workers", "at least 1"));
        }
        let spec = ServerSpec {
            workers,
            queue,
            service,
            busy_status: status("server.busy_status", busy_status)?,
            outage: self.outage.as_ref().map(OutageText::check).transpose()?,
            brown_out: self.brown_out.as_ref().map(BrownOutText::check).transpose()?,
            limit: self.rate_limit.as_ref().map(LimitText::check).transpose()?,
            contention: self.contention.as_ref().map(ContentionText::check).transpose()?,
            retry_after: self.retry_after.as_ref().map(RetryAfterText::check),
        };
        let disturbed = spec.outage.is_some() || spec.brown_out.is_some() || spec.limit.is_some();
        match spec.contention {
            Some(_) if disturbed => {
                Err(ScenarioError::value("contention", "no outage, brown-out or rate limit beside it"))
            }
            _ => Ok(spec),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerText {
    workers: u32,
    #[serde(default)]
    queue: u32,
    service: LengthText,
    #[serde(default = "busy")]
    busy_status: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutageText {
    from: Duration,
    until: Duration,
    answer: AnswerText,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a status, `refused` or `silence`")]
pub(super) enum AnswerText {
    Status(u16),
    Word(AnswerWord),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AnswerWord {
    Refused,
    Silence,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BrownOutText {
    from: Duration,
    until: Duration,
    #[serde(default)]
    failing_percent: u32,
    #[serde(default = "one")]
    slowdown: u32,
    #[serde(default = "busy")]
    status: u16,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum LimitText {
    FixedWindow { requests: u32, window: Duration, status: Option<u16> },
    TokenBucket { per_second: u32, burst: u32, status: Option<u16> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContentionText {
    #[serde(default = "busy")]
    status: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetryAfterText {
    #[serde(default)]
    form: Form,
    after: Option<Duration>,
    #[serde(default)]
    spread: Duration,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    #[default]
    Seconds,
    Date,
}

impl OutageText {
    fn check(&self) -> Result<Outage, ScenarioError> {
        let answer = match self.answer {
            AnswerText::Status(code) => OutageAnswer::Status(status("outage.answer", code)?),
            AnswerText::Word(AnswerWord::Refused) => OutageAnswer::Refused,
            AnswerText::Word(AnswerWord::Silence) => OutageAnswer::Silence,
        };
        Ok(Outage { window: window("outage", self.from, self.until)?, answer })
    }
}

impl BrownOutText {
    fn check(&self) -> Result<BrownOut, ScenarioError> {
        if self.failing_percent > 100 {
            return Err(ScenarioError::value("brown_out.failing_percent", "from 0 to 100"));
        }
        if !(1..=1_000).contains(&self.slowdown) {
            return Err(ScenarioError::value("brown_out.slowdown", "from 1 to 1000"));
        }
        let window = window("brown_out", self.from, self.until)?;
        let (share, slowdown) = (self.failing_percent * 10, self.slowdown);
        Ok(BrownOut { window, share, slowdown, status: status("brown_out.status", self.status)? })
    }
}

impl LimitText {
    fn check(&self) -> Result<Limit, ScenarioError> {
        let (kind, code) = match *self {
            Self::FixedWindow { requests, window, status } => {
                if requests == 0 || window.0 == Millis::ZERO {
                    return Err(ScenarioError::value("rate_limit", "at least 1 request in a window of some length"));
                }
                (LimitKind::FixedWindow { requests, window: window.micros() }, status)
            }
            Self::TokenBucket { per_second, burst, status } => {
                let interval = gap("rate_limit.per_second", per_second)?;
                (LimitKind::TokenBucket { interval, burst }, status)
            }
        };
        Ok(Limit { kind, status: status("rate_limit.status", code.unwrap_or(429))? })
    }
}

impl ContentionText {
    fn check(&self) -> Result<Contention, ScenarioError> {
        Ok(Contention { status: status("contention.status", self.status)? })
    }
}

impl RetryAfterText {
    fn check(&self) -> RetryAfter {
        let after = self.after.map(Duration::micros);
        RetryAfter { date: self.form == Form::Date, after, spread: self.spread.micros() }
    }
}
