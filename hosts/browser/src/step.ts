/**
 * What is asked of a policy and what it answers, in the words of `wit/policy.wit`.
 *
 * @module
 */

import { KEEP, THIS } from "./numbers.js";
import type {
  ABORT,
  AMBIGUOUS,
  AWAIT_NETWORK,
  FAILURE,
  FINISH,
  KEY_ABSENT,
  KEY_HONOURED,
  KEY_SENT,
  LAST_STATUS,
  NETWORK_DOWN,
  NETWORK_UNKNOWN,
  NETWORK_UP,
  OFFLINE,
  PERMANENT,
  RESPONSE,
  SEND,
  WAIT,
  WAKE,
} from "./numbers.js";

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
