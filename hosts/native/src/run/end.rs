//! How a request ends, and what the caller gets.

use policy_core::{Bound, End, HandOver, HintReport, Millis, Outcome};

use super::{Over, Run, unexpected};
use crate::{
    engine::Engine,
    entropy::Entropy,
    observer::TraceEvent,
    outcome::{Delivered, Ended, Last, Reason},
    session::SessionTag,
    time::Time,
    transport::Head,
};

impl<E: Engine, T: Time, X: Entropy> Run<'_, E, T, X> {
    /// What is delivered with an answer, if it is a success.
    pub(crate) fn success(&mut self, over: &Over) -> Option<Delivered<()>> {
        match over {
            Over::Finished(Outcome {
                end: End::Success,
                bound,
                hint,
                attempts,
                maybe_applied,
                hand_over: HandOver::This,
                ..
            }) => {
                let (bound, hint, attempts, maybe_applied) = (*bound, *hint, *attempts, *maybe_applied);
                self.trace(|| TraceEvent::Ended { reason: Reason::Policy(End::Success), bound, hint, attempts });
                Some(Delivered { response: (), session: self.tag(), attempts, maybe_applied })
            }
            _ => None,
        }
    }

    /// How a request ends without success, with what is left of its last attempt.
    pub(crate) fn ended<R: Head, F>(&mut self, over: Over, last: Last<R, F>) -> Ended<R, F> {
        match over {
            Over::Finished(Outcome { end: End::Success, .. }) => {
                self.broken(unexpected("a success without a response"), last)
            }
            Over::Finished(outcome) => self.failed(outcome, last),
            Over::Broken(reason) => self.broken(reason, last),
        }
    }

    fn failed<R: Head, F>(&mut self, outcome: Outcome, last: Last<R, F>) -> Ended<R, F> {
        let Outcome { end, bound, hint, attempts, maybe_applied, hand_over, resume } = outcome;
        if end.gave_up() {
            self.give_up();
        }
        let last = match hand_over {
            HandOver::This => last,
            HandOver::Abort | HandOver::LastStatus(0) => Last::Nothing,
            HandOver::LastStatus(status) => Last::Status(status),
        };
        let reason = Reason::Policy(end);
        let (asked, session) = (self.asked().filter(|_| end != End::SessionChanged), self.tag());
        self.told(Ended { reason, bound, hint, asked, attempts, maybe_applied, resume, last, session })
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
        self.told(Ended {
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

    fn told<R, F>(&mut self, ended: Ended<R, F>) -> Ended<R, F> {
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
