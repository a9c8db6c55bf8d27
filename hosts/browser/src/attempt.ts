/**
 * One attempt: sent and reported. Whatever ends it, it is over when it has been reported.
 *
 * @module
 */

import { COMMAND, EVENT, HAND_OVER, PARTS, getOption, getU32, put as putU32 } from "./block.js";
import type { Sendable } from "./body.js";
import { kindOf } from "./call.js";
import { NESTING, type Nesting } from "./nesting.js";
import { AMBIGUOUS, FAILURE, FINISH, RESPONSE, THIS } from "./numbers.js";
import { NONE, ask, goesOn, rest, type Talk } from "./talk.js";

/** What came of an attempt, or of a part of it. Nothing: its time was over, or the policy gave it up. */
export type Result<T> = { readonly value?: T; readonly error?: unknown } | undefined;

/** Makes the attempt that is commanded and reports it, unless the policy gives it up. */
export async function attempt(talk: Talk): Promise<Result<Response>> {
  const { bytes, block, count, max, above } = talk;
  const number = getU32(block, PARTS);
  const limit = talk.at + (getOption(block, PARTS + 8) ?? Infinity);
  const before = count.sends;
  const nesting: Nesting = { count, max, told: above?.told };
  const making = talk.body();
  const body = making instanceof Promise ? await within(talk, limit, making) : { value: making };
  if (body && "error" in body) {
    talk.bytes.set(talk.before);
    talk.fault = "refused";
    throw body.error;
  }
  const sent = body && goesOn(talk) ? await send(talk, limit, body.value, nesting) : undefined;
  const response = sent?.value;
  // A layer below that sent nothing counts as a send, so that a faulty one cannot loop for free.
  const sends = Math.max(count.sends - before, 1);
  let isKept = false;
  try {
    if (!goesOn(talk)) return undefined;
    count.sends = before + sends;
    ask(talk, put, response?.headers ?? NONE, true);
    isKept = bytes[COMMAND] === FINISH && bytes[HAND_OVER] === THIS;
  } finally {
    if (!isKept) discard(response);
  }
  return isKept ? (sent ?? { error: new DOMException("no response in time", "TimeoutError") }) : undefined;

  function put(): void {
    block.setUint8(EVENT, response ? RESPONSE : FAILURE);
    putU32(block, EVENT + 4, number);
    putU32(block, EVENT + 8, sends);
    block.setUint8(EVENT + 12, +!!(nesting.gaveUp || nesting.told));
    // A status, or a kind of failure and whether it is one of time.
    putU32(block, EVENT + 16, response ? statusOf(response) : sent ? kindOf(talk, body!.value) : AMBIGUOUS + 256);
  }
}

/** A status, or no number: of a larger one the policy would see the low 16 bits. */
function statusOf({ status }: Response): number {
  return status < 2 ** 16 ? status : Number.NaN;
}

/** Sends, up to the head. */
async function send(talk: Talk, limit: number, body: Sendable, nesting: Nesting): Promise<Result<Response>> {
  const { input, init, signal, count } = talk;
  const { fetch, session } = talk.host;
  // Who else could give it up?
  const abort = limit < Infinity || session ? new AbortController() : undefined;
  // The caller's signal goes on to hold for the body, without a listener that somebody would have to remove.
  const either = abort && signal ? AbortSignal.any([signal, abort.signal]) : (abort?.signal ?? signal!);
  // To spread it takes twenty times as long, in Node at least.
  const message = Object.assign({}, init, { body, signal: either, [NESTING]: nesting });
  count.sends++;
  // Also what throws at once is a failure of the attempt.
  const sending = async (): Promise<Response> => fetch(input, message);
  let sent: Result<Response>;
  try {
    sent = await within(talk, limit, sending());
  } finally {
    if (!sent) abort?.abort();
  }
  return sent;
}

/** Runs a part of an attempt until it is over, until `limit`, or until the policy gives it up. */
async function within<T>(talk: Talk, limit: number, part: Promise<T>): Promise<Result<T>> {
  let result: Result<T>;
  let isOver = false;
  const end = (ended: Result<T>): void => {
    // Who does not listen to the signal may answer all the same.
    if (isOver) return discard(ended!.value);
    result = ended;
    talk.stir();
  };
  part.then(
    (value) => end({ value }),
    (error) => end({ error }),
  );
  try {
    do await rest(talk, limit);
    while (goesOn(talk) && !result && talk.host.time.mark(false) < limit);
    return result;
  } catch (error) {
    discard(result?.value);
    throw error;
  } finally {
    isOver = true;
  }
}

/** Lets go of the connection of a response. */
function discard(response: unknown): undefined {
  (response as Response | undefined)?.body?.cancel?.().catch(() => {});
}
