//! The clients: every logical request is carried through the core, as a host does it, on virtual time.
//!
//! A client rounds its clock up when it reports an answer or a failure, and down otherwise. The way to the server and back
//! takes time between the lowest tier and the server only.

mod call;
mod input;

use std::{hint::black_box, mem::replace};

use policy_core::{Command, Execution, HandOver, Millis, Outcome, Request, Sample, Tokens, Wait};

use self::{
    call::{Call, Layer, Phase, Record},
    input::{Below, Input, Moment},
};
use crate::{
    contender::{Contender, Nesting, Tier},
    draw::{Draws, Length, Purpose, up_to},
    micros::{Micros, moment},
    queue::Queue,
    scenario::{Arrivals, Scenario, Sharing},
    server::{Hint, Job, Reception, Refusal, Server},
    tally::Tally,
};

/// Calls between two reports of progress.
const STRIDE: u64 = 1 << 16;

#[derive(Clone, Copy)]
struct Event {
    request: u32,
    what: What,
}

/// An attempt is known by the number of its send, so that what comes too late is noticed.
#[derive(Clone, Copy)]
enum What {
    Arrive,
    Receive { send: u32 },
    Write { send: u32, read: u32 },
    Complete { send: u32 },
    Answer { send: u32, status: u16 },
    Hinted { send: u32, status: u16, hint: Hint },
    Refused { send: u32 },
    Wake { level: u8 },
    TimeOut { level: u8 },
    GiveUp,
}

pub(crate) struct Fleet<'a> {
    scenario: &'a Scenario,
    contender: &'a Contender,
    draws: Draws,
    clients: u32,
    total: u32,
    queue: Queue<Event>,
    server: Server<'a>,
    calls: Vec<Record>,
    /// The tiers below the first, of all calls.
    lower: Vec<Layer>,
    /// Of all tiers, one for each that shares a budget.
    tokens: Vec<Tokens>,
    tally: Tally,
}

impl<'a> Fleet<'a> {
    pub(crate) fn new(scenario: &'a Scenario, clients: u32, contender: &'a Contender, seed: u64) -> Self {
        let draws = Draws::new(seed);
        let total = clients.saturating_mul(scenario.requests);
        let groups = if scenario.budget == Sharing::Fleet { 1 } else { clients };
        let full = |tier: &Tier| tier.policy.budget().map_or(Tokens::ZERO, |budget| budget.capacity);
        let tokens = contender.tiers.iter().flat_map(|tier| std::iter::repeat_n(full(tier), groups as usize));
        Self {
            scenario,
            contender,
            draws,
            clients,
            total,
            queue: Queue::new(),
            server: Server::new(&scenario.server, draws),
            calls: Vec::with_capacity(total as usize),
            lower: Vec::with_capacity(total as usize * (contender.tiers.len() - 1)),
            tokens: tokens.collect(),
            tally: Tally::new(total, scenario.disturbance().map(|window| window.until)),
        }
    }

    /// Carries every request to its end; `progress` hears how many have come to theirs.
    pub(crate) fn run(mut self, progress: &mut dyn FnMut(u64)) -> Tally {
        self.schedule(Micros::ZERO, 0, What::Arrive);
        while let Some((now, event)) = self.next() {
            if now > self.scenario.horizon {
                break;
            }
            self.happen(now, event);
            self.tally.events += 1;
            if self.tally.events % STRIDE == 0 {
                progress(self.tally.ended());
            }
        }
        self.close();
        self.tally.close();
        progress(self.tally.ended());
        self.tally
    }

    fn next(&mut self) -> Option<(Micros, Event)> {
        let calls = &self.calls;
        // Records lie all over the memory: read one by one, each would be waited for.
        self.queue.pop(|event| {
            black_box(calls.get(event.request as usize).map(Record::touch));
        })
    }

    /// What is open at the horizon is cancelled; what has not begun does not begin.
    fn close(&mut self) {
        for request in 0..self.calls.len() as u32 {
            if self.call(request).phase != Phase::Ended {
                self.tally.unfinished += 1;
                self.give_up(self.scenario.horizon, request);
            }
        }
    }

    fn happen(&mut self, now: Micros, Event { request, what }: Event) {
        match what {
            What::Arrive => self.arrive(now, request),
            What::Receive { send } => self.receive(now, Job { request, send }),
            What::Write { send, read } => self.write(now, Job { request, send }, read),
            What::Complete { send } => self.complete(now, Job { request, send }),
            What::Answer { send, status } => self.answered(now, Job { request, send }, status, None),
            What::Hinted { send, status, hint } => self.answered(now, Job { request, send }, status, Some(hint)),
            What::Refused { send } => self.refused(now, Job { request, send }),
            What::Wake { level } => {
                if self.call(request).waits(level) && self.layer(request, level).due == now {
                    self.drive(now, request, Input::Wake);
                }
            }
            What::TimeOut { level } => self.time_out(now, request, level),
            What::GiveUp => {
                if self.call(request).phase != Phase::Ended {
                    self.give_up(now, request);
                }
            }
        }
    }

    // What clients do.

