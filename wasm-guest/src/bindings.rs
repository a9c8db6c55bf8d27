//! Written by `cargo xtask generate` from `wit/`; a test compares it.
//!
//! The interface's types, laid out in memory as the canonical ABI says, and its functions.
#![allow(dead_code, reason = "some names exist for readers only")]

use core::mem::offset_of;

use crate::rt::{Fallible, Given, List, Optional, Text};

/// A span of time in milliseconds. Never above 2^53 - 1, so exact as a JavaScript number; larger values saturate there.
pub(crate) type Millis = u64;

/// A reading of the host's wait clock, in milliseconds from an origin that is fixed within one process.
///
/// It keeps counting while the machine sleeps where the platform has such a clock. The host rounds a reading *up* when
/// it reports a response or a failure, and *down* otherwise, so that no rounding makes a send early. Not portable
/// between processes.
pub(crate) type Mark = u64;

/// Wall clock: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
pub(crate) type UnixMillis = u64;

/// Identifies who is signed in. Opaque, compared for equality only.
pub(crate) type Session = u64;

/// A uniform random number; stands for n / (2^32 - 1), so both 0 and 1 occur.
pub(crate) type Sample = u32;

/// Retry tokens, in thousandths.
pub(crate) type Tokens = u32;

/// Why a logical request ended. 0-15 are no faults, 16-63 mean "no further send", 64 and above are misuse.
///
/// 0 success, 1 deferred, 2 cancelled, 3 session changed, 16 not retryable, 17 attempts used, 18 body not replayable,
/// 19 not idempotent, 20 budget empty, 21 deadline, 22 offline, 23 a nested layer gave up, 64 execution of another
/// policy, 65 malformed execution, 66 invalid input (a mark above 2^53 - 1, too many fields, a field twice or unknown).
/// A host treats a number that it does not know as "no further send".
pub(crate) type EndCode = u16;

/// What became of the server's hint: 0 absent, or not looked for since the result is not retried, 1 used, 2 not asked for by the policy; from 16 on, why it was refused:
/// 16 empty, 17 neither digits nor a date, 18 overflow, 19 conflicting, 20 too long, 21 a date but no wall clock,
/// 22 signed, 23 fractional, 24 an obsolete date form that the policy does not accept, 25 no such day or time,
/// 26 wrong weekday, 27 a leap second that is not accepted, 28 a year before 1900.
pub(crate) type HintCode = u16;

/// The bound that fixed the delay or ended the request:
/// 0 none, 1 backoff, 2 hint, 3 max-wait, 4 deadline, 5 attempts, 6 replay gate, 7 budget, 8 hold, 9 the not-before of
/// a resumed request.
pub(crate) type BoundCode = u16;

/// The request method, as the replay gate sees it.
#[repr(u8)]
#[derive(Clone, Copy)]
pub(crate) enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// OPTIONS
    Options,
    /// TRACE
    Trace,
    /// QUERY
    Query,
    /// PUT
    Put,
    /// DELETE
    Delete,
    /// POST
    Post,
    /// PATCH
    Patch,
    /// CONNECT
    Connect,
    /// Anything else; never repeated unless a key is honoured.
    Other,
}

const _: () = assert!(size_of::<Method>() == 1 && align_of::<Method>() == 1);

/// What is known about an idempotency key on this request.
#[repr(u8)]
#[derive(Clone, Copy)]
pub(crate) enum IdempotencyKey {
    /// No key is sent.
    Absent,
    /// A key is sent, but nothing says that this server honours it. Counts as absent.
    Sent,
    /// A key is sent, the same on every attempt, and the server is known to honour it.
    Honoured,
}

const _: () = assert!(size_of::<IdempotencyKey>() == 1 && align_of::<IdempotencyKey>() == 1);

/// What is known about connectivity.
#[repr(u8)]
#[derive(Clone, Copy)]
pub(crate) enum Network {
    /// The host cannot tell. Treated as up.
    Unknown,
    /// A network is there. It proves nothing about the server.
    Up,
    /// There is no network.
    Down,
}

const _: () = assert!(size_of::<Network>() == 1 && align_of::<Network>() == 1);

