/**
 * One logical request under way: what the policy commands is done, and what came of it is told. No retry rule is here.
 *
 * @module
 */

import { onAbort } from "./abort.js";
import { attempt, type Result } from "./attempt.js";
import { callOf } from "./call.js";
import { AWAIT_NETWORK, FINISH, KEEP, LAST_STATUS, SEND } from "./engine.js";
import type { Host } from "./fetch.js";
import { ENDS } from "./names.js";
import type { FetchInit } from "./options.js";
import { RefrainError, deliver, type Reason } from "./outcome.js";
import { close, talk, type Talk } from "./talk.js";

const SUCCESS = 0;
const DEFERRED = 1;
const CANCELLED = 2;
const NOT_RETRYABLE = 16;

/** Runs one logical request to its end. */
export async function run(host: Host, input: RequestInfo | URL, init: FetchInit): Promise<Response> {
  const own = talk(host, callOf(host, input, init));
  const sources = [own.call.signal, host.session?.signal];
  const unheard = sources.map((source) => source && onAbort(source, own.change));
  try {
    return finish(own, await obey(own));
  } finally {
    for (const unhear of unheard) unhear?.();
  }
}

/** Carries out commands until the last. */
async function obey(talk: Talk): Promise<Result<Response>> {
  const { step } = talk;
  let last: Result<Response>;
  try {
    talk.ask(talk.call.asked);
    while (step.command !== FINISH) last = await (step.command === SEND ? attempt(talk) : pause(talk));
    return last;
  } catch (cause) {
    throw broken(talk, cause);
  }
}

/** Waits until the policy commands something else. */
async function pause(talk: Talk): Promise<undefined> {
  const { step, host } = talk;
  // The step is overwritten by the next one.
  const { command, until } = step;
  const unsubscribe = command === AWAIT_NETWORK ? host.network.subscribe(talk.change) : undefined;
  // Outside an attempt there is nothing to keep doing.
  let isOver = command === KEEP;
  try {
    do {
      if (isOver) throw new RangeError("expected another command than to go on");
      await talk.rest(until);
      talk.before = step.execution.slice();
      talk.ask();
      isOver = talk.at >= until;
    } while (step.command === KEEP || (step.command === command && step.until === until));
  } finally {
    unsubscribe?.();
  }
}

/** Hands over what the policy says. */
function finish({ host, call, step, session }: Talk, last: Result<Response>): Response {
  const { above, signal } = call;
  const { end, bound, hint, attempts, maybeApplied, handOver, lastStatus, resume } = step;
  const response = last?.value;
  const lies = end === SUCCESS && !response;
  const reason: Reason = lies ? "engine-failed" : (ENDS[end as keyof typeof ENDS] ?? "unknown");
  if (above) above.gaveUp = lies || (end !== SUCCESS && end !== NOT_RETRYABLE);
  const outcome = { reason, attempts, maybeApplied, bound, hint, resume };
  if (response) {
    deliver(response, outcome, host.session, session);
    if (end !== DEFERRED) return response;
  }
  if (end === CANCELLED && signal?.aborted) throw signal.reason;
  const status = response?.status ?? (handOver === LAST_STATUS ? lastStatus : 0);
  throw new RefrainError(outcome, status, response, last?.error);
}

/** The policy could not be asked, or not be obeyed: nothing more is sent. */
function broken(talk: Talk, cause: unknown): RefrainError {
  const { attempts, fault: reason, call } = talk;
  close(talk);
  if (call.above) call.above.gaveUp = true;
  const maybeApplied = attempts > call.asked.attemptsUsed;
  return new RefrainError({ reason, attempts, maybeApplied, bound: 0, hint: 0, resume: null }, 0, undefined, cause);
}
