//! What clients do: they carry out what the core commands.

use std::mem::replace;

use policy_core::{Command, Event, Execution, HandOver, Millis, Outcome, Request, Sample, Wait};

use super::{
    Fleet, What,
    call::{self, Call, Layer, Phase, Record},
    input::{self, Below, Input, Moment},
};
use crate::{
    contender::{Contender, Nesting},
    draw::{Length, Purpose},
    micros::{Micros, moment},
    scenario::Arrivals,
    server::{Hint, Job},
};

impl Fleet {
    pub(super) fn arrive(&mut self, now: Micros, request: u32) {
        if request + 1 < self.total {
            let gap = match self.scenario.arrivals {
                Arrivals::AtOnce => Micros::ZERO,
                Arrivals::Fixed(gap) => gap,
                Arrivals::Poisson(mean) => {
                    Length::Exponential(mean).draw(self.draws.bits(Purpose::Arrival, request, 0))
                }
            };
            self.schedule(now.plus(gap), request + 1, What::Arrive);
        }
        if let Some(patience) = self.scenario.give_up {
            self.schedule(now.plus(patience), request, What::GiveUp);
        }
        self.calls.push(Record { call: Call::new(now), first: Layer::EMPTY });
        self.lower.extend(std::iter::repeat_n(Layer::EMPTY, self.contender.tiers.len() - 1));
        self.drive(now, request, Input::Start);
    }

    /// Carries out what the core commands, until it has to wait for something.
    pub(super) fn drive(&mut self, now: Micros, request: u32, mut input: Input) {
        loop {
            let next = match self.step(now, request, &input) {
                Command::Send { timeout, .. } => self.send(now, request, timeout),
                Command::Wait(wait) => self.wait(request, &wait),
                Command::AwaitNetwork { until } => self.wait_until(request, moment(until)),
                Command::Keep => None,
                Command::Finish(outcome) => self.finish(now, request, &outcome, &input),
            };
            match next {
                Some(next) => input = next,
                None => return,
            }
        }
    }

    /// One call into the core.
    fn step(&mut self, now: Micros, request: u32, input: &Input) -> Command {
        let Call { level, sends, held, .. } = *self.call(request);
        let which = sends.wrapping_mul(Contender::TIERS_MAX as u32).wrapping_add(level.into());
        let sample = Sample::new((self.draws.bits(Purpose::Jitter, request, which) >> 32) as u32);
        let place = self.tokens_at(request, level);
        let counted = self.contender.nesting == Nesting::Counted;
        let hold = (held > Micros::ZERO).then_some(held);
        let tokens = self.tokens[place];
        let told = Moment { at: now, skew: self.skew(request), sample, tokens, hold, cancelled: false };
        let tier = &self.contender.tiers[usize::from(level)];
        let mut step = match *input {
            Input::Start => {
                let begun =
                    Request { attempts_used: if counted { sends } else { 0 }, limits: tier.limits, ..input::REQUEST };
                Execution::start(&tier.policy, &begun, &told.now(input))
            }
            _ => {
                let execution = self.layer(request, level).execution();
                input.with_event(tier, told.at, execution.attempts(), self.hint_is_date(), |event| {
                    execution.handle(&tier.policy, event, &told.now(input))
                })
            }
        };
        if let Some(cut) = self.contender.cut_draw {
            step.execution = call::with_series_cut(&step.execution, cut);
        }
        self.tokens[place] = step.tokens;
        self.layer_mut(request, level).set(step.execution);
        // It holds for the layers above, whose own attempt may time out meanwhile.
        if counted && level > 0 && step.command.hint().holds() {
            let call = self.call_mut(request);
            call.held = call.asked;
        }
        step.command
    }

    /// Sends to the server, or begins the tier below.
    fn send(&mut self, now: Micros, request: u32, timeout: Option<Millis>) -> Option<Input> {
        let (level, sends) = (self.call(request).level, self.call(request).sends);
        let layer = self.layer_mut(request, level);
        layer.sends_before = sends;
        layer.due = timeout.map_or(Micros::MAX, |timeout| now.plus(Micros::from_millis(timeout)));
        if layer.due != Micros::MAX {
            let due = layer.due;
            self.schedule(due, request, What::TimeOut { level });
        }
        if usize::from(level) + 1 < self.contender.tiers.len() {
            self.call_mut(request).level += 1;
            return Some(Input::Start);
        }
        let call = self.call_mut(request);
        call.sends += 1;
        call.phase = Phase::InFlight;
        let (send, is_early) = (call.sends, now < call.asked);
        self.tally.sent(is_early);
        let way = self.way(Purpose::Way, Job { request, send });
        self.schedule(now.plus(way), request, What::Receive { send });
        None
    }