/// What is known about processing after an attempt brought no response.
#[repr(u8)]
#[derive(Clone, Copy)]
pub(crate) enum FailureKind {
    /// Provably never left the client: the name was not found.
    DnsFailed,
    /// Provably never left the client: refused, unreachable, or the connect timeout.
    ConnectFailed,
    /// Provably never left the client: the TLS handshake broke.
    TlsFailed,
    /// The peer says that it did nothing: REFUSED_STREAM, GOAWAY below this stream.
    Unprocessed,
    /// Anything may have happened: reset or timeout after sending; every browser rejection but our own abort.
    Ambiguous,
    /// Will fail again: malformed URL, certificate refused.
    Permanent,
    /// Not sent because there is no network. Not counted as a send if `network` is `down` too and the policy waits for
    /// the network; else as `connect-failed`.
    Offline,
}

const _: () = assert!(size_of::<FailureKind>() == 1 && align_of::<FailureKind>() == 1);

/// Limits for one request. They can only tighten the policy; a looser value changes nothing.
#[repr(C)]
pub(crate) struct Limits {
    /// All sends, the first included.
    pub(crate) max_attempts: Optional<u32>,
    /// Over all attempts, from `start`.
    pub(crate) deadline: Optional<Millis>,
    /// Longest wait in this process, for example of a service worker; above it the request is deferred.
    pub(crate) max_wait: Optional<Millis>,
}

const _: () = assert!(size_of::<Limits>() == 40 && align_of::<Limits>() == 8);
const _: () = assert!(offset_of!(Limits, max_attempts) == 0);
const _: () = assert!(offset_of!(Limits, deadline) == 8);
const _: () = assert!(offset_of!(Limits, max_wait) == 24);

/// What the policy may know about a logical request. No URL, no body, no header.
#[repr(C)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: Method,
    /// The idempotency key.
    pub(crate) key: IdempotencyKey,
    /// The body can be sent again from its start.
    pub(crate) replayable: bool,
    /// Tighter limits.
    pub(crate) limits: Limits,
    /// Sends made before `start`: by an outer layer, or before the request was saved. 0 for a fresh one.
    pub(crate) attempts_used: u32,
    /// A resumed request is not sent before this mark.
    pub(crate) not_before: Optional<Mark>,
}

const _: () = assert!(size_of::<Request>() == 72 && align_of::<Request>() == 8);
const _: () = assert!(offset_of!(Request, method) == 0);
const _: () = assert!(offset_of!(Request, key) == 1);
const _: () = assert!(offset_of!(Request, replayable) == 2);
const _: () = assert!(offset_of!(Request, limits) == 8);
const _: () = assert!(offset_of!(Request, attempts_used) == 48);
const _: () = assert!(offset_of!(Request, not_before) == 56);

/// Everything that may have changed outside, read right before each call.
///
/// The policy compares all of it on every call, so a host has nothing to re-check after a wait.
#[repr(C)]
pub(crate) struct Now {
    /// The wait clock.
    pub(crate) mark: Mark,
    /// The wall clock, if there is one. Used only to turn an HTTP-date into a wait. The host rounds it down and reads it
    /// before `mark`, so that no pause between the two readings makes a send early.
    pub(crate) wall: Optional<UnixMillis>,
    /// Who is signed in.
    pub(crate) session: Session,
    /// The caller has cancelled. Once true it stays true.
    pub(crate) cancelled: bool,
    /// Connectivity.
    pub(crate) network: Network,
    /// A fresh random number.
    pub(crate) sample: Sample,
    /// The shared retry budget as read; 0 if the policy has none.
    pub(crate) tokens: Tokens,
    /// No send to this origin before this mark, because a sibling request was told so.
    pub(crate) hold: Optional<Mark>,
}

const _: () = assert!(size_of::<Now>() == 64 && align_of::<Now>() == 8);
const _: () = assert!(offset_of!(Now, mark) == 0);
const _: () = assert!(offset_of!(Now, wall) == 8);
const _: () = assert!(offset_of!(Now, session) == 24);
const _: () = assert!(offset_of!(Now, cancelled) == 32);
const _: () = assert!(offset_of!(Now, network) == 33);
const _: () = assert!(offset_of!(Now, sample) == 36);
const _: () = assert!(offset_of!(Now, tokens) == 40);
const _: () = assert!(offset_of!(Now, hold) == 48);

/// One response field that `description.fields` names.
#[repr(C)]
pub(crate) struct Field {
    /// Position in `description.fields`.
    pub(crate) index: u8,
    /// The bytes of all lines of that name, in order, joined with a comma and a space. At most 1,024 bytes: the host
    /// cuts a longer value there, and the policy refuses it as too long.
    pub(crate) value: List<u8>,
}

