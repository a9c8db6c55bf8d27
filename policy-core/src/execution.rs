//! The state machine of one logical request: sans-IO and level-triggered.
//!
//! The host calls [`Execution::start`] once and [`Execution::handle`] whenever anything happens; each call says what to
//! do next. Every call carries [`Now`], all that may have changed outside, so that "checked again after the wait" is
//! true by construction. Both are pure: the same input gives the same step, and calling twice, early or late is safe.
//!
//! | state | response or failure of this attempt | wake | other session, or cancelled |
//! |---|---|---|---|
//! | in flight | decide → wait, await network or finish | keep | finish, the attempt aborted |
//! | waiting | keep (late) | deadline passed → finish; too early → the same wait; hold, network down → wait for that; else send | finish |
//! | awaiting network | keep | back → one jittered wait, any hint's mark respected; time up → finish | finish |
//! | finished | keep | keep | keep |

use crate::{
    backoff::Jitter,
    budget::{Cost, Tokens},
    classify::{Class, Disposition},
    command::{Command, Step, Wait},
    decision::{Decision, Situation, decide, refusal},
    event::{Attempt, Event, FIELDS_MAX, Field, Network, Now},
    failure::FailureKind,
    hint::Hint,
    outcome::{Bound, End, HandOver, HintReport, Outcome, Resume},
    policy::{DeadlineScope, Offline, Policy},
    request::{IdempotencyKey, Method, Request},
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
pub struct Execution {
    /// No send before this mark.
    not_before: Mark,
    /// When a wait for the network ends; [`Mark::new(0)`] while none was begun since the last send that counted.
    give_up: Mark,
    deadline: Mark,
    session: Session,
    /// [`Millis::MAX`]: no limit.
    max_wait: Millis,
    /// See [`Backoff::draw`](crate::Backoff::draw).
    series: u64,
    policy: u32,
    /// All sends, one in flight included.
    attempts: u32,
    max_attempts: u32,
    last_status: u16,
    facts: Facts,
    progress: Progress,
}

const _: () = assert!(size_of::<Execution>() == 64);

impl Execution {
    /// Begins a logical request, joins one (`attempts_used` above 0) or resumes one (`not_before` too).
    pub fn start(policy: &Policy, request: &Request, now: &Now) -> Step {
        let rules = policy.rules();
        let tightest = |ours: Option<Millis>, theirs: Option<Millis>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        let deadline = tightest(rules.deadline, request.limits.deadline);
        let decorrelated = matches!(rules.transient.jitter, Jitter::Decorrelated);
        let execution = Self {
            not_before: request.not_before.unwrap_or_default(),
            give_up: Mark::default(),
            deadline: deadline.map_or(Mark::MAX, |limit| now.mark.after(limit)),
            session: now.session,
            max_wait: tightest(rules.max_wait, request.limits.max_wait).unwrap_or(Millis::MAX),
            series: if decorrelated { 0 } else { request.attempts_used.into() },
            policy: policy.fingerprint(),
            attempts: request.attempts_used,
            max_attempts: request.limits.max_attempts.map_or(rules.max_attempts, |limit| limit.min(rules.max_attempts)),
            last_status: 0,
            facts: Facts::new(request),
            progress: Progress::new(Phase::Waiting, Cost::Nothing),
        };
        let call = Call { policy, now };
        let valid = call.is_valid() && execution.not_before.is_valid();
        match () {
            () if now.cancelled => call.finish(execution, call.ended(End::Cancelled, Bound::None)),
            () if !valid => call.finish(execution, call.ended(End::InvalidInput, Bound::None)),
            () if execution.attempts >= execution.max_attempts => {
                call.finish(execution, call.ended(End::AttemptsUsed, Bound::Attempts))
            }
            () if now.mark < execution.not_before => call.pause(execution, execution.not_before, Bound::Resume),
            () => call.launch(execution),
        }
    }

    /// Goes on. A pure function: the same input gives the same step, and calling it twice is safe.
    pub fn handle(self, policy: &Policy, event: Event<'_>, now: &Now) -> Step {
        let call = Call { policy, now };
        let phase = self.progress.phase();
        match () {
            () if phase == Phase::Finished => call.keep(self),
            () if self.policy != policy.fingerprint() => call.interrupt(self, event, End::ForeignExecution),
            () if self.session != now.session => call.interrupt(self, event, End::SessionChanged),
            () if now.cancelled => call.interrupt(self, event, End::Cancelled),
            () if !call.is_valid() || !call.fields_are_valid(event) => call.interrupt(self, event, End::InvalidInput),
            () => match (phase, event) {
                (Phase::InFlight, Event::Response { of, .. } | Event::Failure { of, .. })
                    if of.number == self.attempts =>
                {
                    call.resolve(self, event, of)
                }
                (Phase::Waiting, Event::Wake) => call.wake(self),
                (Phase::AwaitingNetwork, Event::Wake) => call.network_wake(self),
                _ => call.keep(self),
            },
        }
    }

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

    /// `None` for words that [`Execution::to_words`] cannot have made. Any `Some` is safe to [`handle`](Self::handle).
    #[must_use]
    pub fn from_words(words: [u64; 8]) -> Option<Self> {
        let [not_before, give_up, deadline, session, max_wait, series, counts, rest] = words;
        let marks_are_valid = [not_before, give_up, deadline, max_wait].iter().all(|ms| *ms <= Mark::MAX.get());
        let facts = Facts((rest >> 48) as u8);
        let progress = Progress((rest >> 56) as u8);
        (marks_are_valid && facts.is_valid() && progress.is_valid()).then_some(Self {
            not_before: Mark::new(not_before),
            give_up: Mark::new(give_up),
            deadline: Mark::new(deadline),
            session: Session::new(session),
            max_wait: Millis::new(max_wait),
            series,
            policy: counts as u32,
            attempts: (counts >> 32) as u32,
            max_attempts: rest as u32,
            last_status: (rest >> 32) as u16,
            facts,
            progress,
        })
    }

    /// The step for words that [`Execution::from_words`] refuses: no further send.
    pub fn malformed(now: &Now) -> Step {
        let execution = Self {
            not_before: Mark::default(),
            give_up: Mark::default(),
            deadline: Mark::default(),
            session: now.session,
            max_wait: Millis::ZERO,
            series: 0,
            policy: 0,
            attempts: 0,
            max_attempts: 0,
            last_status: 0,
            facts: Facts(0),
            progress: Progress::new(Phase::Finished, Cost::Nothing),
        };
        let outcome = Outcome {
            end: End::MalformedExecution,
            bound: Bound::None,
            hint: HintReport::Absent,
            attempts: 0,
            maybe_applied: true,
            hand_over: HandOver::Abort,
            resume: None,
        };
        Step { execution, tokens: now.tokens, command: Command::Finish(outcome) }
    }

    fn with_phase(self, phase: Phase) -> Self {
        Self { progress: Progress::new(phase, self.progress.spent()), ..self }
    }

    fn with_spent(self, spent: Cost) -> Self {
        Self { progress: Progress::new(self.progress.phase(), spent), ..self }
    }

    fn remember_maybe_applied(self) -> Self {
        Self { facts: Facts(self.facts.0 | Facts::MAYBE_APPLIED), ..self }
    }
}

/// One call: the policy, and what is true outside.
struct Call<'a> {
    policy: &'a Policy,
    now: &'a Now,
}

