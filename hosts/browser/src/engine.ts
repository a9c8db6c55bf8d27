/**
 * Where decisions come from: one interface, in the words of `wit/policy.wit`, over the artifact's own core module
 * (`pinned`) or over a core that also compiles documents (`dynamic`).
 *
 * All numbers are whole. A span, a mark and a moment are milliseconds, 0 to 2^53 − 1; a session is 0 to 2^53 − 1; all
 * others are 32 bits wide. An engine that is handed a number that is none (negative, a fraction, NaN, too large) ends the
 * request as invalid input, and never takes it for another.
 *
 * @module
 */

/** Something that decides. All calls are pure: the same input gives the same step. */
export interface Engine {
  /** Who the policy is, and what it wants to be handed. */
  readonly description: Description;

  /**
   * Begins, joins (`attemptsUsed` above 0) or resumes (`notBefore` too) a logical request.
   *
   * @param into where the answer is written; it is also what is returned
   * @throws when no decision was made: nothing more may be sent then
   */
  start(request: Request, now: Now, into: StepBuffer): Step;

  /**
   * Goes on from an execution, which may be that of `into`.
   *
   * @param into where the answer is written; it is also what is returned
   * @throws when no decision was made: nothing more may be sent then
   */
  handle(execution: Execution, event: Event, now: Now, into: StepBuffer): Step;
}

/** Reads a Retry-After value under the policy's date rules, for people and tests. */
export interface Parser {
  /**
   * @param value each character is one byte, as `Headers.get` gives them
   * @param wall the wall clock, for two-digit years; `null` for none
   */
  parse(value: string, wall: number | null): RetryAfter;
}

/** What a value says, exactly as sent: seconds, a date in seconds since 1970, or the hint code of its refusal. */
export type RetryAfter =
  { readonly delaySeconds: bigint } | { readonly at: bigint } | { readonly refused: number };

/** Who a policy is. */
export interface Description {
  readonly name: string;
  /** Semver. */
  readonly version: string;
  /** The response fields that the host hands over, in lower case. */
  readonly fields: readonly string[];
  /** Tokens that a new retry budget begins with, in thousandths; `null` if the policy has no budget. */
  readonly budget: number | null;
  /** The compiled policy, byte for byte as in the artifact's slot. */
  readonly policy: Uint8Array;
}

/** What a policy document says to hosts alone: none of it is a retry rule. */
export interface HostSettings {
  /** The request field that carries the idempotency key, in lower case; `null` if keys are not sent. */
  readonly key: {
    readonly name: string;
    /** The key is written as a string of a structured field, in double quotes. */
    readonly quoted: boolean;
  } | null;
  /** Who shares the tokens of the retry budget: all requests, those to one host and port, or those of one key. */
  readonly budget: "policy" | "host" | "key";
  /** A host without a session handle refuses to start. */
  readonly sessionRequired: boolean;
}

/** A policy as `refrain bundle` writes it: its engine is there at once, or once its module was downloaded. */
export interface BundledPolicy<E extends Engine | Promise<Engine> = Engine | Promise<Engine>> {
  /** What its document says to hosts. */
  readonly host: HostSettings;
  /** Makes an engine. */
  readonly engine: () => E;
}

/** One thing that is wrong with a policy document. */
export interface Problem {
  /** An error refuses the document; with a warning, it probably does not do what was meant. */
  readonly severity: "error" | "warning";
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  readonly message: string;
  /** What to do; `null` if nobody can tell. */
  readonly help: string | null;
}

/** What the policy may know about a logical request. No URL, no body, no header. */
export interface Request {
  /** The position in `METHODS`; −1 for any other method, which is never repeated unless a key is honoured. */
  readonly method: number;
  readonly key: typeof KEY_ABSENT | typeof KEY_SENT | typeof KEY_HONOURED;
  /** The body can be sent again from its start. */
  readonly replayable: boolean;
  /** All sends, the first included. Like the other limits, it can only tighten the policy. */
  readonly maxAttempts?: number | null;
  /** Over all attempts, from `start`, in milliseconds. */
  readonly deadline?: number | null;
  /** Longest wait in this process, in milliseconds; above it the request is deferred. */
  readonly maxWait?: number | null;
  /** Sends made before `start`. 0 for a fresh request. */
  readonly attemptsUsed: number;
  /** A resumed request is not sent before this mark. */
  readonly notBefore?: number | null;
}