const _: () = assert!(size_of::<Field>() == 12 && align_of::<Field>() == 4);
const _: () = assert!(offset_of!(Field, index) == 0);
const _: () = assert!(offset_of!(Field, value) == 4);

/// Which attempt ended, and what a nested layer did below it.
#[repr(C)]
pub(crate) struct Attempt {
    /// Echo of `send.attempt`. A result with another number is ignored.
    pub(crate) number: u32,
    /// Sends that it cost: 1, or what a nested layer reports. They all count; 0 counts as 1.
    pub(crate) sends: u32,
    /// A nested layer retried this and gave up: the request ends, nobody above it starts again.
    pub(crate) exhausted: bool,
}

const _: () = assert!(size_of::<Attempt>() == 12 && align_of::<Attempt>() == 4);
const _: () = assert!(offset_of!(Attempt, number) == 0);
const _: () = assert!(offset_of!(Attempt, sends) == 4);
const _: () = assert!(offset_of!(Attempt, exhausted) == 8);

/// The head of a response.
#[repr(C)]
pub(crate) struct Response {
    /// The attempt that it answers.
    pub(crate) of: Attempt,
    /// The status code.
    pub(crate) status: u16,
    /// The named fields that are present and readable; at most 16, each index once.
    pub(crate) fields: List<Field>,
}

const _: () = assert!(size_of::<Response>() == 24 && align_of::<Response>() == 4);
const _: () = assert!(offset_of!(Response, of) == 0);
const _: () = assert!(offset_of!(Response, status) == 12);
const _: () = assert!(offset_of!(Response, fields) == 16);

/// An attempt without a response.
#[repr(C)]
pub(crate) struct Failure {
    /// The attempt that ended.
    pub(crate) of: Attempt,
    /// What is known.
    pub(crate) kind: FailureKind,
    /// The attempt ran into `send.timeout`.
    pub(crate) timed_out: bool,
}

const _: () = assert!(size_of::<Failure>() == 16 && align_of::<Failure>() == 4);
const _: () = assert!(offset_of!(Failure, of) == 0);
const _: () = assert!(offset_of!(Failure, kind) == 12);
const _: () = assert!(offset_of!(Failure, timed_out) == 13);

/// Why the host calls.
#[repr(C, u8)]
pub(crate) enum Event {
    /// A response head arrived.
    Response(Response),
    /// The attempt failed.
    Failure(Failure),
    /// Anything else: a timer (early ones are harmless), a cancel, a session change, the network.
    Wake,
}

const _: () = assert!(size_of::<Event>() == 28 && align_of::<Event>() == 4);

/// The state of one logical request: 64 opaque bytes, little end first. Plain data; may be stored and passed to the
/// same artifact later in the same process. To go on in another process use `outcome.resume` and `start`.
#[repr(C)]
pub(crate) struct Execution {
    /// Bytes 0-7.
    pub(crate) a: u64,
    /// Bytes 8-15.
    pub(crate) b: u64,
    /// Bytes 16-23.
    pub(crate) c: u64,
    /// Bytes 24-31.
    pub(crate) d: u64,
    /// Bytes 32-39.
    pub(crate) e: u64,
    /// Bytes 40-47.
    pub(crate) f: u64,
    /// Bytes 48-55.
    pub(crate) g: u64,
    /// Bytes 56-63.
    pub(crate) h: u64,
}

const _: () = assert!(size_of::<Execution>() == 64 && align_of::<Execution>() == 8);
const _: () = assert!(offset_of!(Execution, a) == 0);
const _: () = assert!(offset_of!(Execution, b) == 8);
const _: () = assert!(offset_of!(Execution, c) == 16);
const _: () = assert!(offset_of!(Execution, d) == 24);
const _: () = assert!(offset_of!(Execution, e) == 32);
const _: () = assert!(offset_of!(Execution, f) == 40);
const _: () = assert!(offset_of!(Execution, g) == 48);
const _: () = assert!(offset_of!(Execution, h) == 56);

/// Make one attempt.
#[repr(C)]
pub(crate) struct Send {
    /// Its number among all sends of the logical request; the first is 1.
    pub(crate) attempt: u32,
    /// Time until the response head must be here; already limited by a deadline that cuts attempts short. Report `ambiguous` and `timed-out`
    /// (or `connect-failed`, if still connecting) when it is over. It does not limit the reading of the body.
    pub(crate) timeout: Optional<Millis>,
}

