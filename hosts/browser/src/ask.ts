/**
 * Asks the policy about one logical request.
 *
 * All that may have changed outside is read for each call into the engine, so an early or a needless one is harmless, and
 * nothing has to be checked again after a wait.
 *
 * @module
 */

import { COMMAND, DELAY, EVENT, HINT, LAST_HINT, NOW_OF_HANDLE, NOW_OF_START, RESUME, RESUME_DELAY, TOKENS } from "./block.js";
import { get, put, putOption } from "./block.js";
import type { Fields } from "./engine.js";
import type { Host } from "./fetch.js";
import type { Layer } from "./nesting.js";
import { CONFLICTING, NO_WALL_CLOCK, OVERFLOW, USED } from "./numbers.js";
import { FINISH, NETWORK_DOWN, NETWORK_UNKNOWN, WAIT, WAKE } from "./numbers.js";
import type { Reason } from "./outcome.js";

/**
 * Asks the policy, with everything as it is at this moment. The first time, the request begins.
 *
 * @param tell puts why; without it, that something may have changed
 * @param ended the response of an attempt that is reported, or nothing of it if there is none
 * @param isCancelled whether the request is over; without it, whether the caller's signal says so
 * @returns the mark that the policy was told
 */
export type Ask = (
  tell?: (bytes: Uint8Array) => void,
  ended?: { readonly headers?: Fields },
  isCancelled?: boolean,
) => number;

/** The three things to be said to the policy. */
export type Asking = readonly [
  ask: Ask,
  /** Takes back the last command to send, because of an error that is thrown on: what it took for a retry goes back. */
  refuse: (error: unknown) => never,
  /** Ends a request that the policy did not end, so that the token of a retry that is not sent goes back. Says why. */
  close: () => Reason,
];

/**
 * Begins to ask.
 *
 * @param bytes a block of zeros: what the policy is asked, and what it answered last
 * @param budget who shares its retry budget. Read when it is asked for: to read a URL takes longer than a decision
 * @param shared what layers of the request share
 */
export function asking(
  { engine, time, session, budgets, network, entropy }: Host,
  bytes: Uint8Array,
  signal: AbortSignal | null | undefined,
  budget: () => string,
  shared: Layer[0],
): Asking {
  const generation = session?.current;
  const full = engine.description.budget ?? 0;
  let now = NOW_OF_START;
  let before = bytes;
  let fault: Reason = "engine-failed";
  const ask: Ask = (tell, ended, isCancelled = !!signal?.aborted) => {
    const at = now;
    now = NOW_OF_HANDLE;
    if (bytes[COMMAND]! >= WAIT) before = bytes.slice();
    const current = session?.current;
    // Read before the mark: a pause between the two makes a wait longer, not shorter.
    const wall = time.wall();
    const mark = time.mark(!!ended);
    put(bytes, at, mark, 8);
    putOption(bytes, at + 8, wall);
    put(bytes, at + 24, current ?? 0, 8);
    bytes[at + 32] = +isCancelled;
    bytes[at + 33] = network.online === false ? NETWORK_DOWN : NETWORK_UNKNOWN;
    fault = "no-entropy";
    // The policy ends a cancelled request, and one of an older session, before it draws: a lack of randomness must not
    // turn a cancel into a failure.
    put(bytes, at + 36, isCancelled || current !== generation ? 0 : entropy());
    fault = "engine-failed";
    put(bytes, at + 40, budgets.get(budgets.size ? budget() : "") ?? full);
    putOption(bytes, at + 48, shared.held);
    bytes[EVENT] = WAKE;
    tell?.(bytes);
    // In the first call *now* stands before where it does in all others.
    engine.call(at < now ? "start" : "handle", bytes, ended?.headers);
    const isWait = bytes[COMMAND] === WAIT;
    const hint = isWait ? bytes[HINT] : bytes[COMMAND] === FINISH && bytes[RESUME] && bytes[LAST_HINT];
    if (hint === USED || hint === OVERFLOW || hint === CONFLICTING || hint === NO_WALL_CLOCK) {
      const until = mark + get(bytes, isWait ? DELAY : RESUME_DELAY, 8);
      // A later mark than any that the policy knows would be refused.
      shared.held = Math.max(shared.held, Math.min(until, 2 ** 53 - 1));
    }
    const left = get(bytes, TOKENS);
    // A full one says nothing, so that those of many servers do not add up.
    if (left < full) budgets.set(budget(), left);
    else if (budgets.size) budgets.delete(budget());
    return mark;
  };
  const refuse = (error: unknown): never => {
    bytes.set(before);
    fault = "refused";
    throw error;
  };
  const close = (): Reason => {
    const reason = fault;
    try {
      ask(undefined, undefined, true);
    } catch {
      // There is nobody else to ask: the token is lost.
    }
    return reason;
  };
  return [ask, refuse, close];
}
