//! The interface's types into the core's, and back. The only file that names both.
//!
//! What goes through the state machine lies in memory alike in both, which [`alike`](crate::alike) asserts: it is taken
//! for the other where it stands, once what may differ is *settled* there. The tag of an option is as long as the number
//! behind it in the core, and a byte in the interface; and where a list is empty, the host may have written any address.

use core::mem::offset_of;

use policy_core::{
    Command, Event, Execution, Now, Outcome, Policy, Request, Resume, Step, UnixMillis,
    retry_after::{RetryAfter, RetryAfterError},
    slot::{self, SLOT_LEN},
};

use crate::{
    bindings as wit,
    rt::{self, Fallible, Given, List, Optional, Text},
};

pub(crate) fn description(policy: &'static Policy, slot: &'static [u8; SLOT_LEN]) -> Given<wit::Description> {
    let (name, version) = slot::texts(slot);
    rt::give(wit::Description {
        name: Text::of(name),
        version: Text::of(version),
        fields: rt::give_list(fields(policy)),
        budget: policy.budget().map(|budget| budget.capacity.thousandths()).into(),
        policy: List::of(slot::policy_bytes(slot)),
    })
}

/// Where each name stands is the sum of the lengths before it. In a damaged table that may be anywhere: nothing here reads
/// there, and the host checks what it does.
fn fields(policy: &'static Policy) -> impl Iterator<Item = Text> {
    let (names, lens) = policy.field_table();
    let mut next = names.as_ptr();
    lens.map(move |len| {
        let name = Text::new(next, len.into());
        next = next.wrapping_add(len.into());
        name
    })
}

pub(crate) fn parsed(result: Result<RetryAfter, RetryAfterError>) -> Given<Fallible<wit::RetryAfter, wit::HintCode>> {
    rt::give(match result {
        Ok(RetryAfter::DelaySeconds(seconds)) => Fallible::Ok(wit::RetryAfter::DelaySeconds(seconds)),
        Ok(RetryAfter::At(second)) => Fallible::Ok(wit::RetryAfter::At(second)),
        Err(error) => Fallible::Err(error.reason.code()),
    })
}

pub(crate) fn wall(wall: &Optional<wit::UnixMillis>) -> Option<UnixMillis> {
    wall.get().map(UnixMillis::new)
}

pub(crate) fn request(request: &mut wit::Request) -> &Request {
    request.limits.max_attempts.settle();
    request.limits.deadline.settle();
    request.limits.max_wait.settle();
    request.not_before.settle();
    // SAFETY: they lie in memory alike, and what may differ is settled. A span too long does no harm: the policy's own is
    // shorter.
    unsafe { &*(&raw const *request).cast() }
}

#[inline(never)]
pub(crate) fn now(now: &mut wit::Now) -> &Now {
    if let Optional::Some(wall) = &mut now.wall {
        *wall = UnixMillis::new(*wall).get();
    }
    now.wall.settle();
    now.hold.settle();
    // SAFETY: they lie in memory alike, and what may differ is settled.
    unsafe { &*(&raw const *now).cast() }
}

pub(crate) fn execution(execution: &mut wit::Execution) -> &Execution {
    // SAFETY: they lie in memory alike, and all parts are integers.
    let execution: &mut Execution = unsafe { &mut *(&raw mut *execution).cast() };
    execution.check();
    execution
}

pub(crate) fn event<'a>(event: &'a mut wit::Event) -> &'a Event<'a> {
    if let wit::Event::Response(response) = event {
        for field in response.fields.settle() {
            field.value.settle();
        }
    }
    // SAFETY: they lie in memory alike, and what may differ is settled. The lists stay until the call ends.
    unsafe { &*(&raw const *event).cast() }
}

/// Gives what an event, or the start, makes of an execution.
#[inline(never)]
pub(crate) fn step(execution: &Execution, event: Option<&Event<'_>>, policy: &Policy, now: &Now) -> Given<wit::Step> {
    rt::give_as(|place: *mut Step| {
        // SAFETY: the place is for a step, and for what a host reads as one.
        let step = unsafe {
            place.write(Step::new(*execution, now));
            &mut *place
        };
        step.carry_on(event, policy, now);
        if let Command::Finish(Outcome { resume, .. }) = &step.command {
            let tag = u64::from(resume.is_some());
            // SAFETY: as above; what is behind the tag is moved there as it lies, whether it is a resume or none.
            unsafe {
                let at = place.byte_add(RESUME).cast::<u64>();
                at.copy_to(at.add(1), size_of::<Resume>() / size_of::<u64>());
                at.write(tag);
            }
        }
    })
}

/// Where a step that is finished has what is needed to go on later. It is the one part of a step that the core has in
/// another form: an option in an option, of which rustc makes one tag. A host finds a tag of its own before it, eight bytes
/// long with its padding. It stands last, so all before it is alike.
const RESUME: usize = offset_of!(wit::Step, command) + align_of::<wit::Command>() + offset_of!(wit::Outcome, resume);