const _: () = assert!(size_of::<Send>() == 24 && align_of::<Send>() == 8);
const _: () = assert!(offset_of!(Send, attempt) == 0);
const _: () = assert!(offset_of!(Send, timeout) == 8);

/// Wait, then call `handle` with `wake`.
#[repr(C)]
pub(crate) struct Wait {
    /// Not before this mark. The host may wake in pieces of any length.
    pub(crate) until: Mark,
    /// The planned delay from now, for logs.
    pub(crate) delay: Millis,
    /// Which retry this leads to, from 0; 0 too for a wait before the first send.
    pub(crate) retry_index: u32,
    /// The bound that fixed the delay; 0 when an early wake repeats the wait.
    pub(crate) bound: BoundCode,
    /// What became of the hint. From 16 on it could not be read: the local backoff stands in for it, or the lower bound that
    /// it still proves, if `bound` is hint.
    pub(crate) hint: HintCode,
}

const _: () = assert!(size_of::<Wait>() == 24 && align_of::<Wait>() == 8);
const _: () = assert!(offset_of!(Wait, until) == 0);
const _: () = assert!(offset_of!(Wait, delay) == 8);
const _: () = assert!(offset_of!(Wait, retry_index) == 16);
const _: () = assert!(offset_of!(Wait, bound) == 20);
const _: () = assert!(offset_of!(Wait, hint) == 22);

/// What the host does with the result of the last attempt.
#[repr(C, u8)]
pub(crate) enum HandOver {
    /// Give the caller this event's response, its body unread, or this event's failure.
    This,
    /// Abort the attempt in flight, or discard the response that came with this call; give the caller nothing.
    Abort,
    /// The last result was given up when the wait began. Its status, or 0 if it had none or nothing was sent yet.
    LastStatus(u16),
}

const _: () = assert!(size_of::<HandOver>() == 4 && align_of::<HandOver>() == 2);

/// What is needed to go on later.
#[repr(C)]
pub(crate) struct Resume {
    /// The whole wait that was asked for: not capped, not spread. 2^53 - 1 if it is that long or its length is unknown.
    pub(crate) delay: Millis,
    /// The same as a wall-clock moment, if there is a wall clock, or the server named one that there was no clock to measure.
    /// Who turns it into a mark again adds a millisecond, since the wall clock is rounded down.
    pub(crate) not_before: Optional<UnixMillis>,
    /// Pass on as `request.attempts-used`.
    pub(crate) attempts_used: u32,
}

const _: () = assert!(size_of::<Resume>() == 32 && align_of::<Resume>() == 8);
const _: () = assert!(offset_of!(Resume, delay) == 0);
const _: () = assert!(offset_of!(Resume, not_before) == 8);
const _: () = assert!(offset_of!(Resume, attempts_used) == 24);

/// How the logical request ended.
#[repr(C)]
pub(crate) struct Outcome {
    /// Why.
    pub(crate) end: EndCode,
    /// The bound that decided.
    pub(crate) bound: BoundCode,
    /// What became of the hint.
    pub(crate) hint: HintCode,
    /// All sends of the logical request so far.
    pub(crate) attempts: u32,
    /// An attempt ended without an answer, or was aborted, and may have been applied: a 404 after a repeated DELETE can
    /// mean success.
    pub(crate) maybe_applied: bool,
    /// What the caller gets.
    pub(crate) hand_over: HandOver,
    /// Present for deferred, offline, and for a deadline that a wait did not fit.
    pub(crate) resume: Optional<Resume>,
}

const _: () = assert!(size_of::<Outcome>() == 64 && align_of::<Outcome>() == 8);
const _: () = assert!(offset_of!(Outcome, end) == 0);
const _: () = assert!(offset_of!(Outcome, bound) == 2);
const _: () = assert!(offset_of!(Outcome, hint) == 4);
const _: () = assert!(offset_of!(Outcome, attempts) == 8);
const _: () = assert!(offset_of!(Outcome, maybe_applied) == 12);
const _: () = assert!(offset_of!(Outcome, hand_over) == 14);
const _: () = assert!(offset_of!(Outcome, resume) == 24);

/// What the host does now.
#[repr(C, u8)]
pub(crate) enum Command {
    /// Nothing changed: go on with what was commanded last. Discard a response that came with this call.
    Keep,
    /// Make an attempt.
    Send(Send),
    /// Discard the body of the response that came with this call, and wait.
    Wait(Wait),
    /// Wait for the network, at the latest until this mark, then call `handle` with `wake`.
    AwaitNetwork(Mark),
    /// Return.
    Finish(Outcome),
}

