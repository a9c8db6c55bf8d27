//! What may be sent again and should not, or may not for want of a key.

use policy_core::{KeyForm, Method};

use super::{clash, side, warn};
use crate::{
    draft::{Draft, replay::Replay},
    problem::Problem,
};

pub(super) fn check(draft: &Draft) -> Vec<Problem> {
    let replay = &draft.replay;
    let mut problems: Vec<_> = both(replay).chain(unsafe_repeats(replay)).collect();
    problems.extend(no_field(replay));
    let idle_form = replay.key_field.value.is_none() && replay.key_form.value != KeyForm::Bare;
    problems.extend(idle_form.then(|| warn(&replay.key_form, "no key is sent, so its form has no effect")).flatten());
    problems
}

/// Methods that need a key and need none.
fn both(replay: &Replay) -> impl Iterator<Item = Problem> {
    replay.keyed_methods.0.iter().filter_map(|keyed| {
        let plain = replay.methods.0.iter().find(|plain| plain.value == keyed.value)?;
        let message = format!("{} may be repeated with a key only, or without one: not both", keyed.value.name());
        Some(clash(message, side(keyed, "with a key"), side(plain, "without one")))
    })
}

fn unsafe_repeats(replay: &Replay) -> impl Iterator<Item = Problem> {
    let writes = |method: Method| matches!(method, Method::Post | Method::Patch | Method::Connect);
    let keyed = replay.keyed_methods.set();
    let is_unsafe = move |method: Method| writes(method) && !keyed.contains(method);
    replay.methods.0.iter().filter(move |method| is_unsafe(method.value)).filter_map(|method| {
        let message = format!("a repeated {} may be applied twice (RFC 9110 §9.2.2)", method.value.name());
        warn(method, message).map(|problem| problem.help("list it in `keyed_methods` if the server honours a key"))
    })
}

fn no_field(replay: &Replay) -> Option<Problem> {
    let method = replay.keyed_methods.0.first().filter(|_| replay.key_field.value.is_none())?;
    let message = format!("{} needs a key, but there is no field that carries one", method.value.name());
    Some(clash(message, side(method, "repeated with a key"), side(&replay.key_field, "no field")))
}
