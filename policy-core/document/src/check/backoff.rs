//! Backoffs that do not grow, do not wait, or bring all clients back together.

use policy_core::{Backoff, Jitter, Millis, Rules, Sample, Thousandths};

use super::{clash, side, warn};
use crate::{
    draft::{Draft, backoff::Class, limits::Limits},
    duration::written,
    problem::{Problem, Severity},
    table::At,
};

/// After so many draws every series has reached its cap, or the longest span: the slowest grows by a tenth.
const MANY: u64 = 1_000;

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let (transient, throttled) = (&draft.backoff.transient, &draft.backoff.throttled);
    let has_throttled = !draft.retry.throttled.value.set.is_empty();
    let mut problems = Vec::new();
    for class in [transient, throttled] {
        let errors = contradictions(class);
        problems.extend(if errors.is_empty() { doubts(class) } else { errors });
    }
    problems.extend(limited(has_throttled.then_some(throttled).into_iter().chain([transient]), &draft.limits));
    problems.extend(mixed(transient, throttled));
    problems.extend(unused(transient, throttled).filter(|_| !has_throttled));
    problems
}

fn contradictions(class: &Class) -> Vec<Problem> {
    [cap_below_base(class), jitter_reversed(class), ceiling_below_draws(class)].into_iter().flatten().collect()
}

fn cap_below_base(class: &Class) -> Option<Problem> {
    let (base, cap) = (class.base.value, class.cap.value?);
    (cap < base).then(|| {
        let labels = [format!("a cap of {}", written(cap)), format!("a base of {}", written(base))];
        let [cap, base] = labels;
        clash(
            "the cap is below the base, so that the backoff never grows",
            side(&class.cap, cap),
            side(&class.base, base),
        )
    })
}

fn jitter_reversed(class: &Class) -> Option<Problem> {
    let Jitter::Scaled { low, high } = class.jitter.value else { return None };
    let place = class.jitter.place.clone().filter(|_| low > high)?;
    Some(Problem::error(place, "expected `low` no greater than `high`").help("exchange the two"))
}

fn ceiling_below_draws(class: &Class) -> Option<Problem> {
    let ceiling = class.ceiling.value?;
    let longest = first(&uncut(class), Sample::ONE);
    (ceiling < longest).then(|| {
        let labels =
            [format!("a ceiling of {}", written(ceiling)), format!("a first wait of up to {}", written(longest))];
        let [ceiling, base] = labels;
        let message = "the ceiling cuts even the first wait, so that clients come back together";
        clash(message, side(&class.ceiling, ceiling), side(&class.base, base))
    })
}

fn doubts(class: &Class) -> Vec<Problem> {
    if let Some(problem) = no_wait(class) {
        return problem.into();
    }
    [together(class), idle_cap(class), idle_multiplier(class), ceiling(class)].into_iter().flatten().collect()
}

fn no_wait(class: &Class) -> Option<Problem> {
    if first(&uncut(class), Sample::ONE) > Millis::ZERO {
        return None;
    }
    let message = "this backoff is always 0: retries follow at once";
    warn(&class.base, message)
        .or_else(|| warn(&class.jitter, message))
        .or_else(|| warn(&class.cap, message))
        .or_else(|| warn(&class.ceiling, message))
}

fn together(class: &Class) -> Option<Problem> {
    let backoff = uncut(class);
    let message = "all clients wait the same time, so that those who failed together come back together";
    (late(&backoff, Sample::ZERO) == late(&backoff, Sample::ONE)).then(|| warn(&class.jitter, message)).flatten()
}

fn idle_cap(class: &Class) -> Option<Problem> {
    let grows = class.multiplier.value != Thousandths::ONE || class.jitter.value == Jitter::Decorrelated;
    let message = "the cap is never reached: with a multiplier of 1 the backoff does not grow";
    (!grows && class.cap.value >= Some(class.base.value)).then(|| warn(&class.cap, message)).flatten()
}

fn idle_multiplier(class: &Class) -> Option<Problem> {
    let other = class.multiplier.value != Rules::DEFAULT.transient.multiplier;
    let message = "a decorrelated jitter grows by itself and takes no multiplier";
    (class.jitter.value == Jitter::Decorrelated && other).then(|| warn(&class.multiplier, message)).flatten()
}

