//! Input that nobody thought of, the same in every run.

use policy_core::{
    Attempt, Event, FailureKind, Field, IdempotencyKey, Limits, Mark, Method, Millis, Network, Now, Request, Sample,
    Session, Tokens, UnixMillis,
};
use refrain::State;

/// Values of Retry-After, good and bad.
const VALUES: [&[u8]; 8] = [
    b"0",
    b"3",
    b"3, 5",
    b"1e3",
    b"99999999999999999999",
    b"Sun, 06 Nov 1994 08:49:37 GMT",
    b"Wed, 01 Jan 2025 00:00:20 GMT",
    b"Sunday, 06-Nov-94 08:49:37 GMT",
];

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn request(&mut self) -> Request {
        Request {
            method: self.pick(&Method::ALL),
            key: self.pick(&[IdempotencyKey::Absent, IdempotencyKey::Sent, IdempotencyKey::Honoured]),
            replayable: self.below(4) > 0,
            limits: Limits {
                max_attempts: self.maybe(|random| random.below(6) as u32),
                deadline: self.maybe(|random| Millis::new(random.below(100_000))),
                max_wait: self.maybe(|random| Millis::new(random.below(100_000))),
            },
            attempts_used: self.below(3) as u32,
            not_before: self.maybe(|random| Mark::new(random.below(5_000))),
        }
    }

    pub(crate) fn now(&mut self, mark: u64) -> Now {
        Now {
            mark: Mark::new(mark),
            wall: self.maybe(|random| UnixMillis::new(1_735_689_600_000 + random.below(60_000))),
            session: Session::new(u64::from(self.below(50) == 0)),
            cancelled: self.below(50) == 0,
            network: self.pick(&[Network::Unknown, Network::Up, Network::Down]),
            sample: Sample::new(self.next() as u32),
            tokens: Tokens::from_thousandths(self.below(600_000) as u32),
            hold: (self.below(8) == 0).then(|| Mark::new(mark + self.below(2_000))),
        }
    }

    /// Room for the field of an event.
    pub(crate) fn field(&mut self) -> [Field<'static>; 1] {
        [Field { index: u8::from(self.below(50) == 0), value: self.pick(&VALUES) }]
    }

    pub(crate) fn event<'a>(&mut self, attempt: u32, field: &'a [Field<'a>; 1]) -> Event<'a> {
        let of = Attempt { number: attempt, sends: self.below(3) as u32, exhausted: self.below(20) == 0 };
        match self.below(4) {
            0 => Event::Wake,
            1 => Event::Failure { of, kind: self.pick(&FailureKind::ALL), timed_out: self.below(2) == 0 },
            _ => {
                let fields = if self.below(2) == 0 { &field[..] } else { &[] };
                Event::Response { of, status: self.pick(&[200, 404, 408, 429, 500, 503]), fields }
            }
        }
    }

    /// A state that no engine made.
    pub(crate) fn state(&mut self) -> State {
        State([0; 8].map(|_: u64| self.next() >> self.below(64)))
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(2) == 0).then(|| value(self))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
