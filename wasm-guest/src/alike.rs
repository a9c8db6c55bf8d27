//! Proof that types of the interface and of the core lie in memory alike: else this does not compile.
//!
//! Records of both are `repr(C)`, and variants `repr(C, u8)`, which lays each case out as a record behind the number of
//! the case. So cases with the same parts in the same order need no assertion of their own.

use core::mem::{MaybeUninit, offset_of, transmute};

use policy_core::{
    Attempt, Bound, Command, End, Event, Execution, FailureKind, Field, HandOver, HintReport, IdempotencyKey, Limits,
    Mark, Method, Millis, Network, Now, Outcome, Request, Resume, Sample, Session, Step, Tokens, UnixMillis, Wait,
};

use crate::{
    bindings as wit,
    rt::{List, Optional},
};

/// Asserts that types have the same size and alignment.
macro_rules! same {
    ($($theirs:ty = $ours:ty),+ $(,)?) => {
        $(const _: () = assert!(
            size_of::<$theirs>() == size_of::<$ours>() && align_of::<$theirs>() == align_of::<$ours>()
        );)+
    };
}

/// Asserts that records have their fields at the same places.
macro_rules! fields {
    ($($name:ident { $($field:ident),+ })+) => {
        $($(const _: () = assert!(offset_of!(wit::$name, $field) == offset_of!($name, $field));)+)+
    };
}

/// Asserts that enumerations have the same numbers.
macro_rules! numbers {
    ($($name:ident { $($case:ident),+ })+) => {
        $($(const _: () = assert!(wit::$name::$case as u8 == $name::$case as u8);)+)+
    };
}

same! {
    wit::Mark = Mark,
    wit::UnixMillis = UnixMillis,
    wit::Millis = Millis,
    wit::Session = Session,
    wit::Sample = Sample,
    wit::Tokens = Tokens,
    wit::EndCode = End,
    wit::BoundCode = Bound,
    wit::HintCode = HintReport,
    wit::Method = Method,
    wit::IdempotencyKey = IdempotencyKey,
    wit::Network = Network,
    wit::FailureKind = FailureKind,
    wit::HandOver = HandOver,
    wit::Limits = Limits,
    wit::Request = Request,
    wit::Now = Now,
    wit::Field = Field<'_>,
    wit::Attempt = Attempt,
    wit::Event = Event<'_>,
    wit::Execution = Execution,
    wit::Wait = Wait,
    wit::Resume = Resume,
    Optional<wit::Millis> = Option<Millis>,
    Optional<wit::Mark> = Option<Mark>,
    Optional<wit::UnixMillis> = Option<UnixMillis>,
    Optional<u32> = Option<u32>,
    List<u8> = &[u8],
    List<wit::Field> = &[Field<'_>],
}

fields! {
    Limits { max_attempts, deadline, max_wait }
    Request { method, key, replayable, limits, attempts_used, not_before }
    Now { mark, wall, session, cancelled, network, sample, tokens, hold }
    Field { index, value }
    Attempt { number, sends, exhausted }
    Wait { until, delay, retry_index, bound, hint }
    Resume { delay, not_before, attempts_used }
    Outcome { end, bound, hint, attempts, maybe_applied, hand_over, resume }
    Step { execution, tokens, command }
}

numbers! {
    Method { Get, Head, Options, Trace, Query, Put, Delete, Post, Patch, Connect, Other }
    IdempotencyKey { Absent, Sent, Honoured }
    Network { Unknown, Up, Down }
    FailureKind { DnsFailed, ConnectFailed, TlsFailed, Unprocessed, Ambiguous, Permanent, Offline }
}

/// The number of a variant's case.
const fn case<T>(variant: &T) -> u8 {
    // SAFETY: called for `repr(C, u8)`, which begins with it.
    unsafe { *(&raw const *variant).cast() }
}

const _: () = assert!(case(&wit::Command::Keep) == case(&Command::Keep));
const _: () = assert!(case(&wit::Command::AwaitNetwork(0)) == case(&Command::AwaitNetwork { until: Mark::new(0) }));
const _: () = assert!(case(&wit::Event::Wake) == case(&Event::Wake));
const _: () = assert!(case(&wit::HandOver::Abort) == case(&HandOver::Abort));
const _: () = assert!(case(&wit::HandOver::LastStatus(0)) == case(&HandOver::LastStatus(0)));

/// Asserts that rustc's option of a number is a tag, 0 or 1, of the number's length, and the number.
macro_rules! options {
    ($($some:ident($number:ty) by $get:expr),+ $(,)?) => {
        $(const _: () = {
            // SAFETY: the sizes are the same, and the compiler refuses what is no such option.
            let [none, some] = unsafe { transmute::<[[$number; 2]; 2], [Option<$some>; 2]>([[0, 7], [1, 7]]) };
            assert!(none.is_none() && matches!(some, Some(some) if $get(some) == 7));
        };)+
    };
}

options! {
    u32(u32) by u32::cast_signed,
    Millis(u64) by Millis::get,
    Mark(u64) by Mark::get,
    UnixMillis(u64) by UnixMillis::get,
}

/// Rustc's option of a resume is the resume, and the interface's a tag of eight bytes before it.
const _: () = {
    let resume = Resume { delay: Millis::new(7), not_before: None, attempts_used: 9 };
    // SAFETY: the compiler compares the sizes, and refuses what is no resume.
    let Resume { delay, not_before, attempts_used } = unsafe { transmute::<Option<Resume>, Resume>(Some(resume)) };
    assert!(delay.get() == 7 && not_before.is_none() && attempts_used == 9);
    assert!(size_of::<Optional<wit::Resume>>() == size_of::<u64>() + size_of::<Resume>());
    assert!(align_of::<wit::Resume>() == align_of::<u64>());
};

/// A slice is its address and its length.
const _: () = {
    type Parts = [MaybeUninit<usize>; 2];
    // SAFETY: the sizes are the same, and of these parts only the address is more than a number.
    let [_, len] = unsafe { transmute::<&[u8], Parts>(&[0; 3]) };
    let [_, fields] = unsafe { transmute::<&[Field<'_>], Parts>(&[Field { index: 0, value: &[] }; 5]) };
    assert!(unsafe { len.assume_init() == 3 && fields.assume_init() == 5 });
};