fn ceiling(class: &Class) -> Option<Problem> {
    let ceiling = class.ceiling.value?;
    let (backoff, half) = (uncut(class), Sample::new(u32::MAX / 2));
    match () {
        () if late(&backoff, Sample::ONE) <= ceiling => warn(&class.ceiling, "the ceiling is never reached"),
        () if late(&backoff, half) >= ceiling => {
            let message = "most later waits are cut to the ceiling, so that clients come back together";
            warn(&class.ceiling, message)
                .map(|problem| problem.help("limit the bound with `cap`, which comes before jitter"))
        }
        () => None,
    }
}

/// Limits that the first wait of a class does not keep, each once.
fn limited<'a>(classes: impl Iterator<Item = &'a Class>, limits: &Limits) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for problem in classes.filter_map(|class| never_waited(class, limits).or_else(|| often_cut(class, limits))) {
        if problems.iter().all(|other| other.place != problem.place) {
            problems.push(problem);
        }
    }
    problems
}

/// Limits that not even the shortest first wait keeps.
fn never_waited(class: &Class, limits: &Limits) -> Option<Problem> {
    let wait = first(&class.backoff(), Sample::ZERO);
    let shown = format!("even the shortest first wait, {},", written(wait));
    beyond(class, limits, wait, "at least", |is_deadline| {
        let effect = match is_deadline {
            true => "reaches the deadline: nothing is retried",
            false => "is above the longest: every retry without a hint is deferred",
        };
        format!("{shown} {effect}")
    })
}

/// Limits that the longest first wait does not keep.
fn often_cut(class: &Class, limits: &Limits) -> Option<Problem> {
    let wait = first(&class.backoff(), Sample::ONE);
    let shown = format!("a first wait may be up to {}, which", written(wait));
    beyond(class, limits, wait, "up to", |is_deadline| {
        let effect = match is_deadline {
            true => "reaches the deadline: such a retry is not made",
            false => "is above the longest: such a retry is deferred",
        };
        format!("{shown} {effect}")
    })
}

/// A first wait of this length beside the limit that it passes; `message` is told whether that is the deadline.
fn beyond(
    class: &Class,
    limits: &Limits,
    wait: Millis,
    bound: &str,
    message: impl Fn(bool) -> String,
) -> Option<Problem> {
    let (at, limit, is_deadline) = match (limits.deadline.value, limits.max_wait.value) {
        (Some(Millis::ZERO), _) => return None,
        (Some(deadline), _) if wait >= deadline => (&limits.deadline, deadline, true),
        (_, Some(most)) if wait > most => (&limits.max_wait, most, false),
        _ => return None,
    };
    let label = format!("a first wait of {bound} {}", written(wait));
    let cause = class.base.place.clone().or_else(|| class.jitter.place.clone());
    let problem = clash(message(is_deadline), side(at, format!("a limit of {}", written(limit))), (cause, label));
    Some(Problem { severity: Severity::Warning, ..problem })
}

fn mixed(transient: &Class, throttled: &Class) -> Option<Problem> {
    let is_decorrelated = |class: &Class| class.jitter.value == Jitter::Decorrelated;
    (is_decorrelated(transient) != is_decorrelated(throttled)).then(|| {
        let label = |class: &Class| if is_decorrelated(class) { "a decorrelated jitter" } else { "another jitter" };
        let message = "either all classes have a decorrelated jitter or none: they share one series";
        clash(message, side(&transient.jitter, label(transient)), side(&throttled.jitter, label(throttled)))
    })
}

/// A setting of throttled results alone that differs from that of transient ones.
fn unused(transient: &Class, throttled: &Class) -> impl Iterator<Item = Problem> {
    fn own<T: PartialEq>(transient: &At<T>, throttled: &At<T>) -> Option<Problem> {
        let differs = throttled.place != transient.place && throttled.value != transient.value;
        differs.then(|| warn(throttled, "no status is throttled, so this has no effect")).flatten()
    }
    [
        own(&transient.base, &throttled.base),
        own(&transient.multiplier, &throttled.multiplier),
        own(&transient.cap, &throttled.cap),
        own(&transient.ceiling, &throttled.ceiling),
        own(&transient.jitter, &throttled.jitter),
    ]
    .into_iter()
    .flatten()
}

/// The backoff without its ceiling.
fn uncut(class: &Class) -> Backoff {
    Backoff { ceiling: Millis::MAX, ..class.backoff() }
}

/// The first wait.
fn first(backoff: &Backoff, sample: Sample) -> Millis {
    backoff.draw(0, sample).delay
}

/// A wait after many others.
fn late(backoff: &Backoff, sample: Sample) -> Millis {
    (0..MANY)
        .fold((0, Millis::ZERO), |(series, _), _| {
            let draw = backoff.draw(series, sample);
            (draw.series, draw.delay)
        })
        .1
}