    fn arrive(&mut self, now: Micros, request: u32) {
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
    fn drive(&mut self, now: Micros, request: u32, mut input: Input) {
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
        let (level, sends) = (self.call(request).level, self.call(request).sends);
        let which = sends.wrapping_mul(Contender::TIERS_MAX as u32).wrapping_add(level.into());
        let sample = Sample::new((self.draws.bits(Purpose::Jitter, request, which) >> 32) as u32);
        let place = self.tokens_at(request, level);
        let told = Moment { at: now, skew: self.skew(request), sample, tokens: self.tokens[place], cancelled: false };
        let tier = &self.contender.tiers[usize::from(level)];
        let mut step = match *input {
            Input::Start => {
                let counted = self.contender.nesting == Nesting::Counted;
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

    fn answered(&mut self, now: Micros, job: Job, status: u16, hint: Option<Hint>) {
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

    fn refused(&mut self, now: Micros, job: Job) {
        if self.call(job.request).is_under_way(job.send) {
            self.drive(now, job.request, Input::CONNECT_FAILED);
        }
    }

    /// The attempt of this tier has taken too long; what is under way below is given up.
    fn time_out(&mut self, now: Micros, request: u32, level: u8) {
        let call = *self.call(request);
        let in_flight = call.phase != Phase::Ended && (level < call.level || call.is_in_flight(level));
        if in_flight && self.layer(request, level).due == now {
            self.cancel_below(now, request, level);
            self.call_mut(request).phase = Phase::InFlight;
            self.drive(now, request, Input::TIMED_OUT);
        }
    }

    /// The caller has lost patience.
    fn give_up(&mut self, now: Micros, request: u32) {
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
        let told = Moment { at: now, skew: 0, sample: Sample::ZERO, tokens, cancelled: true };
        let execution = self.layer(request, level).execution();
        let policy = &self.contender.tiers[usize::from(level)].policy;
        let step = execution.handle(policy, policy_core::Event::Wake, &told.now(&Input::Wake));
        self.tokens[place] = step.tokens;
        self.layer_mut(request, level).set(step.execution);
        step.command
    }

    // What the server does.

    fn receive(&mut self, now: Micros, job: Job) {
        let is_retry = job.send > 1;
        let returns = is_retry && self.call_mut(job.request).returns_in(Tally::slot(now));
        self.tally.received(now, returns, job.send == 2);
        if self.scenario.server.contention.is_some() {
            let (back, way) = (self.way(Purpose::WayBack, job), self.way(Purpose::SecondWay, job));
            let read = self.server.version();
            return self.schedule(now.plus(back).plus(way), job.request, What::Write { send: job.send, read });
        }
        match self.server.receive(now, job) {
            Reception::Begun(job) => self.begin_work(now, job),
            Reception::Queued | Reception::Lost => {}
            Reception::TurnedAway(refusal) => {
                self.tally.turned_away(now);
                self.reply(now, job, Err(refusal));
            }
            Reception::Refused => {
                self.tally.turned_away(now);
                let back = self.way(Purpose::WayBack, job);
                self.schedule(now.plus(back), job.request, What::Refused { send: job.send });
            }
        }
    }

    fn begin_work(&mut self, now: Micros, job: Job) {
        let length = self.server.service(now, job);
        self.schedule(now.plus(length), job.request, What::Complete { send: job.send });
    }

    fn complete(&mut self, now: Micros, job: Job) {
        let (result, next) = self.server.complete(now, job);
        if let Some(next) = next {
            self.begin_work(now, next);
        }
        self.worked(now, job, result);
    }

    fn write(&mut self, now: Micros, job: Job, read: u32) {
        let result = self.server.write(now, job, read);
        self.worked(now, job, result);
    }

    fn worked(&mut self, now: Micros, job: Job, result: Result<(), Refusal>) {
        match result {
            Ok(()) => self.tally.served(now),
            Err(_) => self.tally.turned_away(now),
        }
        self.reply(now, job, result);
    }

    fn reply(&mut self, now: Micros, job: Job, result: Result<(), Refusal>) {
        let Job { request, send } = job;
        let what = match result {
            Ok(()) => What::Answer { send, status: 200 },
            Err(Refusal { status, hint: None }) => What::Answer { send, status },
            Err(Refusal { status, hint: Some(hint) }) => What::Hinted { send, status, hint },
        };
        let back = self.way(Purpose::WayBack, job);
        self.schedule(now.plus(back), request, what);
    }

    // Where things stand.

    fn schedule(&mut self, at: Micros, request: u32, what: What) {
        self.queue.push(at, Event { request, what });
    }

    fn way(&self, purpose: Purpose, job: Job) -> Micros {
        match self.scenario.network {
            Length::Fixed(length) => length,
            length => length.draw(self.draws.bits(purpose, job.request, job.send)),
        }
    }

    fn hint_is_date(&self) -> bool {
        self.scenario.server.retry_after.is_some_and(|asks| asks.date)
    }

    /// How far the wall clock of a request's client is ahead, in milliseconds.
    fn skew(&self, request: u32) -> i64 {
        let most = self.scenario.skew.get();
        if most == 0 {
            return 0;
        }
        let drawn = up_to(self.draws.bits(Purpose::Skew, request % self.clients, 0), 2 * most);
        drawn.cast_signed().saturating_sub(most.cast_signed())
    }

    fn tokens_at(&self, request: u32, level: u8) -> usize {
        let groups = self.tokens.len() / self.contender.tiers.len();
        usize::from(level) * groups + (request % self.clients) as usize % groups
    }

    fn call(&self, request: u32) -> &Call {
        &self.calls[request as usize].call
    }

    fn call_mut(&mut self, request: u32) -> &mut Call {
        &mut self.calls[request as usize].call
    }

    fn layer(&self, request: u32, level: u8) -> &Layer {
        match level {
            0 => &self.calls[request as usize].first,
            _ => &self.lower[self.place(request, level)],
        }
    }

    fn layer_mut(&mut self, request: u32, level: u8) -> &mut Layer {
        match level {
            0 => &mut self.calls[request as usize].first,
            _ => {
                let place = self.place(request, level);
                &mut self.lower[place]
            }
        }
    }

    /// Where a tier below the first stands.
    fn place(&self, request: u32, level: u8) -> usize {
        request as usize * (self.contender.tiers.len() - 1) + usize::from(level) - 1
    }
}
