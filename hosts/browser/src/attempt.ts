/**
 * One attempt: sent and reported. Whatever ends it, it is over when it has been reported.
 *
 * @module
 */

import type { Sendable } from "./body.js";
import { kindOf } from "./call.js";
import { AMBIGUOUS, FAILURE, FINISH, RESPONSE, THIS, type Attempt } from "./engine.js";
import { NESTING, type Nesting } from "./nesting.js";
import { MAX, type Talk } from "./talk.js";

/** What came of an attempt, or of a part of it. Nothing: its time was over, or the policy gave it up. */
export type Result<T> = { readonly value?: T; readonly error?: unknown } | undefined;

/** Makes the attempt that is commanded and reports it, unless the policy gives it up. */
export async function attempt(talk: Talk): Promise<Result<Response>> {
  const { call, step } = talk;
  const { attempt, timeout } = step;
  const { count, max } = call;
  const limit = talk.at + (timeout ?? MAX);
  const before = count.sends;
  const nesting: Nesting = { count, max, told: call.above?.told };
  talk.attempts = attempt;
  const making = call.body();
  const body = making instanceof Promise ? await within(talk, limit, making) : { value: making };
  if (body && "error" in body) {
    talk.attempts--;
    step.execution.set(talk.before);
    talk.fault = "refused";
    throw body.error;
  }
  const sent = body && talk.goesOn() ? await send(talk, limit, body.value, nesting) : undefined;
  if (!talk.goesOn()) return discard(sent?.value);
  // A layer below that sent nothing counts as a send, so that a faulty one cannot loop for free.
  const sends = Math.max(count.sends - before, 1);
  count.sends = before + sends;
  talk.attempts += sends - 1;
  return report(talk, { attempt, sends, exhausted: !!(nesting.gaveUp || nesting.told) }, sent, body?.value);
}

/** Sends, up to the head. */
async function send(talk: Talk, limit: number, body: Sendable, nesting: Nesting): Promise<Result<Response>> {
  const { fetch, session } = talk.host;
  const { input, init, headers, signal, count } = talk.call;
  // Who else could give it up?
  const abort = limit < MAX || session ? new AbortController() : undefined;
  // The caller's signal goes on to hold for the body, without a listener that somebody would have to remove.
  const either = abort && signal ? AbortSignal.any([signal, abort.signal]) : (abort?.signal ?? signal!);
  const message = {
    ...init,
    headers,
    body: body!,
    signal: either,
    [NESTING]: nesting,
    // Was for this layer, and not for those below.
    key: undefined,
    limits: undefined,
    resume: undefined,
  };
  count.sends++;
  // Also what throws at once is a failure of the attempt.
  const sending = async (): Promise<Response> => fetch(input, message);
  const sent = await within(talk, limit, sending());
  if (!sent) abort?.abort();
  return sent;
}

/** Tells the policy what came of an attempt, and keeps what the caller is to get. */
function report(talk: Talk, of: Attempt, sent: Result<Response>, body: Sendable): Result<Response> {
  const { host, call, step, ask } = talk;
  const { attempt, sends, exhausted } = of;
  const response = sent?.value;
  let isKept = false;
  try {
    if (response) {
      const fields = host.engine.description.fields.map((name) => response.headers.get(name));
      ask({ event: RESPONSE, attempt, sends, exhausted, status: response.status, fields });
    } else {
      const kind = sent ? kindOf(call, body) : AMBIGUOUS;
      ask({ event: FAILURE, attempt, sends, exhausted, kind, timedOut: !sent });
    }
    isKept = step.command === FINISH && step.handOver === THIS;
  } finally {
    if (!isKept) discard(response);
  }
  return isKept ? (sent ?? { error: new DOMException("no response in time", "TimeoutError") }) : undefined;
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
  do await talk.rest(limit);
  while (talk.goesOn() && !result && talk.now() < limit);
  isOver = true;
  return result;
}

/** Lets go of the connection of a response. */
export function discard(response: unknown): undefined {
  (response as Response | undefined)?.body?.cancel?.().catch(() => {});
}
