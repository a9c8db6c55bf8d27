//! What is remembered of one logical request between two calls.

use core::mem::offset_of;

use crate::{
    budget::Cost,
    request::{IdempotencyKey, Method, MethodSet, Request},
    time::{Mark, Millis, Session},
};

/// The state of one logical request: 64 bytes of plain data, valid within one process.
///
/// ```
/// use policy_core::*;
/// let policy = Policy::new(Rules::DEFAULT).unwrap();
/// let now = Now {
///     mark: Mark::new(0), wall: None, session: Session::new(1), cancelled: false, network: Network::Unknown,
///     sample: Sample::ONE, tokens: Tokens::new(500), hold: None,
/// };
/// let step = Execution::start(&policy, &Request::new(Method::Get), &now);
/// assert_eq!(step.command, Command::Send { attempt: 1, timeout: None });
///
/// let busy = Event::Response {
///     of: Attempt::single(1), status: 503, fields: &[Field { index: 0, value: b"2" }],
/// };
/// let step = step.execution.handle(&policy, busy, &now);
/// let Command::Wait(wait) = step.command else { panic!() };
/// assert_eq!((wait.delay, wait.bound), (Millis::new(2_200), Bound::Hint));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Execution {
    /// No send before this mark.
    pub(crate) not_before: Mark,
    /// When a wait for the network ends; [`Mark::new(0)`] while none was begun since the last send that counted.
    pub(crate) give_up: Mark,
    pub(crate) deadline: Mark,
    pub(crate) session: Session,
    /// [`Millis::MAX`]: no limit.
    pub(crate) max_wait: Millis,
    /// See [`Backoff::draw`](crate::Backoff::draw).
    pub(crate) series: u64,
    pub(crate) policy: u32,
    /// All sends, one in flight included.
    pub(crate) attempts: u32,
    pub(crate) max_attempts: u32,
    pub(crate) last_status: u16,
    pub(crate) facts: Facts,
    pub(crate) progress: Progress,
}

// The order in memory is that of the words.
const _: () = assert!(size_of::<Execution>() == 64);
const _: () = assert!(offset_of!(Execution, series) == 40 && offset_of!(Execution, policy) == 48);
const _: () = assert!(offset_of!(Execution, max_attempts) == 56 && offset_of!(Execution, progress) == 63);

impl Execution {
    /// All sends of the logical request so far, one in flight included.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The form that crosses a boundary: eight words, valid within one process and for the same policy.
    #[must_use]
    pub const fn to_words(&self) -> [u64; 8] {
        [
            self.not_before.get(),
            self.give_up.get(),
            self.deadline.get(),
            self.session.get(),
            self.max_wait.get(),
            self.series,
            self.policy as u64 | (self.attempts as u64) << 32,
            self.max_attempts as u64
                | (self.last_status as u64) << 32
                | (self.facts.0 as u64) << 48
                | (self.progress.0 as u64) << 56,
        ]
    }

    /// The execution of these words. Words with a part outside its range are an execution that ends with
    /// [`End::MalformedExecution`](crate::End::MalformedExecution), whatever happens to it.
    #[must_use]
    pub fn from_words(words: [u64; 8]) -> Self {
        let [not_before, give_up, deadline, session, max_wait, series, counts, rest] = words;
        let mut execution = Self {
            not_before: Mark::new(not_before),
            give_up: Mark::new(give_up),
            deadline: Mark::new(deadline),
            session: Session::new(session),
            max_wait: Millis::from_bits(max_wait),
            series,
            policy: counts as u32,
            attempts: (counts >> 32) as u32,
            max_attempts: rest as u32,
            last_status: (rest >> 32) as u16,
            facts: Facts((rest >> 48) as u8),
            progress: Progress((rest >> 56) as u8),
        };
        execution.check();
        execution
    }

    /// Marks an execution with a part outside its range; [`Execution::from_words`] says how.
    #[doc(hidden)]
    pub fn check(&mut self) {
        let Self { not_before, give_up, deadline, max_wait, facts, progress, .. } = *self;
        let marks = not_before.get() | give_up.get() | deadline.get() | max_wait.get();
        let sound = (marks <= Mark::MAX.get()) & facts.is_valid();
        // A finished one stays so, whatever else stands in it.
        let harmless = sound | (progress.phase() == Phase::Finished);
        if !(harmless & progress.is_valid()) {
            self.progress = Progress::MALFORMED;
        }
    }

    pub(crate) fn set_phase(&mut self, phase: Phase) {
        self.progress = Progress::new(phase, self.progress.spent());
    }

    pub(crate) fn remember_maybe_applied(&mut self) {
        self.facts.0 |= Facts::MAYBE_APPLIED;
    }

    pub(crate) const fn retry_index(&self) -> u32 {
        self.attempts.saturating_sub(1)
    }
}

/// Bits 0–3 method, 4–5 key, 6 replayable, 7 maybe applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts(pub(crate) u8);

impl Facts {
    pub(crate) const REPLAYABLE: u8 = 1 << 6;
    pub(crate) const MAYBE_APPLIED: u8 = 1 << 7;

    pub(crate) const fn new(request: &Request) -> Self {
        let replayable = if request.replayable { Self::REPLAYABLE } else { 0 };
        Self(request.method as u8 | (request.key as u8) << 4 | replayable)
    }

    pub(crate) const fn method_is_in(self, set: MethodSet) -> bool {
        set.bits() >> (self.0 & 0xf) & 1 == 1
    }

    pub(crate) const fn key_is_honoured(self) -> bool {
        self.0 >> 4 & 3 == IdempotencyKey::Honoured as u8
    }

    pub(crate) const fn replayable(self) -> bool {
        self.0 & Self::REPLAYABLE != 0
    }

    pub(crate) const fn is_valid(self) -> bool {
        self.0 & 0xf <= Method::Other as u8 && self.0 >> 4 & 3 <= IdempotencyKey::Honoured as u8
    }
}

/// Bits 0–1 phase, 2–3 what the retry under way was charged as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress(u8);

impl Progress {
    /// In flight, so that whatever may be under way is given up; the bit that no phase has marks it.
    pub(crate) const MALFORMED: Self = Self(1 << 4);

    pub(crate) const fn new(phase: Phase, spent: Cost) -> Self {
        Self(phase as u8 | (spent as u8) << 2)
    }

    pub(crate) const fn phase(self) -> Phase {
        match self.0 & 3 {
            0 => Phase::InFlight,
            1 => Phase::Waiting,
            2 => Phase::AwaitingNetwork,
            _ => Phase::Finished,
        }
    }

    pub(crate) const fn spent(self) -> Cost {
        match self.0 >> 2 & 3 {
            0 => Cost::Nothing,
            1 => Cost::Retry,
            2 => Cost::Throttled,
            _ => Cost::TimedOut,
        }
    }

    pub(crate) const fn is_valid(self) -> bool {
        self.0 >> 4 == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    InFlight = 0,
    Waiting = 1,
    AwaitingNetwork = 2,
    Finished = 3,
}
