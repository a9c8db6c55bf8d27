//! What the core is told.

use std::time::{Duration, SystemTime};

use policy_core::{
    Attempt, Event, FailureKind, Field, Mark, Method, Network, Now, Request, Sample, Session, Step, Tokens, UnixMillis,
};

use crate::{
    contender::Tier,
    micros::{EPOCH_MS, Micros},
    server::Hint,
};

/// The requests of every fleet: may be repeated, and have no limits of their own.
pub(super) const REQUEST: Request = Request::new(Method::Get);

/// The wall clock at the beginning: 2026-01-01T00:00:00Z.
const WALL_SECONDS: u64 = 1_767_225_600;

/// Why the core is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    Start,
    Wake,
    Response { status: u16, hint: Option<Hint>, below: Below },
    Failure { kind: FailureKind, timed_out: bool, below: Below },
}

/// What the tiers below did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    pub(super) sends: u32,
    pub(super) exhausted: bool,
}

impl Below {
    /// There is none, or none is known.
    pub(super) const NONE: Self = Self { sends: 1, exhausted: false };
}

/// What a tier answers that has nothing to hand over.
pub(super) const GATEWAY_TIMEOUT: Input = Input::Response { status: 504, hint: None, below: Below::NONE };

impl Input {
    pub(super) const CONNECT_FAILED: Self =
        Self::Failure { kind: FailureKind::ConnectFailed, timed_out: false, below: Below::NONE };
    pub(super) const TIMED_OUT: Self =
        Self::Failure { kind: FailureKind::Ambiguous, timed_out: true, below: Below::NONE };

    /// As the tier above hears of it: what was no answer is that of a gateway.
    pub(super) const fn passed_up(self, below: Below) -> Self {
        match self {
            Self::Response { status, hint, .. } => Self::Response { status, hint, below },
            Self::Failure { timed_out: false, .. } => Self::Response { status: 502, hint: None, below },
            _ => Self::Response { status: 504, hint: None, below },
        }
    }

    /// Calls `handle` with this as an event, the fields as bytes as they stand in an answer.
    pub(super) fn with_event(
        self,
        tier: &Tier,
        at: Micros,
        attempt: u32,
        date: bool,
        handle: impl FnOnce(Event<'_>) -> Step,
    ) -> Step {
        let of = |below: Below| Attempt { number: attempt, sends: below.sends, exhausted: below.exhausted };
        let (status, hint, below) = match self {
            Self::Start | Self::Wake => return handle(Event::Wake),
            Self::Failure { kind, timed_out, below } => {
                return handle(Event::Failure { of: of(below), kind, timed_out });
            }
            Self::Response { status, hint, below } => (status, hint, below),
        };
        let Some((index, Hint(seconds))) = tier.retry_after.zip(hint) else {
            return handle(Event::Response { of: of(below), status, fields: &[] });
        };
        if !date {
            let (mut space, seconds) = ([0; 10], seconds);
            let fields = [Field { index, value: decimal(seconds, &mut space) }];
            return handle(Event::Response { of: of(below), status, fields: &fields });
        }
        let (asked, told) = (http_date(seconds.into()), http_date(at.get() / 1_000_000));
        let hint = Field { index, value: asked.as_bytes() };
        let own = tier.date.map(|index| Field { index, value: told.as_bytes() });
        let fields: &[Field<'_>] = &[hint, own.unwrap_or(hint)];
        let count = if own.is_some() { 2 } else { 1 };
        handle(Event::Response { of: of(below), status, fields: &fields[..count] })
    }

    /// A client rounds up when it reports an answer or a failure.
    const fn is_report(&self) -> bool {
        matches!(self, Self::Response { .. } | Self::Failure { .. })
    }
}

/// Everything that may have changed for a client.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) at: Micros,
    /// How far the wall clock is ahead, in milliseconds.
    pub(super) skew: i64,
    pub(super) sample: Sample,
    pub(super) tokens: Tokens,
    /// Nothing is sent before.
    pub(super) hold: Option<Micros>,
    pub(super) cancelled: bool,
}

impl Moment {
    pub(super) fn now(&self, input: &Input) -> Now {
        let mark = if input.is_report() { self.at.millis_up() } else { self.at.millis() };
        let wall = WALL_SECONDS * 1_000 + self.at.millis();
        Now {
            mark: Mark::new(EPOCH_MS + mark),
            wall: Some(UnixMillis::new(wall.saturating_add_signed(self.skew))),
            session: Session::new(1),
            cancelled: self.cancelled,
            network: Network::Unknown,
            sample: self.sample,
            tokens: self.tokens,
            hold: self.hold.map(|hold| Mark::new(EPOCH_MS + hold.millis_up())),
        }
    }
}

fn http_date(seconds: u64) -> String {
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(WALL_SECONDS + seconds))
}

/// The digits of a number, without an allocation for each answer.
fn decimal(number: u32, space: &mut [u8; 10]) -> &[u8] {
    let (mut rest, mut at) = (number, space.len());
    loop {
        at -= 1;
        space[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return &space[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        for number in [0, 9, 10, 120, 4_294_967_295] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }
}
