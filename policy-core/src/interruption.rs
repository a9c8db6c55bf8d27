//! What ends a request from outside, whatever happened to it.

use crate::{
    event::{Event, FIELDS_MAX, Field, Now},
    field_list::ROWS,
    outcome::End,
    policy::Policy,
    state::{Execution, Progress},
    time::Mark,
};

/// In the order of the checks; `None` if the event is to be looked at, or the request may begin.
#[inline(always)]
pub(crate) fn interruption(
    execution: &Execution,
    policy: &Policy,
    event: Option<&Event<'_>>,
    now: &Now,
) -> Option<End> {
    Some(match () {
        () if execution.progress == Progress::MALFORMED => End::MalformedExecution,
        () if execution.policy != policy.fingerprint() => End::ForeignExecution,
        () if execution.session != now.session => End::SessionChanged,
        () if now.cancelled => End::Cancelled,
        () if !is_valid(now) || !fields_are_valid(policy, event) => End::InvalidInput,
        () => return None,
    })
}

/// No numbers that no wait can be computed from.
pub(crate) fn is_valid(now: &Now) -> bool {
    now.mark.is_valid() && now.hold.is_none_or(Mark::is_valid)
}

#[inline(always)]
fn fields_are_valid(policy: &Policy, event: Option<&Event<'_>>) -> bool {
    let Some(Event::Response { fields, .. }) = event else { return true };
    match fields {
        [] if cfg!(not(target_family = "wasm")) => true,
        [field] if cfg!(not(target_family = "wasm")) => field.index < policy.fields.count(),
        _ => are_distinct(policy, fields),
    }
}

// Fields of which each is one of the policy's, and none comes twice, are no more than it has.
const _: () = assert!(ROWS <= FIELDS_MAX);

#[cfg_attr(not(target_family = "wasm"), cold, inline(never))]
#[cfg_attr(target_family = "wasm", inline(always))]
fn are_distinct(policy: &Policy, fields: &[Field<'_>]) -> bool {
    let mut seen = 0_u32;
    let is_new = |field: &Field<'_>| {
        let bit = 1_u32.wrapping_shl(field.index.into());
        let is_new = field.index < policy.fields.count() && seen & bit == 0;
        seen |= bit;
        is_new
    };
    fields.iter().all(is_new)
}