impl Call<'_> {
    /// Numbers that no wait can be computed from.
    fn is_valid(&self) -> bool {
        self.now.mark.is_valid() && self.now.hold.is_none_or(Mark::is_valid)
    }

    fn fields_are_valid(&self, event: Event<'_>) -> bool {
        let Event::Response { fields, .. } = event else { return true };
        let known = self.policy.fields().len();
        let is_new = |(at, field): (usize, &Field<'_>)| {
            usize::from(field.index) < known && fields.iter().take(at).all(|earlier| earlier.index != field.index)
        };
        fields.len() <= FIELDS_MAX && fields.iter().enumerate().all(is_new)
    }

    fn keep(&self, execution: Execution) -> Step {
        Step { execution, tokens: self.now.tokens, command: Command::Keep }
    }

    /// Ends from outside: nothing of what came with this call may be used.
    fn interrupt(&self, execution: Execution, event: Event<'_>, end: End) -> Step {
        let in_flight = execution.progress.phase() == Phase::InFlight;
        let answered = match event {
            Event::Response { of, .. } => of.number == execution.attempts,
            Event::Failure { of, kind, .. } => of.number == execution.attempts && kind != FailureKind::Ambiguous,
            Event::Wake => false,
        };
        let execution = if in_flight && !answered { execution.remember_maybe_applied() } else { execution };
        let ended = self.ended(end, Bound::None);
        let hand_over = if in_flight { HandOver::Abort } else { HandOver::LastStatus(execution.last_status) };
        self.finish(execution, Ending { hand_over: Some(hand_over), ..ended })
    }

    /// The result of the attempt in flight.
    fn resolve(&self, execution: Execution, event: Event<'_>, of: Attempt) -> Step {
        let Some(disposition) = Disposition::of_event(self.policy.rules(), &event, self.now.network) else {
            return self.keep(execution);
        };
        let (status, failure, hint) = self.facts_of(event, disposition);
        let cost = if disposition == Disposition::Offline { of.sends.saturating_sub(1) } else { of.sends.max(1) };
        let mut execution = Execution {
            attempts: execution.attempts.saturating_sub(1).saturating_add(cost),
            last_status: status,
            give_up: if disposition == Disposition::Offline { execution.give_up } else { Mark::default() },
            ..execution
        };
        if failure == Some(FailureKind::Ambiguous) {
            execution = execution.remember_maybe_applied();
        }
        let this = |end, bound| Ending { hand_over: Some(HandOver::This), hint: hint.report, ..self.ended(end, bound) };
        match disposition {
            Disposition::Success => {
                let tokens = self.tokens_with(|budget, tokens| budget.succeeded(tokens, execution.progress.spent()));
                self.finish(execution, Ending { tokens, ..this(End::Success, Bound::None) })
            }
            Disposition::NotRetryable => self.finish(execution, this(End::NotRetryable, Bound::None)),
            Disposition::Offline => {
                let situation = situation(&execution, Class::Transient, failure, hint, of.exhausted);
                match refusal(self.policy.rules(), &situation, self.now) {
                    Some((end, bound)) => self.finish(execution, this(end, bound)),
                    None => self.await_network(execution.with_spent(Cost::Nothing)),
                }
            }
            Disposition::Retryable(class) => {
                let situation = situation(&execution, class, failure, hint, of.exhausted);
                self.decided(execution, &situation)
            }
        }
    }

    fn facts_of(&self, event: Event<'_>, disposition: Disposition) -> (u16, Option<FailureKind>, Hint) {
        match event {
            Event::Response { status, fields, .. } => {
                let hint = match disposition {
                    Disposition::Retryable(_) => Hint::read(&self.policy.rules().hint, status, fields, self.now.wall),
                    _ => Hint::ABSENT,
                };
                (status, None, hint)
            }
            Event::Failure { kind, .. } => (0, Some(kind), Hint::ABSENT),
            Event::Wake => (0, None, Hint::ABSENT),
        }
    }

    fn decided(&self, execution: Execution, situation: &Situation) -> Step {
        let execution = execution.with_spent(Cost::Nothing);
        let drained = self.tokens_with(|budget, tokens| budget.failed(tokens));
        let hint = situation.hint.report;
        match decide(self.policy.rules(), situation, self.now, drained) {
            Decision::Retry { delay, bound, series, cost, tokens } => {
                let until = self.now.mark.after(delay);
                let execution = Execution { not_before: until, series, ..execution };
                let execution = execution.with_spent(cost).with_phase(Phase::Waiting);
                let retry_index = execution.attempts.saturating_sub(1);
                Step { execution, tokens, command: Command::Wait(Wait { until, delay, retry_index, bound, hint }) }
            }
            Decision::Later { end, bound, delay, not_before } => {
                let resume = Resume { delay, not_before, attempts_used: execution.attempts };
                let ending = Ending { resume: Some(resume), ..self.ended(end, bound) };
                self.finish(execution, Ending { hand_over: Some(HandOver::This), hint, tokens: drained, ..ending })
            }
            Decision::Stop { end, bound } => {
                let ending = self.ended(end, bound);
                self.finish(execution, Ending { hand_over: Some(HandOver::This), hint, tokens: drained, ..ending })
            }
        }
    }

    fn wake(&self, execution: Execution) -> Step {
        let now = self.now.mark;
        if now >= execution.deadline {
            return self.finish(execution, self.ended(End::Deadline, Bound::Deadline));
        }
        if now < execution.not_before {
            let until = execution.not_before;
            return self.waiting(execution, until, Bound::None);
        }
        self.launch(execution)
    }

    fn network_wake(&self, execution: Execution) -> Step {
        if self.now.mark >= execution.give_up {
            let resume = Some(self.resume(&execution, self.now.mark.until(execution.not_before)));
            return self.finish(execution, Ending { resume, ..self.ended(End::Offline, Bound::None) });
        }
        if self.now.network == Network::Down {
            let until = execution.give_up;
            return Step { execution, tokens: self.now.tokens, command: Command::AwaitNetwork { until } };
        }
        // One jittered wait, so that all who waited for the same network do not come back as one.
        let draw = self.policy.rules().transient.draw(execution.series, self.now.sample);
        let until = self.now.mark.after(draw.delay).max(execution.not_before);
        let bound = if until == execution.not_before { Bound::Hint } else { Bound::Backoff };
        self.pause(execution, until, bound)
    }

    /// What stands before every send.
    fn launch(&self, execution: Execution) -> Step {
        let now = self.now.mark;
        if now >= execution.deadline {
            return self.finish(execution, self.ended(End::Deadline, Bound::Deadline));
        }
        if let Some(hold) = self.now.hold
            && now < hold
        {
            return self.pause(execution, hold, Bound::Hold);
        }
        let rules = self.policy.rules();
        if self.now.network == Network::Down && rules.offline == Offline::Await {
            return self.await_network(execution);
        }
        let left = match rules.deadline_scope {
            DeadlineScope::Attempts if execution.deadline != Mark::MAX => Some(now.until(execution.deadline)),
            _ => None,
        };
        let timeout = match (rules.attempt_timeout, left) {
            (Some(limit), Some(left)) => Some(limit.min(left)),
            (limit, left) => limit.or(left),
        };
        let attempt = execution.attempts.saturating_add(1);
        let execution = Execution { attempts: attempt, ..execution.with_phase(Phase::InFlight) };
        Step { execution, tokens: self.now.tokens, command: Command::Send { attempt, timeout } }
    }

    /// A wait that no result asked for. It too is deferred above the longest wait, and must fit the deadline.
    fn pause(&self, execution: Execution, until: Mark, bound: Bound) -> Step {
        let delay = self.now.mark.until(until);
        let later = |end, bound| Ending { resume: Some(self.resume(&execution, delay)), ..self.ended(end, bound) };
        if delay > execution.max_wait || delay == Millis::MAX {
            return self.finish(execution, later(End::Deferred, Bound::MaxWait));
        }
        if until >= execution.deadline {
            return self.finish(execution, later(End::Deadline, Bound::Deadline));
        }
        let execution = Execution { not_before: until, ..execution.with_phase(Phase::Waiting) };
        self.waiting(execution, until, bound)
    }

    fn waiting(&self, execution: Execution, until: Mark, bound: Bound) -> Step {
        let delay = self.now.mark.until(until);
        let retry_index = execution.attempts.saturating_sub(1);
        let wait = Wait { until, delay, retry_index, bound, hint: HintReport::Absent };
        Step { execution, tokens: self.now.tokens, command: Command::Wait(wait) }
    }

    fn await_network(&self, execution: Execution) -> Step {
        // Begun once for all rounds until a send counts again, so that a network that comes and goes ends too.
        let until = match execution.give_up.get() {
            0 => self.now.mark.after(execution.max_wait).min(execution.deadline),
            _ => execution.give_up,
        };
        let execution = Execution { give_up: until, ..execution.with_phase(Phase::AwaitingNetwork) };
        Step { execution, tokens: self.now.tokens, command: Command::AwaitNetwork { until } }
    }

    fn resume(&self, execution: &Execution, delay: Millis) -> Resume {
        let not_before = self.now.wall.map(|wall| wall.after(delay));
        Resume { delay, not_before, attempts_used: execution.attempts }
    }

    fn ended(&self, end: End, bound: Bound) -> Ending {
        Ending { end, bound, hint: HintReport::Absent, hand_over: None, resume: None, tokens: self.now.tokens }
    }

    /// Ends the request. A token that was taken for a retry that is not sent goes back.
    fn finish(&self, execution: Execution, ending: Ending) -> Step {
        let unsent = execution.progress.phase() != Phase::InFlight;
        let tokens = match (self.policy.rules().budget, execution.progress.spent()) {
            (Some(budget), cost) if unsent && cost != Cost::Nothing => budget.returned(ending.tokens, cost),
            _ => ending.tokens,
        };
        let outcome = Outcome {
            end: ending.end,
            bound: ending.bound,
            hint: ending.hint,
            attempts: execution.attempts,
            maybe_applied: execution.facts.0 & Facts::MAYBE_APPLIED != 0,
            hand_over: ending.hand_over.unwrap_or(HandOver::LastStatus(execution.last_status)),
            resume: ending.resume,
        };
        let execution = execution.with_spent(Cost::Nothing).with_phase(Phase::Finished);
        Step { execution, tokens, command: Command::Finish(outcome) }
    }

    fn tokens_with(&self, change: impl Fn(&crate::BudgetRules, Tokens) -> Tokens) -> Tokens {
        match &self.policy.rules().budget {
            Some(budget) => change(budget, self.now.tokens),
            None => self.now.tokens,
        }
    }
}

