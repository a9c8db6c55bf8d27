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
  BLOCK_SIZE,
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
import type { Call } from "./call.js";
import type { Fields } from "./engine.js";
import type { Host } from "./fetch.js";
import { NETWORK_DOWN, NETWORK_UNKNOWN, NETWORK_UP, WAIT, WAKE } from "./numbers.js";
import type { Reason } from "./outcome.js";

/** A talk with the policy. */
export interface Talk {
  readonly host: Host;
  readonly call: Call;
  /** What the policy is asked, and what it answered last. */
  readonly bytes: Uint8Array;
  /** The same. */
  readonly block: DataView;
  /** The session that the request was made in. */
  readonly session: number | undefined;
  /** The clock as last told to the policy. */
  at: number;
  /** The block from which the last send was commanded. */
  before: Uint8Array;
  /** Why the request ends if what is being done throws. */
  fault: Reason;
  /**
   * Asks the policy, with everything as it is at this moment.
   *
   * @param what puts why; that something may have changed, if it is left out
   * @param headers those of a response, or none; left out, the request begins
   * @param isReport whether an attempt has ended
   */
  ask(what: (block: DataView) => void, headers?: Fields, isReport?: boolean): void;
  /** Tells the policy if something has changed, and says whether the attempt that it commanded last goes on. */
  goesOn(): boolean;
  /** Ends when something has changed, at the mark, or early. */
  rest(until: number): Promise<void>;
  /** Something outside has changed. */
  change(): void;
  /** Ends a rest without a change. */
  stir(): void;
}

/** No response, no fields. */
export const NONE: Fields = { get: () => null };

/** Puts that something may have changed. */
export function woken(block: DataView): void {
  block.setUint8(EVENT, WAKE);
}

/** Begins to talk. */
export function talk(host: Host, call: Call): Talk {
  const block = host.blocks.pop() ?? new DataView(new ArrayBuffer(BLOCK_SIZE));
  const bytes = new Uint8Array(block.buffer).fill(0);
  const session = host.session?.current;
  let hasChanged = false;
  let wake = (): void => {};
  const self: Talk = {
    host,
    call,
    bytes,
    block,
    session,
    at: 0,
    before: bytes,
    fault: "engine-failed",
    ask(what, headers, isReport) {
      hasChanged = false;
      const isCancelled = !!call.signal?.aborted;
      self.fault = "no-entropy";
      // The policy ends a cancelled request, and one of an older session, before it draws: a lack of randomness must
      // not turn a cancel into a failure.
      const sample = isCancelled || host.session?.current !== session ? 0 : host.entropy();
      self.fault = "engine-failed";
      decide(self, isCancelled, sample, what, headers, isReport);
    },
    goesOn() {
      if (hasChanged) self.ask(woken, NONE);
      return bytes[COMMAND]! < WAIT;
    },
    rest: (until) =>
      new Promise((resolve) => {
        if (hasChanged) return resolve();
        const stop = until < Infinity ? host.time.sleep(until, resolve) : undefined;
        wake = () => {
          stop?.();
          resolve();
        };
      }),
    change() {
      hasChanged = true;
      wake();
    },
    stir: () => wake(),
  };
  return self;
}

/**
 * Ends a request that the policy did not end, so that the token of a retry that is not sent goes back. Then the block
 * says no more than how often was sent, and `fault` why it ended.
 */
export function close(talk: Talk): void {
  const { block, bytes, call } = talk;
  try {
    // The policy ends a cancelled request before it draws.
    decide(talk, true, 0, woken, NONE);
  } catch {
    // There is nobody else to ask: the token is lost.
  }
  bytes.fill(0);
  put(block, ATTEMPTS, call.count.sends);
  block.setUint8(MAYBE_APPLIED, +(call.count.sends > call.used));
}

function decide(
  talk: Talk,
  isCancelled: boolean,
  sample: number,
  what: (block: DataView) => void,
  headers?: Fields,
  isReport = false,
): void {
  const { bytes, block, call, host } = talk;
  const { engine, time, session, budgets } = host;
  const { online } = host.network;
  const full = engine.description.budget ?? 0;
  const now = headers ? NOW_OF_HANDLE : NOW_OF_START;
  begin();
  what(block);
  // Read before the mark: a pause between the two makes a wait longer, not shorter.
  putOption(block, now + 8, time.wall());
  put(block, now + 24, session?.current ?? 0, 8);
  block.setUint8(now + 32, +isCancelled);
  block.setUint8(now + 33, online ? NETWORK_UP : online === false ? NETWORK_DOWN : NETWORK_UNKNOWN);
  put(block, now + 36, sample);
  put(block, now + 40, budgets.get(budgets.size ? call.budget() : "") ?? full);
  putMark(block, now, (talk.at = time.mark(isReport)));
  engine.call(headers ? "handle" : "start", bytes, headers);
  const tokens = getU32(block, 64);
  // A full one says nothing, so that those of many servers do not add up.
  if (tokens < full) budgets.set(call.budget(), tokens);
  else if (budgets.size) budgets.delete(call.budget());
}