    fn wait(&mut self, request: u32, wait: &Wait) -> Option<Input> {
        let level = self.call(request).level;
        let is_longest = self.contender.tiers[usize::from(level)].is_longest(wait.bound, wait.delay);
        let was_longest = replace(&mut self.call_mut(request).waited_longest, is_longest);
        self.tally.waited(was_longest, is_longest);
        self.wait_until(request, moment(wait.until))
    }

    fn wait_until(&mut self, request: u32, until: Micros) -> Option<Input> {
        let level = self.call(request).level;
        self.call_mut(request).phase = Phase::Waiting;
        self.layer_mut(request, level).due = until;
        self.schedule(until, request, What::Wake { level });
        None
    }

    /// A tier has come to its end, and tells the one above.
    fn finish(&mut self, now: Micros, request: u32, outcome: &Outcome, last: &Input) -> Option<Input> {
        let Call { level, arrived, sends, .. } = *self.call(request);
        if level == 0 {
            self.call_mut(request).phase = Phase::Ended;
            self.tally.ended_with(outcome.end, arrived, now);
            return None;
        }
        self.call_mut(request).level = level - 1;
        let below = match self.contender.nesting {
            Nesting::Counted => {
                let sends = sends - self.layer(request, level - 1).sends_before;
                Below { sends, exhausted: outcome.end.gave_up() }
            }
            Nesting::Ignored => Below::NONE,
        };
        Some(match outcome.hand_over {
            HandOver::LastStatus(status @ 1..) => Input::Response { status, hint: None, below },
            HandOver::This => last.passed_up(below),
            HandOver::LastStatus(0) | HandOver::Abort => input::GATEWAY_TIMEOUT.passed_up(below),
        })
    }

    pub(super) fn answered(&mut self, now: Micros, job: Job, status: u16, hint: Option<Hint>) {
        let date = self.hint_is_date();
        let call = self.call_mut(job.request);
        if !call.is_under_way(job.send) {
            return;
        }
        call.asked = hint.map_or(Micros::ZERO, |Hint(seconds)| {
            let asked = Micros::new(u64::from(seconds) * 1_000_000);
            if date { asked } else { now.plus(asked) }
        });
        self.drive(now, job.request, Input::Response { status, hint, below: Below::NONE });
    }

    pub(super) fn refused(&mut self, now: Micros, job: Job) {
        if self.call(job.request).is_under_way(job.send) {
            self.drive(now, job.request, Input::CONNECT_FAILED);
        }
    }

    /// The attempt of this tier has taken too long; what is under way below is given up.
    pub(super) fn time_out(&mut self, now: Micros, request: u32, level: u8) {
        let call = *self.call(request);
        let in_flight = call.phase != Phase::Ended && (level < call.level || call.is_in_flight(level));
        if in_flight && self.layer(request, level).due == now {
            self.cancel_below(now, request, level);
            self.call_mut(request).phase = Phase::InFlight;
            self.drive(now, request, Input::TIMED_OUT);
        }
    }

    /// The caller has lost patience.
    pub(super) fn give_up(&mut self, now: Micros, request: u32) {
        self.cancel_below(now, request, 0);
        let command = self.cancel(now, request, 0);
        self.call_mut(request).phase = Phase::Ended;
        if let Command::Finish(outcome) = command {
            let arrived = self.call(request).arrived;
            self.tally.ended_with(outcome.end, arrived, now);
        }
    }

    fn cancel_below(&mut self, now: Micros, request: u32, level: u8) {
        while self.call(request).level > level {
            let lowest = self.call(request).level;
            let _ = self.cancel(now, request, lowest);
            self.call_mut(request).level -= 1;
        }
    }

    /// Tells the core, so that tokens go back.
    fn cancel(&mut self, now: Micros, request: u32, level: u8) -> Command {
        let place = self.tokens_at(request, level);
        let tokens = self.tokens[place];
        let told = Moment { at: now, skew: 0, sample: Sample::ZERO, tokens, hold: None, cancelled: true };
        let execution = self.layer(request, level).execution();
        let policy = &self.contender.tiers[usize::from(level)].policy;
        let step = execution.handle(policy, Event::Wake, &told.now(&Input::Wake));
        self.tokens[place] = step.tokens;
        self.layer_mut(request, level).set(step.execution);
        step.command
    }
}
