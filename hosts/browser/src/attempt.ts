/**
 * One attempt: sent and reported. Whatever ends it, it is over when it has been reported.
 *
 * @module
 */

import { COMMAND, EVENT, HAND_OVER, PARTS, get, getOption, put } from "./block.js";
import type { Sendable } from "./body.js";
import type { Call } from "./call.js";
import { GAVE_UP, TOLD, type Nesting } from "./nesting.js";
import { AMBIGUOUS, FAILURE, FINISH, RESPONSE, THIS } from "./numbers.js";
import type { Talk } from "./talk.js";

/** What came of an attempt, if that is what the caller gets. */
export type Result = readonly [response?: Response | undefined, error?: unknown];

/**
 * Makes the attempt that is commanded and reports it, unless the policy gives it up.
 *
 * @param bytes what the policy answered last
 * @param at the mark that it was told then
 */
export async function attempt(
  [layer, make, send, kind]: Call,
  [ask, refuse, goesOn, within]: Talk,
  bytes: Uint8Array,
  at: number,
): Promise<Result> {
  const [shared] = layer;
  const number = get(bytes, PARTS);
  const limit = at + (getOption(bytes, PARTS + 8) ?? Infinity);
  const before = shared.sends;
  const nesting: Nesting = [...layer, 1];
  const abort = new AbortController();
  let body = make();
  // Whether what was waited for last came to its end in time.
  let isOver = true;
  let sending: Promise<Response> | undefined;
  let response: Response | undefined;
  let error: unknown;
  let result: Result = [];
  try {
    if (body instanceof Promise) {
      isOver = await within(body, limit);
      if (isOver) body = await body.catch(refuse);
    }
    if (isOver && goesOn()) {
      shared.sends++;
      sending = send(body as Sendable, abort.signal, nesting, limit < Infinity);
      isOver = await within(sending, limit);
      try {
        if (isOver) response = await sending;
      } catch (thrown) {
        error = thrown;
      }
    }
    if (goesOn()) {
      ask(report, response ?? {});
      if (bytes[COMMAND] === FINISH && bytes[HAND_OVER] === THIS) {
        result = [response, isOver ? error : new DOMException("no response in time", "TimeoutError")];
      }
    }
  } finally {
    if (!response) abort.abort();
    // Lets go of the connection, also of an answer that comes although nobody waits for it.
    if (!result[0]) sending?.then(({ body }) => body?.cancel()).catch(() => {});
  }
  return result;

  function report(): void {
    bytes[EVENT] = response ? RESPONSE : FAILURE;
    put(bytes, EVENT + 4, number);
    put(bytes, EVENT + 8, shared.sends - before);
    bytes[EVENT + 12] = +!!(nesting[GAVE_UP] || nesting[TOLD]);
    // A status, or a kind of failure and whether it is one of time.
    put(bytes, EVENT + 16, response ? response.status : isOver ? kind(body as Sendable) : AMBIGUOUS + 256, 2);
  }
}
