//! One policy and one number of clients: a fleet, as often as the scenario repeats it.

use std::sync::Arc;

use crate::{
    contender::Contender,
    fleet::Fleet,
    micros::Micros,
    report::{Load, Run},
    scenario::Scenario,
    simulation::SoFar,
    tally::{Slot, Tally},
};

pub(crate) struct Stage {
    scenario: Arc<Scenario>,
    /// Its place among the scenario's.
    contender: usize,
    clients: u32,
    seed: u64,
    /// Fleets that have come to their end.
    repeat: u32,
    /// The one that is under way.
    fleet: Option<Fleet>,
    /// Of those that have come to their end.
    tally: Option<Tally>,
}

impl Stage {
    /// All of a scenario: by number of clients, and then in the order of the contenders.
    pub(crate) fn all(scenario: &Arc<Scenario>, seed: u64) -> Vec<Self> {
        let stage = |clients, contender| {
            let scenario = Arc::clone(scenario);
            Self { scenario, contender, clients, seed, repeat: 0, fleet: None, tally: None }
        };
        let contenders = 0..scenario.contenders().len();
        scenario
            .client_counts()
            .iter()
            .flat_map(|clients| contenders.clone().map(move |contender| stage(*clients, contender)))
            .collect()
    }

    /// Lets no more than so many events happen. Whether there may be more.
    pub(crate) fn advance(&mut self, events: u64) -> bool {
        if self.is_done() {
            return false;
        }
        let mut fleet = self.fleet.take().unwrap_or_else(|| self.next_fleet());
        if fleet.advance(events) {
            self.fleet = Some(fleet);
            return true;
        }
        let tally = fleet.close();
        match &mut self.tally {
            Some(sum) => sum.add(tally),
            None => self.tally = Some(tally),
        }
        self.repeat += 1;
        !self.is_done()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.repeat == self.scenario.repeats
    }

    /// How far its fleet has come.
    pub(crate) fn now(&self) -> Micros {
        self.fleet.as_ref().map_or(Micros::ZERO, Fleet::now)
    }

    /// Logical requests that have ended, in all fleets.
    pub(crate) fn ended(&self) -> u64 {
        self.tallies().map(Tally::ended).sum()
    }

    /// Logical requests that there are, in all fleets.
    pub(crate) fn total(&self) -> u64 {
        u64::from(self.clients) * u64::from(self.scenario.requests) * u64::from(self.scenario.repeats)
    }

    pub(crate) fn so_far(&self) -> SoFar {
        let mut slots = Vec::new();
        self.tallies().for_each(|tally| Slot::add_all(&mut slots, &tally.slots));
        SoFar {
            policy: self.contender().label().to_owned(),
            clients: self.clients,
            now_ms: self.now().millis(),
            ended: self.ended(),
            total: self.total(),
            sends: self.tallies().map(|tally| tally.sends).sum(),
            load: Load::of(&slots),
        }
    }

    /// Runs what is left, and tells what came of it.
    pub(crate) fn finish(mut self) -> Run {
        while self.advance(u64::MAX) {}
        let tally = self.tally.take().unwrap_or_else(|| Tally::new(0, None));
        Run::new(self.contender(), self.clients, self.scenario.repeats, tally)
    }

    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        self.tally.iter().chain(self.fleet.as_ref().map(Fleet::tally))
    }

    fn next_fleet(&self) -> Fleet {
        let seed = self.seed.wrapping_add(self.repeat.into());
        Fleet::new(Arc::clone(&self.scenario), self.clients, self.contender().clone(), seed)
    }

    fn contender(&self) -> &Contender {
        &self.scenario.contenders[self.contender]
    }
}
