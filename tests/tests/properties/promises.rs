//! The promises, held against the core by a watcher that keeps its own books.

use std::cell::Cell;

use policy_core::{
    Backoff, Command, Event, FailureKind, Field, IdempotencyKey, Jitter, Mark, Millis, Network, Now, Offline, Rules,
    Sample, Thousandths, Unit, UnixMillis, Unreadable,
};
use proptest::prelude::*;
use refrain::{DirectEngine, Step};

use crate::{
    Draws, policies,
    scripts::{Script, play, script},
};

const POLICIES: u32 = 150;
const SCRIPTS_EACH: u32 = 50;

#[test]
fn nothing_is_sent_early() {
    always("early", |watch, now, step| match step.command {
        Command::Send { .. } => now.mark >= watch.earliest && now.hold.is_none_or(|hold| now.mark >= hold),
        Command::Wait(wait) => wait.until >= watch.hinted,
        _ => true,
    });
}

#[test]
fn nothing_is_sent_beyond_the_agreed_number() {
    always("count", |watch, _, step| match step.command {
        Command::Send { attempt, .. } => {
            attempt == watch.counted.saturating_add(1) && watch.counted < watch.max_attempts
        }
        _ => true,
    });
}

#[test]
fn nothing_is_sent_after_a_cancel_or_a_change_of_session() {
    always("cancel", |watch, now, step| match step.command {
        Command::Send { .. } => !now.cancelled && now.session == watch.first.session,
        Command::Keep => watch.ended || (!now.cancelled && now.session == watch.first.session),
        _ => true,
    });
}

#[test]
fn what_has_ended_stays_ended() {
    always("ended", |watch, _, step| !watch.ended || step.command == Command::Keep);
}

#[test]
fn nothing_is_repeated_that_must_not_be() {
    always("gate", |watch, _, step| match step.command {
        Command::Send { .. } => !watch.shut,
        _ => true,
    });
}

#[test]
fn no_wait_reaches_the_deadline_and_nothing_is_sent_after_it() {
    always("deadline", |watch, now, step| match step.command {
        Command::Send { .. } => now.mark < watch.deadline,
        // An early wake repeats a wait that fitted.
        Command::Wait(wait) => wait.until < watch.deadline,
        _ => true,
    });
}

#[test]
fn tokens_stay_within_the_capacity() {
    always("tokens", |watch, _, step| watch.rules.budget.is_none_or(|budget| step.tokens <= budget.capacity));
}

/// Plays scripts under many policies; `holds` must be true of every call, before the watcher notes what it gave.
fn always(about: &str, holds: impl Fn(&Watch<'_>, &Now, &Step) -> bool) {
    let mut draws = Draws::new(about, SCRIPTS_EACH);
    let (policies, scripts) = (policies::policy(), script());
    let retries = Cell::new(0_u32);
    for _ in 0..POLICIES {
        let policy = draws.draw(&policies);
        let engine = DirectEngine::from_slot(&policies::slot(policy));
        draws.check(&scripts, |script| {
            let mut watch = None;
            play(&engine, script, |now, event, step| {
                let watch = watch.get_or_insert_with(|| Watch::new(policy.rules(), script, now));
                watch.hear(event, now);
                if !holds(watch, now, step) {
                    return Err(format!("{watch:?}\n{now:?}\n{event:?}\n{step:?}"));
                }
                retries.set(retries.get() + u32::from(watch.sends > 0 && matches!(step.command, Command::Send { .. })));
                watch.note(step);
                Ok(())
            })
        });
    }
    assert!(retries.get() > 500, "only {} retries were seen", retries.get());
}

/// What is known about a request by looking at it from outside.
#[derive(Debug)]
struct Watch<'a> {
    rules: Rules,
    script: &'a Script,
    first: Now,
    max_attempts: u32,
    deadline: Mark,
    /// Attempts that count, none in flight.
    counted: u32,
    /// The attempt in flight, or 0.
    in_flight: u32,
    /// Commands to send.
    sends: u32,
    /// The moment that the last hint named.
    hinted: Mark,
    /// No send before.
    earliest: Mark,
    /// It must not be repeated any more.
    shut: bool,
    ended: bool,
}

impl<'a> Watch<'a> {
    fn new(rules: Rules, script: &'a Script, first: &Now) -> Self {
        let limits = script.request.limits;
        let deadline = [rules.deadline, limits.deadline].into_iter().flatten().min();
        Self {
            rules,
            script,
            first: *first,
            max_attempts: limits.max_attempts.unwrap_or(u32::MAX).min(rules.max_attempts),
            deadline: deadline.map_or(Mark::new(u64::MAX), |limit| first.mark.after(limit)),
            counted: script.request.attempts_used,
            in_flight: 0,
            sends: 0,
            hinted: Mark::default(),
            earliest: script.request.not_before.unwrap_or_default(),
            shut: false,
            ended: false,
        }
    }

    /// Takes note of the result of the attempt in flight.
    fn hear(&mut self, event: Option<Event<'_>>, now: &Now) {
        let (Some(Event::Response { of, .. } | Event::Failure { of, .. }), 1..) = (event, self.in_flight) else {
            return;
        };
        if of.number != self.in_flight {
            return;
        }
        self.in_flight = 0;
        let mut sends = of.sends.max(1);
        match event {
            Some(Event::Response { status, fields, .. }) => {
                self.shut |= !self.may_repeat();
                if self.rules.hint.statuses.contains(status) {
                    self.hinted = self.first_hint(fields, now);
                    self.earliest = self.earliest.max(self.hinted);
                }
            }
            Some(Event::Failure { kind: FailureKind::Ambiguous, .. }) => self.shut |= !self.may_repeat(),
            Some(Event::Failure { kind: FailureKind::Offline, .. })
                if now.network == Network::Down && self.rules.offline == Offline::Await =>
            {
                sends = of.sends.saturating_sub(1);
            }
            _ => {}
        }
        self.shut |= !self.script.request.replayable;
        self.counted = self.counted.saturating_add(sends);
    }

