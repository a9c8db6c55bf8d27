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
  TOKENS,
  get,
  getOption,
  getResume,
  put,
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
  const names = engine.description.fields;
  return {
    start(request, now, into) {
      putNow(bytes, NOW_OF_START, now);
      putRequest(bytes, request);
      engine.call("start", bytes);
      return readStep(bytes, into);
    },
    handle(execution, event, now, into) {
      execution.forEach((word, i) => put(bytes, 4 * i, word >>> 0));
      putNow(bytes, NOW_OF_HANDLE, now);
      putEvent(bytes, event);
      const values = event.event === RESPONSE ? event.fields : [];
      const fields: Fields = { get: (name) => values[names.indexOf(name)] };
      engine.call("handle", bytes, fields);
      return readStep(bytes, into);
    },
  };
}

function putRequest(bytes: Uint8Array, request: Request): void {
  // One that has no number becomes the last.
  bytes[0] = Math.min(request.method >>> 0, OTHER_METHOD);
  bytes[1] = request.key;
  bytes[2] = +request.replayable;
  bytes[8] = +(request.maxAttempts != null);
  put(bytes, 12, request.maxAttempts ?? 0);
  putOption(bytes, 16, request.deadline);
  putOption(bytes, 32, request.maxWait);
  put(bytes, 48, request.attemptsUsed);
  putOption(bytes, 56, request.notBefore);
}

function putNow(bytes: Uint8Array, at: number, now: Now): void {
  put(bytes, at, now.mark, 8);
  putOption(bytes, at + 8, now.wall);
  put(bytes, at + 24, now.session, 8);
  bytes[at + 32] = +now.cancelled;
  bytes[at + 33] = now.network;
  put(bytes, at + 36, now.sample);
  put(bytes, at + 40, now.tokens);
  putOption(bytes, at + 48, now.hold);
}

function putEvent(bytes: Uint8Array, event: Event): void {
  bytes[EVENT] = event.event;
  if (event.event === WAKE) return;
  put(bytes, EVENT + 4, event.attempt);
  put(bytes, EVENT + 8, event.sends);
  bytes[EVENT + 12] = +event.exhausted;
  if (event.event === FAILURE) {
    bytes[EVENT + 16] = event.kind;
    bytes[EVENT + 17] = +event.timedOut;
  } else {
    put(bytes, EVENT + 16, event.status, 2);
  }
}

/**
 * Reads the result of a call.
 *
 * @throws RangeError for a command that is not known here
 */
export function readStep(bytes: Uint8Array, into: StepBuffer): Step {
  for (let i = 0; i < 16; i++) into.execution[i] = get(bytes, 4 * i);
  into.tokens = get(bytes, TOKENS);
  into.command = bytes[COMMAND] as Step["command"];
  switch (into.command) {
    case SEND:
      into.attempt = get(bytes, PARTS);
      into.timeout = getOption(bytes, PARTS + 8);
      break;
    case WAIT:
      into.until = get(bytes, PARTS, 8);
      into.delay = get(bytes, PARTS + 8, 8);
      into.retryIndex = get(bytes, PARTS + 16);
      into.bound = get(bytes, PARTS + 20, 2);
      into.hint = get(bytes, PARTS + 22, 2);
      break;
    case AWAIT_NETWORK:
      into.until = get(bytes, PARTS, 8);
      break;
    case FINISH:
      readOutcome(bytes, PARTS, into);
      break;
    case KEEP:
      break;
    default:
      throw new RangeError("expected a command that is known here");
  }
  return into as Step;
}

function readOutcome(bytes: Uint8Array, at: number, into: StepBuffer): void {
  into.end = get(bytes, at, 2);
  into.bound = get(bytes, at + 2, 2);
  into.hint = get(bytes, at + 4, 2);
  into.attempts = get(bytes, at + 8);
  into.maybeApplied = bytes[at + 12]! > 0;
  into.handOver = bytes[at + 14] as Finish["handOver"];
  into.lastStatus = into.handOver === LAST_STATUS ? get(bytes, at + 16, 2) : 0;
  into.resume = getResume(bytes);
}
