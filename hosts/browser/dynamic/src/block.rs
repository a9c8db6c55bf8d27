//! The block that a call is made with: parameters and results, at the places of `wit/LAYOUT.md`.

use policy_core::{
    Attempt, Bound, Command, Event, Execution, FailureKind, Field, HandOver, HintReport, IdempotencyKey, Limits, Mark,
    Method, Millis, Network, Now, Outcome, Request, Resume, Sample, Session, Step, Tokens, UnixMillis, Wait,
};

/// Where *now* stands among the parameters of `start`, and of `handle`.
pub(crate) const NOW_OF_START: usize = 72;
pub(crate) const NOW_OF_HANDLE: usize = 96;

const RESPONSE: u8 = 0;
const FAILURE: u8 = 1;

/// The parameters of a call. What lies behind the end of a block that is too short is zero.
pub(crate) struct Given<'a>(pub(crate) &'a [u8]);

impl Given<'_> {
    pub(crate) fn request(&self) -> Request {
        Request {
            method: self.nth(0, &Method::ALL).unwrap_or(Method::Other),
            key: self.nth(1, &KEYS).unwrap_or_default(),
            replayable: self.flag(2),
            limits: Limits {
                max_attempts: self.flag(8).then(|| self.u32(12)),
                deadline: self.option(16).map(Millis::new),
                max_wait: self.option(32).map(Millis::new),
            },
            attempts_used: self.u32(48),
            not_before: self.option(56).map(Mark::new),
        }
    }

    pub(crate) fn now(&self, at: usize) -> Now {
        Now {
            mark: Mark::new(self.u64(at)),
            wall: self.option(at + 8).map(UnixMillis::new),
            session: Session::new(self.u64(at + 24)),
            cancelled: self.flag(at + 32),
            network: self.nth(at + 33, &NETWORKS).unwrap_or_default(),
            sample: Sample::new(self.u32(at + 36)),
            tokens: Tokens::from_thousandths(self.u32(at + 40)),
            hold: self.option(at + 48).map(Mark::new),
        }
    }

    pub(crate) fn execution(&self) -> Execution {
        Execution::from_words(core::array::from_fn(|word| self.u64(8 * word)))
    }

    pub(crate) fn event<'a>(&self, fields: &'a [Field<'a>]) -> Event<'a> {
        let of = Attempt { number: self.u32(68), sends: self.u32(72), exhausted: self.flag(76) };
        match self.u8(64) {
            RESPONSE => Event::Response { of, status: self.u16(80), fields },
            // Of a kind that is not known, anything may be true.
            FAILURE => {
                let kind = self.nth(80, &FailureKind::ALL).unwrap_or(FailureKind::Ambiguous);
                Event::Failure { of, kind, timed_out: self.flag(81) }
            }
            _ => Event::Wake,
        }
    }

    /// What has the number that stands there.
    fn nth<T: Copy>(&self, at: usize, all: &[T]) -> Option<T> {
        all.get(usize::from(self.u8(at))).copied()
    }

    fn option(&self, at: usize) -> Option<u64> {
        self.flag(at).then(|| self.u64(at + 8))
    }

    fn flag(&self, at: usize) -> bool {
        self.u8(at) != 0
    }

    fn u8(&self, at: usize) -> u8 {
        u8::from_le_bytes(self.bytes(at))
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
    }
}

const KEYS: [IdempotencyKey; 3] = [IdempotencyKey::Absent, IdempotencyKey::Sent, IdempotencyKey::Honoured];
const NETWORKS: [Network; 3] = [Network::Unknown, Network::Up, Network::Down];

/// Where a result is written. What lies behind the end of a block that is too short is dropped.
pub(crate) struct Answer<'a>(pub(crate) &'a mut [u8]);

impl Answer<'_> {
    pub(crate) fn step(&mut self, step: &Step) {
        for (at, word) in (0..).step_by(8).zip(step.execution.to_words()) {
            self.u64(at, word);
        }
        self.u32(64, step.tokens.thousandths());
        match step.command {
            Command::Keep => self.u8(72, 0),
            Command::Send { attempt, timeout } => {
                self.u8(72, 1);
                self.u32(80, attempt);
                self.option(88, timeout.map(Millis::get));
            }
            Command::Wait(Wait { until, delay, retry_index, bound, hint }) => {
                self.u8(72, 2);
                self.u64(80, until.get());
                self.u64(88, delay.get());
                self.u32(96, retry_index);
                self.reasons(100, bound, hint);
            }
            Command::AwaitNetwork { until } => {
                self.u8(72, 3);
                self.u64(80, until.get());
            }
            Command::Finish(outcome) => {
                self.u8(72, 4);
                self.outcome(&outcome);
            }
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        self.u16(80, outcome.end.code());
        self.reasons(82, outcome.bound, outcome.hint);
        self.u32(88, outcome.attempts);
        self.u8(92, outcome.maybe_applied.into());
        match outcome.hand_over {
            HandOver::This => self.u8(94, 0),
            HandOver::Abort => self.u8(94, 1),
            HandOver::LastStatus(status) => {
                self.u8(94, 2);
                self.u16(96, status);
            }
        }
        self.u8(104, outcome.resume.is_some().into());
        if let Some(Resume { delay, not_before, attempts_used }) = outcome.resume {
            self.u64(112, delay.get());
            self.option(120, not_before.map(UnixMillis::get));
            self.u32(136, attempts_used);
        }
    }

    fn reasons(&mut self, at: usize, bound: Bound, hint: HintReport) {
        self.u16(at, bound.code());
        self.u16(at + 2, hint.code());
    }

    fn option(&mut self, at: usize, value: Option<u64>) {
        self.u8(at, value.is_some().into());
        self.u64(at + 8, value.unwrap_or_default());
    }

    fn u8(&mut self, at: usize, value: u8) {
        self.bytes(at, value.to_le_bytes());
    }

    fn u16(&mut self, at: usize, value: u16) {
        self.bytes(at, value.to_le_bytes());
    }

    fn u32(&mut self, at: usize, value: u32) {
        self.bytes(at, value.to_le_bytes());
    }

    fn u64(&mut self, at: usize, value: u64) {
        self.bytes(at, value.to_le_bytes());
    }

    fn bytes<const N: usize>(&mut self, at: usize, value: [u8; N]) {
        if let Some(place) = self.0.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *place = value;
        }
    }
}