/** Everything that may have changed outside, read right before each call. */
export interface Now {
  /**
   * The wait clock. Rounded *up* when a response or a failure is reported, and *down* otherwise, so that no rounding makes
   * a send early.
   */
  readonly mark: number;
  /** The wall clock, in milliseconds since 1970, rounded down and read before `mark`; `null` if there is none. */
  readonly wall: number | null;
  /** Who is signed in; compared for equality only. */
  readonly session: number;
  /** The caller has cancelled. Once true it stays true. */
  readonly cancelled: boolean;
  readonly network: typeof NETWORK_UNKNOWN | typeof NETWORK_UP | typeof NETWORK_DOWN;
  /** A fresh, uniform random number of 32 bits. */
  readonly sample: number;
  /** The shared retry budget as read, in thousandths; 0 if the policy has none. */
  readonly tokens: number;
  /** No send to this origin before this mark; `null` for none. */
  readonly hold: number | null;
}

/** Why the host calls. */
export type Event = ResponseEvent | FailureEvent | WakeEvent;

/** Which attempt ended, and what a nested layer did below it. */
export interface Attempt {
  /** Echo of `Send.attempt`. A result with another number is ignored. */
  readonly attempt: number;
  /** Sends that it cost: 1, or what a nested layer reports. */
  readonly sends: number;
  /** A nested layer retried this and gave up. */
  readonly exhausted: boolean;
}

/** A response head arrived. */
export interface ResponseEvent extends Attempt {
  readonly event: typeof RESPONSE;
  readonly status: number;
  /**
   * The value of each field of `Description.fields`, at its position; `null` for one that is absent or unreadable. Lines of
   * one name are joined by a comma and a space, and each character is one byte, as `Headers.get` gives them.
   */
  readonly fields: readonly (string | null)[];
}

/** The attempt failed. */
export interface FailureEvent extends Attempt {
  readonly event: typeof FAILURE;
  /** The position in `FAILURES`. */
  readonly kind: 0 | 1 | 2 | 3 | typeof AMBIGUOUS | typeof PERMANENT | typeof OFFLINE;
  /** The attempt ran into `Send.timeout`. */
  readonly timedOut: boolean;
}

/** Anything else: a timer (early ones are harmless), a cancel, a session change, the network. */
export interface WakeEvent {
  readonly event: typeof WAKE;
}

/**
 * The state of one logical request: 64 opaque bytes, valid within one process and for the policy that made it. Copy it to
 * keep it.
 */
export type Execution = Int32Array;

/** The result of one call, and what to do now. It is the buffer that it was written into: the next call overwrites it. */
export type Step = StepHead & (Keep | Send | Wait | AwaitNetwork | Finish);

/** What every step has. */
export interface StepHead {
  /** Pass to the next call. */
  readonly execution: Execution;
  /** The retry budget after this call, to be stored before anything else can read it. */
  readonly tokens: number;
}

/** Nothing changed: go on with what was commanded last. Discard a response that came with this call. */
export interface Keep {
  readonly command: typeof KEEP;
}

/** Make an attempt. */
export interface Send {
  readonly command: typeof SEND;
  /** Its number among all sends of the logical request; the first is 1. */
  readonly attempt: number;
  /** Milliseconds until the response head must be here; `null` for no limit. It does not limit the reading of the body. */
  readonly timeout: number | null;
}

/** Discard the body of the response that came with this call, wait, then call `handle` with `WAKE`. */
export interface Wait {
  readonly command: typeof WAIT;
  /** Not before this mark. The host may wake in pieces of any length. */
  readonly until: number;
  /** The planned delay from now, for logs. */
  readonly delay: number;
  /** Which retry this leads to, from 0. */
  readonly retryIndex: number;
  /** The bound that fixed the delay, a position in `BOUNDS`; 0 when an early wake repeats the wait. */
  readonly bound: number;
  /** What became of the hint, a key of `HINTS`. */
  readonly hint: number;
}

