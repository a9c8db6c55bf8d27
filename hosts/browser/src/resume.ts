/**
 * Going on later.
 *
 * @module
 */

import type { Resume } from "./engine.js";
import { systemTime, type Time } from "./time.js";

/** What a request needs to go on with: on this page's clock, so it cannot be kept. */
export interface Resumed {
  /** The mark before which it is not sent. */
  readonly notBefore: number;
  /** Sends before. */
  readonly attemptsUsed: number;
}

/**
 * Loads what was left of a request that was deferred, on this page or another. To be called once, when it is loaded:
 * from then on a correction of the system time moves nothing.
 *
 * The wall clock says how much is left, and never more than was asked for, so one that was set back makes no wait
 * longer; without one the whole delay is waited again. Both clocks round down, so a millisecond is added.
 *
 * @param time the clock of the `createFetch` that goes on
 */
export function resumed({ delay, notBefore, attemptsUsed }: Resume, time: Time = systemTime): Resumed {
  const wall = time.wall();
  const left = notBefore === null || wall === null ? delay : Math.min(delay, Math.max(notBefore - wall, -1));
  return { notBefore: Math.min(time.mark(true) + left + 1, Number.MAX_SAFE_INTEGER), attemptsUsed };
}