/// An outcome in the making.
struct Ending {
    end: End,
    bound: Bound,
    hint: HintReport,
    hand_over: Option<HandOver>,
    resume: Option<Resume>,
    tokens: Tokens,
}

fn situation(
    execution: &Execution,
    class: Class,
    failure: Option<FailureKind>,
    hint: Hint,
    exhausted: bool,
) -> Situation {
    Situation {
        class,
        failure,
        hint,
        exhausted,
        attempts: execution.attempts,
        max_attempts: execution.max_attempts,
        method: execution.facts.method(),
        key: execution.facts.key(),
        replayable: execution.facts.0 & Facts::REPLAYABLE != 0,
        series: execution.series,
        deadline: execution.deadline,
        max_wait: execution.max_wait,
    }
}

/// Bits 0–3 method, 4–5 key, 6 replayable, 7 maybe applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts(u8);

impl Facts {
    const REPLAYABLE: u8 = 1 << 6;
    const MAYBE_APPLIED: u8 = 1 << 7;

    const fn new(request: &Request) -> Self {
        let replayable = if request.replayable { Self::REPLAYABLE } else { 0 };
        Self(request.method as u8 | (request.key as u8) << 4 | replayable)
    }

    fn method(self) -> Method {
        Method::ALL.get(usize::from(self.0 & 0xf)).copied().unwrap_or(Method::Other)
    }

