/**
 * An engine in words: for tools, tests, and who makes a driver of their own. `createFetch` needs none of it.
 *
 * @module
 */

import {
  BLOCK_SIZE,
  COMMAND,
  EVENT,
  NOW_OF_HANDLE,
  NOW_OF_START,
  PARTS,
  begin,
  getOption,
  getResume,
  getU16,
  getU32,
  getU64,
  put,
  putMark,
  putOption,
} from "./block.js";
import type { Engine, Fields } from "./engine.js";
import { AWAIT_NETWORK, FAILURE, FINISH, KEEP, LAST_STATUS, OTHER_METHOD, RESPONSE, SEND, WAIT, WAKE } from "./numbers.js";
import type { Event, Execution, Finish, Now, Request, Step, StepBuffer } from "./step.js";

/**
 * Something that decides. All calls are pure: the same input gives the same step.
 *
 * All numbers are whole. A span, a mark and a moment are milliseconds, 0 to 2^53 − 1; a session is 0 to 2^53 − 1; all
 * others are 32 bits wide. A number that is none (negative, a fraction, NaN, too large) ends the request as invalid input,
 * and is never taken for another.
 */
export interface Decider {
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

/** The same engine, asked in words. */
export function decider(engine: Engine): Decider {
  const bytes = new Uint8Array(BLOCK_SIZE);
  const block = new DataView(bytes.buffer);
  const names = engine.description.fields;
  return {
    start(request, now, into) {
      begin();
      putRequest(block, request);
      putNow(block, NOW_OF_START, now);
      engine.call("start", bytes);
      return readStep(block, into);
    },
    handle(execution, event, now, into) {
      begin();
      execution.forEach((word, i) => block.setInt32(4 * i, word, true));
      putEvent(block, event);
      putNow(block, NOW_OF_HANDLE, now);
      const values = event.event === RESPONSE ? event.fields : [];
      const fields: Fields = { get: (name) => values[names.indexOf(name)] };
      engine.call("handle", bytes, fields);
      return readStep(block, into);
    },
  };
}

function putRequest(block: DataView, request: Request): void {
  // One that has no number becomes the last.
  block.setUint8(0, Math.min(request.method >>> 0, OTHER_METHOD));
  block.setUint8(1, request.key);
  block.setUint8(2, +request.replayable);
  block.setUint8(8, +(request.maxAttempts != null));
  put(block, 12, request.maxAttempts ?? 0);
  putOption(block, 16, request.deadline);
  putOption(block, 32, request.maxWait);
  put(block, 48, request.attemptsUsed);
  putOption(block, 56, request.notBefore);
}

function putNow(block: DataView, at: number, now: Now): void {
  putOption(block, at + 8, now.wall);
  put(block, at + 24, now.session, 8);
  block.setUint8(at + 32, +now.cancelled);
  block.setUint8(at + 33, now.network);
  put(block, at + 36, now.sample);
  put(block, at + 40, now.tokens);
  putOption(block, at + 48, now.hold);
  putMark(block, at, now.mark);
}

function putEvent(block: DataView, event: Event): void {
  block.setUint8(EVENT, event.event);
  if (event.event === WAKE) return;
  put(block, EVENT + 4, event.attempt);
  put(block, EVENT + 8, event.sends);
  block.setUint8(EVENT + 12, +event.exhausted);
  if (event.event === FAILURE) {
    block.setUint8(EVENT + 16, event.kind);
    block.setUint8(EVENT + 17, +event.timedOut);
  } else {
    put(block, EVENT + 16, event.status < 2 ** 16 ? event.status : Number.NaN);
  }
}

/**
 * Reads the result of a call.
 *
 * @throws RangeError for a command that is not known here
 */
export function readStep(block: DataView, into: StepBuffer): Step {
  for (let i = 0; i < 16; i++) into.execution[i] = block.getInt32(4 * i, true);
  into.tokens = getU32(block, 64);
  into.command = block.getUint8(COMMAND) as Step["command"];
  switch (into.command) {
    case SEND:
      into.attempt = getU32(block, PARTS);
      into.timeout = getOption(block, PARTS + 8);
      break;
    case WAIT:
      into.until = getU64(block, PARTS);
      into.delay = getU64(block, PARTS + 8);
      into.retryIndex = getU32(block, PARTS + 16);
      into.bound = getU16(block, PARTS + 20);
      into.hint = getU16(block, PARTS + 22);
      break;
    case AWAIT_NETWORK:
      into.until = getU64(block, PARTS);
      break;
    case FINISH:
      readOutcome(block, PARTS, into);
      break;
    case KEEP:
      break;
    default:
      throw new RangeError("expected a command that is known here");
  }
  return into as Step;
}

function readOutcome(block: DataView, at: number, into: StepBuffer): void {
  into.end = getU16(block, at);
  into.bound = getU16(block, at + 2);
  into.hint = getU16(block, at + 4);
  into.attempts = getU32(block, at + 8);
  into.maybeApplied = block.getUint8(at + 12) > 0;
  into.handOver = block.getUint8(at + 14) as Finish["handOver"];
  into.lastStatus = into.handOver === LAST_STATUS ? getU16(block, at + 16) : 0;
  into.resume = getResume(block);
}