/** Wait for the network, at the latest until this mark, then call `handle` with `WAKE`. */
export interface AwaitNetwork {
  readonly command: typeof AWAIT_NETWORK;
  /** 2^53 − 1 if nothing limits the wait. */
  readonly until: number;
}

/** Return. */
export interface Finish {
  readonly command: typeof FINISH;
  /** Why, a key of `ENDS`: 0 to 15 are no faults. One that is not known means "no further send" like the others. */
  readonly end: number;
  /** The bound that decided, a position in `BOUNDS`. */
  readonly bound: number;
  /** What became of the hint, a key of `HINTS`. */
  readonly hint: number;
  /** All sends of the logical request so far. */
  readonly attempts: number;
  /** An attempt ended without an answer, or was aborted, and may have been applied. */
  readonly maybeApplied: boolean;
  /** What the caller gets. */
  readonly handOver: typeof THIS | typeof ABORT | typeof LAST_STATUS;
  /** With `LAST_STATUS`: its status, or 0 if it had none or nothing was sent yet. */
  readonly lastStatus: number;
  /** Present for deferred, offline, and for a deadline that a wait did not fit. */
  readonly resume: Resume | null;
}

/** What is needed to go on later. */
export interface Resume {
  /** The whole wait that was asked for, not capped, not spread; 2^53 − 1 if it is that long or unknown. */
  readonly delay: number;
  /** The same as a moment in milliseconds since 1970; `null` if nobody can tell. */
  readonly notBefore: number | null;
  /** Pass on as `Request.attemptsUsed`. */
  readonly attemptsUsed: number;
}

/**
 * Room for the steps of one logical request, so that a decision makes no object. Read what a call returned: what the
 * command of a step does not have is left over here from another.
 */
export type StepBuffer = Mutable<
  StepHead & Pick<Step, "command"> & Members<Send> & Members<Wait> & Members<Finish>
>;

type Members<C> = Omit<C, "command">;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Makes room for the steps of one logical request. */
export function stepBuffer(): StepBuffer {
  return {
    execution: new Int32Array(16),
    tokens: 0,
    command: KEEP,
    attempt: 0,
    timeout: null,
    until: 0,
    delay: 0,
    retryIndex: 0,
    bound: 0,
    hint: 0,
    end: 0,
    attempts: 0,
    maybeApplied: false,
    handOver: THIS,
    lastStatus: 0,
    resume: null,
  };
}

/** No idempotency key is sent. */
export const KEY_ABSENT = 0;
/** A key is sent, but nothing says that this server honours it. */
export const KEY_SENT = 1;
/** A key is sent, the same on every attempt, and the server is known to honour it. */
export const KEY_HONOURED = 2;

/** The host cannot tell whether there is a network. Treated as up. */
export const NETWORK_UNKNOWN = 0;
/** A network is there. It proves nothing about the server. */
export const NETWORK_UP = 1;
/** There is no network. */
export const NETWORK_DOWN = 2;

/** See `ResponseEvent`. */
export const RESPONSE = 0;
/** See `FailureEvent`. */
export const FAILURE = 1;
/** See `WakeEvent`. */
export const WAKE = 2;

/** Anything may have happened: every rejection of a browser's `fetch` but our own abort. */
export const AMBIGUOUS = 4;
/** Will fail again: a malformed URL. */
export const PERMANENT = 5;
/** Not sent because there is no network. */
export const OFFLINE = 6;

/** See `Keep`. */
export const KEEP = 0;
/** See `Send`. */
export const SEND = 1;
/** See `Wait`. */
export const WAIT = 2;
/** See `AwaitNetwork`. */
export const AWAIT_NETWORK = 3;
/** See `Finish`. */
export const FINISH = 4;

/** Give the caller this event's response, its body unread, or this event's failure. */
export const THIS = 0;
/** Abort the attempt in flight, or discard the response that came with this call; give the caller nothing. */
export const ABORT = 1;
/** The last result was given up when the wait began. */
export const LAST_STATUS = 2;
