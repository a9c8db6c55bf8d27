/**
 * The numbers of the interface that a host names.
 *
 * @module
 */

/** The last method of those that have no body; GET is the other. */
export const HEAD = 1;
/** A method without a number of its own. */
export const OTHER_METHOD = 10;

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

/** The hint is in the wait. */
export const USED = 1;
/** The hint is longer than any wait, which is as long as one can be. */
export const OVERFLOW = 18;
/** The longest of several values that disagree is in the wait. */
export const CONFLICTING = 19;
/** Nobody can say how long the hint is, so the wait is as long as one can be. */
export const NO_WALL_CLOCK = 21;

/** A response of success. */
export const SUCCESS = 0;
/** Worth retrying, but later than may be waited here. */
export const DEFERRED = 1;
/** The caller has cancelled. */
export const CANCELLED = 2;
/** A result that is never retried. */
export const NOT_RETRYABLE = 16;
