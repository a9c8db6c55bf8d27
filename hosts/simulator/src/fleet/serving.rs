//! What the server does.

use super::{Fleet, What};
use crate::{
    draw::Purpose,
    micros::Micros,
    server::{Job, Reception, Refusal},
    tally::Tally,
};

impl Fleet {
    pub(super) fn receive(&mut self, now: Micros, job: Job) {
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

    pub(super) fn complete(&mut self, now: Micros, job: Job) {
        let (result, next) = self.server.complete(now, job);
        if let Some(next) = next {
            self.begin_work(now, next);
        }
        self.worked(now, job, result);
    }

    pub(super) fn write(&mut self, now: Micros, job: Job, read: u32) {
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
}
