//! The server: workers, a bounded queue, and what goes wrong.

use std::collections::VecDeque;

use crate::{
    draw::{Draws, Purpose, up_to},
    limiter::Limiter,
    micros::Micros,
    scenario::{BrownOut, OutageAnswer, ServerSpec},
};

/// One attempt at the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) request: u32,
    /// Which send of the request, from 1.
    pub(crate) send: u32,
}

/// What becomes of an attempt on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reception {
    /// Worked on from now.
    Begun(Job),
    Queued,
    TurnedAway(Refusal),
    /// The connection is refused.
    Refused,
    /// Nobody will ever hear of it.
    Lost,
}

/// An answer that says when to come back, if the server says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) hint: Option<Hint>,
}

/// When to come back: the seconds of a delay, or those of a date, counted from the beginning of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint(pub(crate) u32);

pub(crate) struct Server {
    spec: ServerSpec,
    draws: Draws,
    busy: u32,
    waiting: VecDeque<Job>,
    limiter: Option<Limiter>,
    version: u32,
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, draws: Draws) -> Self {
        let limiter = spec.limit.map(|limit| Limiter::new(limit.kind));
        Self { spec, draws, busy: 0, waiting: VecDeque::new(), limiter, version: 0 }
    }

    /// An attempt arrives.
    pub(crate) fn receive(&mut self, now: Micros, job: Job) -> Reception {
        if let Some(outage) = self.spec.outage.filter(|outage| outage.window.contains(now)) {
            return match outage.answer {
                OutageAnswer::Refused => Reception::Refused,
                OutageAnswer::Silence => Reception::Lost,
                OutageAnswer::Status(status) => self.turn_away(now, job, status, Some(outage.window.until)),
            };
        }
        if let (Some(limit), Some(limiter)) = (self.spec.limit, &mut self.limiter)
            && let Err(free) = limiter.admit(now)
        {
            return self.turn_away(now, job, limit.status, Some(free));
        }
        match () {
            () if self.busy < self.spec.workers => {
                self.busy += 1;
                Reception::Begun(job)
            }
            () if self.waiting.len() < self.spec.queue as usize => {
                self.waiting.push_back(job);
                Reception::Queued
            }
            () => self.turn_away(now, job, self.spec.busy_status, None),
        }
    }

    /// How long the work on an attempt takes that begins now.
    pub(crate) fn service(&self, now: Micros, job: Job) -> Micros {
        let length = self.spec.service.draw(self.draws.bits(Purpose::Service, job.request, job.send));
        match self.spec.brown_out.filter(|brown_out| brown_out.window.contains(now)) {
            Some(brown_out) => length.times(brown_out.slowdown),
            None => length,
        }
    }

    /// The work on an attempt is over: what comes of it, and who is next.
    pub(crate) fn complete(&mut self, now: Micros, job: Job) -> (Result<(), Refusal>, Option<Job>) {
        let next = self.waiting.pop_front();
        if next.is_none() {
            self.busy -= 1;
        }
        let failed = |brown_out: &BrownOut| {
            let lot = up_to(self.draws.bits(Purpose::Fault, job.request, job.send), 999);
            brown_out.window.contains(now) && lot < brown_out.share.into()
        };
        let result = match self.spec.brown_out.filter(failed) {
            Some(brown_out) => Err(self.refusal(now, job, brown_out.status, None)),
            None => Ok(()),
        };
        (result, next)
    }

    /// Under contention: what an attempt reads.
    pub(crate) const fn version(&self) -> u32 {
        self.version
    }

    /// Under contention: writes, unless somebody has done so since `read`.
    pub(crate) fn write(&mut self, now: Micros, job: Job, read: u32) -> Result<(), Refusal> {
        match self.spec.contention {
            Some(contention) if read != self.version => Err(self.refusal(now, job, contention.status, None)),
            _ => {
                self.version = self.version.wrapping_add(1);
                Ok(())
            }
        }
    }

    fn turn_away(&self, now: Micros, job: Job, status: u16, free: Option<Micros>) -> Reception {
        Reception::TurnedAway(self.refusal(now, job, status, free))
    }

    /// `free` is when there may be room again, if the server knows.
    fn refusal(&self, now: Micros, job: Job, status: u16, free: Option<Micros>) -> Refusal {
        let hint = self.spec.retry_after.and_then(|asks| {
            let moment = asks.after.map(|after| now.plus(after)).or(free)?;
            let bits = self.draws.bits(Purpose::Hint, job.request, job.send);
            let moment = moment.plus(Micros::new(up_to(bits, asks.spread.get())));
            let seconds = if asks.date { moment.seconds_up() } else { moment.minus(now).seconds_up() };
            u32::try_from(seconds).ok().map(Hint)
        });
        Refusal { status, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        draw::Length,
        scenario::{Outage, RetryAfter, Window},
    };

    const SPEC: ServerSpec = ServerSpec {
        workers: 1,
        queue: 1,
        service: Length::Fixed(Micros::new(10)),
        busy_status: 503,
        outage: None,
        brown_out: None,
        limit: None,
        contention: None,
        retry_after: None,
    };

    fn job(request: u32) -> Job {
        Job { request, send: 1 }
    }

    #[test]
    fn who_finds_no_worker_waits_and_who_finds_no_place_is_turned_away() {
        let mut server = Server::new(SPEC, Draws::new(1));
        assert_eq!(server.receive(Micros::ZERO, job(0)), Reception::Begun(job(0)));
        assert_eq!(server.receive(Micros::ZERO, job(1)), Reception::Queued);
        let refusal = Refusal { status: 503, hint: None };
        assert_eq!(server.receive(Micros::ZERO, job(2)), Reception::TurnedAway(refusal));
        assert_eq!(server.complete(Micros::new(10), job(0)), (Ok(()), Some(job(1))));
        assert_eq!(server.receive(Micros::new(10), job(3)), Reception::Queued);
        assert_eq!(server.complete(Micros::new(20), job(1)), (Ok(()), Some(job(3))));
        assert_eq!(server.complete(Micros::new(30), job(3)), (Ok(()), None));
        assert_eq!(server.receive(Micros::new(40), job(4)), Reception::Begun(job(4)));
    }

    #[test]
    fn an_outage_tells_everybody_its_end_rounded_up_or_each_another_time() {
        let window = Window { from: Micros::ZERO, until: Micros::new(30_000_001) };
        let outage = Some(Outage { window, answer: OutageAnswer::Status(503) });
        let hints = |retry_after| {
            let spec = ServerSpec { outage, retry_after: Some(retry_after), ..SPEC };
            let mut server = Server::new(spec, Draws::new(1));
            [0, 1, 2].map(|request| match server.receive(Micros::new(10_000_000), job(request)) {
                Reception::TurnedAway(Refusal { status: 503, hint: Some(hint) }) => hint.0,
                other => panic!("{other:?}"),
            })
        };
        let same = RetryAfter { date: false, after: None, spread: Micros::ZERO };
        assert_eq!(hints(same), [21, 21, 21]);
        assert_eq!(hints(RetryAfter { date: true, ..same }), [31, 31, 31]);
        let [one, two, three] = hints(RetryAfter { spread: Micros::new(1_000_000_000), ..same });
        assert!(one != two && two != three && [one, two, three].iter().all(|hint| *hint >= 21));
    }

    #[test]
    fn a_write_fails_if_somebody_wrote_after_it_was_read() {
        let spec = ServerSpec { contention: Some(crate::scenario::Contention { status: 409 }), ..SPEC };
        let mut server = Server::new(spec, Draws::new(1));
        let read = server.version();
        assert_eq!(server.write(Micros::ZERO, job(0), read), Ok(()));
        assert_eq!(server.write(Micros::ZERO, job(1), read), Err(Refusal { status: 409, hint: None }));
        assert_eq!(server.write(Micros::ZERO, job(1), server.version()), Ok(()));
    }
}