    const fn key(self) -> IdempotencyKey {
        match self.0 >> 4 & 3 {
            0 => IdempotencyKey::Absent,
            2 => IdempotencyKey::Honoured,
            _ => IdempotencyKey::Sent,
        }
    }

    const fn is_valid(self) -> bool {
        self.0 & 0xf <= Method::Other as u8 && self.0 >> 4 & 3 <= IdempotencyKey::Honoured as u8
    }
}

/// Bits 0–1 phase, 2–3 what the retry under way was charged as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress(u8);

impl Progress {
    const fn new(phase: Phase, spent: Cost) -> Self {
        Self(phase as u8 | (spent as u8) << 2)
    }

    const fn phase(self) -> Phase {
        match self.0 & 3 {
            0 => Phase::InFlight,
            1 => Phase::Waiting,
            2 => Phase::AwaitingNetwork,
            _ => Phase::Finished,
        }
    }

    const fn spent(self) -> Cost {
        match self.0 >> 2 & 3 {
            0 => Cost::Nothing,
            1 => Cost::Retry,
            2 => Cost::Throttled,
            _ => Cost::TimedOut,
        }
    }

    const fn is_valid(self) -> bool {
        self.0 >> 4 == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    InFlight = 0,
    Waiting = 1,
    AwaitingNetwork = 2,
    Finished = 3,
}
