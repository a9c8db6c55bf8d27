//! The clients: every logical request is carried through the core, as a host does it, on virtual time.
//!
//! A client rounds its clock up when it reports an answer or a failure, and down otherwise. The way to the server and back
//! takes time between the lowest tier and the server only.

mod call;
mod clients;
mod input;
mod serving;

use std::{hint::black_box, sync::Arc};

use policy_core::Tokens;

use self::{
    call::{Call, Layer, Phase, Record},
    input::Input,
};
use crate::{
    contender::{Contender, Tier},
    draw::{Draws, Length, Purpose, up_to},
    micros::Micros,
    queue::Queue,
    scenario::{Scenario, Sharing},
    server::{Hint, Job, Server},
    tally::Tally,
};

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

pub(crate) struct Fleet {
    scenario: Arc<Scenario>,
    contender: Contender,
    draws: Draws,
    clients: u32,
    total: u32,
    queue: Queue<Event>,
    server: Server,
    calls: Vec<Record>,
    /// The tiers below the first, of all calls.
    lower: Vec<Layer>,
    /// Of all tiers, one for each that shares a budget.
    tokens: Vec<Tokens>,
    tally: Tally,
    now: Micros,
}

impl Fleet {
    pub(crate) fn new(scenario: Arc<Scenario>, clients: u32, contender: Contender, seed: u64) -> Self {
        let draws = Draws::new(seed);
        let total = clients.saturating_mul(scenario.requests);
        let groups = if scenario.budget == Sharing::Fleet { 1 } else { clients };
        let full = |tier: &Tier| tier.policy.budget().map_or(Tokens::ZERO, |budget| budget.capacity);
        let tokens = contender.tiers.iter().flat_map(|tier| std::iter::repeat_n(full(tier), groups as usize)).collect();
        let mut fleet = Self {
            draws,
            clients,
            total,
            queue: Queue::new(),
            server: Server::new(scenario.server, draws),
            calls: Vec::with_capacity(total as usize),
            lower: Vec::with_capacity(total as usize * (contender.tiers.len() - 1)),
            tokens,
            tally: Tally::new(total, scenario.disturbance().map(|window| window.until)),
            now: Micros::ZERO,
            scenario,
            contender,
        };
        fleet.schedule(Micros::ZERO, 0, What::Arrive);
        fleet
    }

    /// Lets so many events happen, or all that are left. Whether there may be more.
    pub(crate) fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some((now, event)) = self.next().filter(|(now, _)| *now <= self.scenario.horizon) else { return false };
            self.now = now;
            self.happen(now, event);
            self.tally.events += 1;
        }
        true
    }

    /// How far it has come.
    pub(crate) const fn now(&self) -> Micros {
        self.now
    }

    /// What was counted so far.
    pub(crate) const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Ends every request that is still open.
    pub(crate) fn close(mut self) -> Tally {
        self.cancel_open();
        self.tally.close();
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
    fn cancel_open(&mut self) {
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