    fn may_repeat(&self) -> bool {
        let request = &self.script.request;
        let keyed = request.key == IdempotencyKey::Honoured && self.rules.keyed_methods.contains(request.method);
        keyed || self.rules.methods.contains(request.method)
    }

    /// The moment that the field names which the policy ranks first.
    fn first_hint(&self, fields: &[Field<'_>], now: &Now) -> Mark {
        let ranked = self.rules.hint.fields.iter().zip(0_u8..);
        let mut timing = ranked.filter(|(field, _)| field.unit != Unit::Verdict).filter_map(|(hint, index)| {
            let field = fields.iter().find(|field| field.index == index)?;
            Some(self.moment(hint.unit, field.value, now))
        });
        timing.next().unwrap_or_default()
    }

    /// The moment before which plain digits, or a date by this machine's clock, forbid a send.
    fn moment(&self, unit: Unit, value: &[u8], now: &Now) -> Mark {
        let text = std::str::from_utf8(value).unwrap_or_default();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let digits = text.parse::<u64>();
            return match (unit, digits, now.wall) {
                (_, Err(_), _) if self.rules.hint.unreadable == Unreadable::LowerBound => Mark::MAX,
                (Unit::Seconds, Ok(seconds), _) => now.mark.after(Millis::from_secs(seconds)),
                (Unit::Milliseconds, Ok(ms), _) => now.mark.after(Millis::new(ms)),
                (Unit::EpochSeconds, Ok(second), Some(wall)) if !self.rules.hint.skew_from_date => {
                    now.mark.after(wall.until(UnixMillis::new(second.saturating_mul(1_000))))
                }
                _ => Mark::default(),
            };
        }
        if !matches!(unit, Unit::Seconds | Unit::EpochSeconds) {
            return Mark::default();
        }
        let date = httpdate::parse_http_date(text).ok().filter(|date| httpdate::fmt_http_date(*date) == text);
        let (Some(date), Some(wall), false) = (date, now.wall, self.rules.hint.skew_from_date) else {
            return Mark::default();
        };
        let unix = date.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
        now.mark.after(Millis::new((unix * 1_000).saturating_sub(wall.get())))
    }

    /// Takes note of what was commanded.
    fn note(&mut self, step: &Step) {
        match step.command {
            Command::Send { attempt, .. } => {
                self.in_flight = attempt;
                self.sends += 1;
                self.hinted = Mark::default();
            }
            Command::Wait(wait) => self.earliest = self.earliest.max(wait.until),
            Command::Finish(_) => self.ended = true,
            Command::AwaitNetwork { .. } | Command::Keep => {}
        }
    }
}

#[test]
fn a_drawn_delay_is_the_one_arithmetic_between_the_bounds_of_its_jitter() {
    let factor = || 0..3_000_u32;
    let jitter = prop_oneof![
        Just(Jitter::None),
        Just(Jitter::Full),
        Just(Jitter::Equal),
        Just(Jitter::Decorrelated),
        (factor(), factor())
            .prop_map(|(a, b)| Jitter::Scaled { low: Thousandths::new(a.min(b)), high: Thousandths::new(a.max(b)) })
    ];
    let span = || prop_oneof![Just(u64::MAX), 0..100_000_u64, any::<u64>()].prop_map(Millis::new);
    let sample = prop_oneof![Just(0), Just(u32::MAX), any::<u32>()];
    let input = (0..100_000_u64, 1..4_u32, span(), jitter, span(), prop_oneof![0..80_u64, any::<u64>()], sample);
    Draws::new("jitter", 20_000).check(&input, |&(base, multiplier, cap, jitter, ceiling, series, sample)| {
        let base = Millis::new(base);
        let backoff = Backoff { base, multiplier: Thousandths::new(multiplier * 1_000), cap, jitter, ceiling };
        let (low, high) = bounds(&backoff, multiplier, series);
        let between = low + ((high - low) * u128::from(sample)).div_ceil(u128::from(u32::MAX));
        let expected = between.min(ceiling.get().into());
        let drawn = u128::from(backoff.draw(series, Sample::new(sample)).delay.get());
        if drawn == expected { Ok(()) } else { Err(format!("{drawn} instead of {expected}")) }
    });
}

/// Both ends of what a jitter may draw, with numbers that nothing overflows.
fn bounds(backoff: &Backoff, multiplier: u32, series: u64) -> (u128, u128) {
    let max = u128::from(Millis::MAX.get());
    let (base, cap) = (u128::from(backoff.base.get()), u128::from(backoff.cap.get()));
    let exponent = u32::try_from(series).unwrap_or(u32::MAX);
    let grown =
        if multiplier == 1 { base } else { base.saturating_mul(u128::from(multiplier).saturating_pow(exponent)) };
    let bound = grown.min(cap);
    let scaled = |factor: Thousandths| (bound * u128::from(factor.get())).div_ceil(1_000).min(max);
    match backoff.jitter {
        Jitter::None => (bound, bound),
        Jitter::Full => (0, bound),
        Jitter::Equal => (bound.div_ceil(2), bound),
        Jitter::Scaled { low, high } => (scaled(low), scaled(high)),
        Jitter::Decorrelated => (base.min(cap), cap.min(3 * u128::from(series).max(base)).min(max)),
    }
}
