/**
 * Talks to the policy about one logical request.
 *
 * All that may have changed outside is read right before each call into the engine, so an early or a needless wake is
 * harmless, and nothing has to be checked again after a wait.
 *
 * @module
 */

import {
  ATTEMPTS,
  COMMAND,
  EVENT,
  MAYBE_APPLIED,
  NOW_OF_HANDLE,
  NOW_OF_START,
  begin,
  getU32,
  put,
  putMark,
  putOption,
} from "./block.js";
import type { Sendable } from "./body.js";
import type { Fields } from "./engine.js";
import type { Host } from "./fetch.js";
import type { Layer, Nesting } from "./nesting.js";
import { NETWORK_DOWN, NETWORK_UNKNOWN, NETWORK_UP, WAIT, WAKE } from "./numbers.js";
import type { Reason } from "./outcome.js";

/** A talk with the policy about one logical request. */
export interface Talk extends Layer {
  readonly host: Host;
  readonly input: RequestInfo | URL;
  /** What goes on to the `fetch` below, the key among its headers. */
  readonly init: RequestInit;
  readonly signal: AbortSignal | null | undefined;
  /** The attempt of a layer above that this is. */
  readonly above: Nesting | undefined;
  /** Sends before this one began. */
  readonly used: number;
  /** Who shares its retry budget. Read when it is asked for: to read a URL takes longer than a decision. */
  readonly budget: () => string;
  /** Gives the body of the next attempt. */
  readonly body: () => Sendable | Promise<Sendable>;
  /** Puts what the policy may know, as the parameters of `start`. */
  readonly put: () => void;
  /** What the policy is asked, and what it answered last. */
  readonly block: DataView;
  /** The same. */
  readonly bytes: Uint8Array;
  /** The session that the request was made in. */
  readonly session: number | undefined;
  /** The clock as last told to the policy. */
  at: number;
  /** The block from which the last send was commanded. */
  before: Uint8Array;
  /** Why the request ends if what is being done throws. */
  fault: Reason;
  /** Something outside has changed of which the policy was not told. */
  hasChanged: boolean;
  /** Ends a rest. */
  stir: () => void;
}

/** No response, no fields. */
export const NONE: Fields = { get: () => null };

/** Something outside has changed. */
export function change(talk: Talk): void {
  talk.hasChanged = true;
  talk.stir();
}

/** Puts that something may have changed. */
export function woken(block: DataView): void {
  block.setUint8(EVENT, WAKE);
}

/**
 * Asks the policy, with everything as it is at this moment.
 *
 * @param what puts why
 * @param headers those of a response, or none; left out, the request begins
 * @param isReport whether an attempt has ended
 * @param isCancelled whether the request is over, whatever the caller's signal says
 */
export function ask(
  talk: Talk,
  what: (block: DataView) => void,
  headers?: Fields,
  isReport = false,
  isCancelled = !!talk.signal?.aborted,
): void {
  const { block, bytes, host } = talk;
  const { engine, time, session, budgets, network, entropy } = host;
  const full = engine.description.budget ?? 0;
  const now = headers ? NOW_OF_HANDLE : NOW_OF_START;
  const current = session?.current;
  const { online } = network;
  talk.hasChanged = false;
  talk.fault = "no-entropy";
  // The policy ends a cancelled request, and one of an older session, before it draws: a lack of randomness must not turn
  // a cancel into a failure.
  const sample = isCancelled || current !== talk.session ? 0 : entropy();
  talk.fault = "engine-failed";
  // Read before the mark: a pause between the two makes a wait longer, not shorter.
  const wall = time.wall();
  const tokens = budgets.get(budgets.size ? talk.budget() : "") ?? full;
  const mark = time.mark(isReport);
  talk.at = mark;
  // Nobody else is asked from here on, who could put numbers in between.
  begin();
  what(block);
  putOption(block, now + 8, wall);
  put(block, now + 24, current ?? 0, 8);
  block.setUint8(now + 32, +isCancelled);
  block.setUint8(now + 33, online ? NETWORK_UP : online === false ? NETWORK_DOWN : NETWORK_UNKNOWN);
  put(block, now + 36, sample);
  put(block, now + 40, tokens);
  putMark(block, now, mark);
  engine.call(headers ? "handle" : "start", bytes, headers);
  const left = getU32(block, 64);
  // A full one says nothing, so that those of many servers do not add up.
  if (left < full) budgets.set(talk.budget(), left);
  else if (budgets.size) budgets.delete(talk.budget());
}

/** Tells the policy if something has changed, and says whether the attempt that it commanded last goes on. */
export function goesOn(talk: Talk): boolean {
  if (talk.hasChanged) ask(talk, woken, NONE);
  return talk.bytes[COMMAND]! < WAIT;
}

/** Ends when something has changed, at the mark, or early. */
export function rest(talk: Talk, until: number): Promise<void> {
  return new Promise((resolve) => {
    if (talk.hasChanged) return resolve();
    const stop = until < Infinity ? talk.host.time.sleep(until, resolve) : undefined;
    talk.stir = () => {
      stop?.();
      resolve();
    };
  });
}

/**
 * Ends a request that the policy did not end, so that the token of a retry that is not sent goes back. Then the block
 * says no more than how often was sent, and `fault` why it ended.
 */
export function close(talk: Talk): void {
  const { block, bytes, count, used, fault } = talk;
  try {
    ask(talk, woken, NONE, false, true);
  } catch {
    // There is nobody else to ask: the token is lost.
  }
  talk.fault = fault;
  bytes.fill(0);
  put(block, ATTEMPTS, count.sends);
  block.setUint8(MAYBE_APPLIED, +(count.sends > used));
}
