//! How a request ends, and what the caller gets.

use policy_core::{Bound, End, HandOver, HintReport, Millis, Outcome};

use super::{Over, Run, unexpected};
use crate::{
    driver::RunResult,
    engine::Engine,
    entropy::Entropy,
    observer::TraceEvent,
    outcome::{Delivered, Ended, Last, Reason},
    session::SessionTag,
    time::Time,
    transport::Head,
};

impl<E: Engine, T: Time, X: Entropy> Run<'_, E, T, X> {
    /// What the caller gets, of which `last` may be a part.
    pub(crate) fn result<R: Head, F>(&mut self, over: Over, last: Last<R, F>) -> RunResult<R, F> {
        match over {
            Over::Finished(outcome) => self.finished(outcome, last),
            Over::Broken(reason) => Err(self.broken(reason, last)),
        }
    }

    fn finished<R: Head, F>(&mut self, outcome: Outcome, last: Last<R, F>) -> RunResult<R, F> {
        if outcome.end.gave_up() {
            self.give_up();
        }
        let Outcome { end, bound, hint, attempts, maybe_applied, hand_over, resume } = outcome;
        if end == End::Success {
            return match last {
                Last::Response(response) if hand_over == HandOver::This => {
                    self.trace(|| TraceEvent::Ended { reason: Reason::Policy(end), bound, hint, attempts });
                    Ok(Delivered { response, session: self.tag(), attempts, maybe_applied })
                }
                last => Err(self.broken(unexpected("a success without a response"), last)),
            };
        }
        let last = match hand_over {
            HandOver::This => last,
            HandOver::Abort | HandOver::LastStatus(0) => Last::Nothing,
            HandOver::LastStatus(status) => Last::Status(status),
        };
        let reason = Reason::Policy(end);
        let (asked, session) = (self.asked().filter(|_| end != End::SessionChanged), self.tag());
        Err(self.ended(Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session }))
    }

    /// The policy could not be asked: nothing more is sent, a response that it did not see is withheld, and all of an older
    /// session is.
    fn broken<R: Head, F>(&mut self, reason: Reason, last: Last<R, F>) -> Ended<R, F> {
        self.give_up();
        let last = match last {
            _ if self.session() != self.options.session() => Last::Nothing,
            Last::Response(response) => Last::Status(response.status()),
            last => last,
        };
        self.ended(Ended {
            reason,
            bound: Bound::None,
            hint: HintReport::Absent,
            asked: None,
            attempts: self.attempts,
            maybe_applied: self.sent,
            resume: None,
            last,
            session: self.tag(),
        })
    }

    fn ended<R, F>(&mut self, ended: Ended<R, F>) -> Ended<R, F> {
        let Ended { bound, hint, attempts, .. } = ended;
        self.trace(|| TraceEvent::Ended { reason: ended.reason.clone(), bound, hint, attempts });
        ended
    }

    pub(super) fn asked(&self) -> Option<Millis> {
        Some(self.asked).filter(|asked| *asked != Millis::MAX)
    }

    /// Nobody above begins again.
    fn give_up(&self) {
        if let Some(nesting) = &self.options.nesting {
            nesting.give_up();
        }
    }

    fn tag(&self) -> SessionTag {
        SessionTag::new(self.session(), self.options.session.clone())
    }
}
