/**
 * How a logical request ended.
 *
 * @module
 */

import { ATTEMPTS, MAYBE_APPLIED, PARTS, get, getResume } from "./block.js";
import type { Resume } from "./engine.js";
import { ENDS } from "./names.js";

/**
 * Why a request ended: as the policy says, or, where it could not be asked,
 *
 * - `engine-failed`: the policy's module failed;
 * - `no-entropy`: there was no randomness to be had;
 * - `refused`: the body of the attempt that was due could not be made, so the attempt was not made and does not count;
 * - `unknown`: the policy named an end that this version does not know.
 */
export type Reason =
  | Exclude<(typeof ENDS)[number], "">
  | "engine-failed"
  | "no-entropy"
  | "refused"
  | "unknown";

/** How a logical request ended. */
export interface Outcome {
  readonly reason: Reason;
  /** All sends of the logical request. */
  readonly attempts: number;
  /**
   * An attempt ended without an answer, or was aborted, and may have been applied all the same: a 404 after a repeated
   * DELETE can mean success.
   */
  readonly maybeApplied: boolean;
  /** The bound that decided, a position in `BOUNDS`. */
  readonly bound: number;
  /** What became of the server's hint, a key of `HINTS`. */
  readonly hint: number;
  /** What is needed to go on later, if that is worth it. */
  readonly resume: Resume | null;
}

/**
 * A logical request that ended without a response to hand over, or later than it may wait here. A cancel is none: it
 * rejects with the signal's reason, as `fetch` does.
 *
 * It is a `TypeError`, since that is what a `fetch` that fails rejects with; what `fetch` said is its `cause`.
 */
export class RefrainError extends TypeError implements Outcome {
  declare readonly reason: Reason;
  declare readonly attempts: number;
  declare readonly maybeApplied: boolean;
  declare readonly bound: number;
  declare readonly hint: number;
  declare readonly resume: Resume | null;
  /** The status of the last response, if there was one and it is not withheld; else 0. */
  declare readonly status: number;
  /** With `deferred`: the response that asked to stay away. Its body is unread; read it, or `cancel` it. */
  declare readonly response: Response | undefined;

  constructor(outcome: Outcome, status: number, response?: Response, cause?: unknown) {
    super(`the request ended: ${outcome.reason}; attempts: ${outcome.attempts}`, { cause });
    Object.assign(this, outcome, { name: "RefrainError", status, response });
  }
}

/** How a request ended, by the last answer of the policy. */
export function outcomeIn(bytes: Uint8Array, reason: Reason): Outcome {
  return {
    reason,
    attempts: get(bytes, ATTEMPTS),
    maybeApplied: !!bytes[MAYBE_APPLIED],
    bound: get(bytes, PARTS + 2, 2),
    hint: get(bytes, PARTS + 4, 2),
    resume: getResume(bytes),
  };
}

/** What became of the requests that responses are of, and the signal of the session that had asked. */
export const delivered = new WeakMap<Response, readonly [Outcome, AbortSignal | undefined]>();

/**
 * What became of the logical request that a response is of: its own status says nothing of attempts before it.
 *
 * @returns `undefined` for a response that did not come from here, such as a clone
 */
export function outcomeOf(response: Response): Outcome | undefined {
  return delivered.get(response)?.[0];
}

/**
 * Whether the session that asked for a response is still signed in. Ask after its body was read, right before a screen
 * or a cache is changed.
 *
 * @returns true, too, for a response that was asked for without a session
 * @throws TypeError for a response that did not come from here, such as a clone
 */
export function isCurrent(response: Response): boolean {
  const found = delivered.get(response);
  if (!found) throw new TypeError("expected a response as it came from createFetch, not a copy");
  return !found[1]?.aborted;
}