const _: () = assert!(size_of::<Command>() == 72 && align_of::<Command>() == 8);

/// The result of one call.
#[repr(C)]
pub(crate) struct Step {
    /// Pass to the next call.
    pub(crate) execution: Execution,
    /// The budget after this call. The host stores it with compare-and-swap against `now.tokens`; if another request was
    /// faster, it discards this step and calls again with the same input and the new tokens.
    pub(crate) tokens: Tokens,
    /// What to do now.
    pub(crate) command: Command,
}

const _: () = assert!(size_of::<Step>() == 144 && align_of::<Step>() == 8);
const _: () = assert!(offset_of!(Step, execution) == 0);
const _: () = assert!(offset_of!(Step, tokens) == 64);
const _: () = assert!(offset_of!(Step, command) == 72);

/// What `parse` understood.
#[repr(C, u8)]
pub(crate) enum RetryAfter {
    /// Seconds, as sent.
    DelaySeconds(u64),
    /// A date, as seconds since 1970. Negative before.
    At(i64),
}

const _: () = assert!(size_of::<RetryAfter>() == 16 && align_of::<RetryAfter>() == 8);

/// Who this artifact is.
#[repr(C)]
pub(crate) struct Description {
    /// Name of the policy.
    pub(crate) name: Text,
    /// Version of the policy, semver.
    pub(crate) version: Text,
    /// The fields that the host hands over, in lower case.
    pub(crate) fields: List<Text>,
    /// Tokens that a new budget begins with; `none` if the policy has no budget.
    pub(crate) budget: Optional<Tokens>,
    /// The compiled policy, byte for byte as in the slot.
    pub(crate) policy: List<u8>,
}

const _: () = assert!(size_of::<Description>() == 40 && align_of::<Description>() == 4);
const _: () = assert!(offset_of!(Description, name) == 0);
const _: () = assert!(offset_of!(Description, version) == 8);
const _: () = assert!(offset_of!(Description, fields) == 16);
const _: () = assert!(offset_of!(Description, budget) == 24);
const _: () = assert!(offset_of!(Description, policy) == 32);

/// What the component does.
pub(crate) trait Guest {
    /// Who this artifact is, and what it wants to be handed.
    fn describe() -> Given<Description>;
    /// Reads a Retry-After value, for people and tests. `now` is for two-digit years.
    fn parse(value: &List<u8>, now: &Optional<UnixMillis>) -> Given<Fallible<RetryAfter, HintCode>>;
    /// Begins, joins (`attempts-used` > 0) or resumes (`not-before` too) a logical request.
    fn start(request: &mut Request, now: &mut Now) -> Given<Step>;
    /// Goes on. A pure function: the same input gives the same step, and calling it twice is safe.
    fn handle(execution: &mut Execution, event: &mut Event, now: &mut Now) -> Given<Step>;
}

#[unsafe(export_name = "refrain:policy/policy@1.0.0#describe")]
unsafe extern "C" fn describe() -> Given<Description> {
    <crate::Component as Guest>::describe()
}

#[unsafe(export_name = "refrain:policy/policy@1.0.0#parse")]
unsafe extern "C" fn parse(value: *const u8, value_len: usize, now_tag: u32, now: UnixMillis) -> Given<Fallible<RetryAfter, HintCode>> {
    let value = List::new(value, value_len);
    let now = if now_tag == 0 { Optional::None } else { Optional::Some(now) };
    <crate::Component as Guest>::parse(&value, &now)
}

#[repr(C)]
struct StartParameters {
    request: Request,
    now: Now,
}

#[unsafe(export_name = "refrain:policy/policy@1.0.0#start")]
unsafe extern "C" fn start(parameters: *mut StartParameters) -> Given<Step> {
    // SAFETY: the host wrote them there, and reads and writes nothing while a function runs.
    let StartParameters { request, now } = unsafe { &mut *parameters };
    <crate::Component as Guest>::start(request, now)
}

#[repr(C)]
struct HandleParameters {
    execution: Execution,
    event: Event,
    now: Now,
}

#[unsafe(export_name = "refrain:policy/policy@1.0.0#handle")]
unsafe extern "C" fn handle(parameters: *mut HandleParameters) -> Given<Step> {
    // SAFETY: the host wrote them there, and reads and writes nothing while a function runs.
    let HandleParameters { execution, event, now } = unsafe { &mut *parameters };
    <crate::Component as Guest>::handle(execution, event, now)
}
