/**
 * One logical request under way: what the policy commands is done, and what came of it is told. No retry rule is here.
 *
 * @module
 */

import { onAbort } from "./abort.js";
import { attempt, type Result } from "./attempt.js";
import { COMMAND, HAND_OVER, LAST, PARTS, getU16, getU64 } from "./block.js";
import { talkOf } from "./call.js";
import type { Host } from "./fetch.js";
import {
  AWAIT_NETWORK,
  CANCELLED,
  DEFERRED,
  FINISH,
  KEEP,
  LAST_STATUS,
  NOT_RETRYABLE,
  SEND,
  SUCCESS,
  WAIT,
} from "./numbers.js";
import type { FetchInit } from "./options.js";
import { RefrainError, delivered, outcomeIn } from "./outcome.js";
import { NONE, ask, change, close, rest, woken, type Talk } from "./talk.js";

/** Runs one logical request to its end. */
export async function run(host: Host, input: RequestInfo | URL, init: FetchInit): Promise<Response> {
  const own = talkOf(host, input, init);
  const sources = [own.signal, host.session?.signal];
  const unheard = sources.map((source) => source && onAbort(source, () => change(own)));
  try {
    return finish(own, await obey(own));
  } finally {
    for (const unhear of unheard) unhear?.();
    host.blocks.push(own.block);
  }
}

/** Carries out commands until the last, or until the policy cannot be asked, or not be obeyed: then nothing more is sent. */
async function obey(talk: Talk): Promise<Result<Response>> {
  const { bytes } = talk;
  let last: Result<Response>;
  try {
    ask(talk, talk.put);
    while (bytes[COMMAND] !== FINISH) last = await (bytes[COMMAND] === SEND ? attempt(talk) : pause(talk));
    return last;
  } catch (error) {
    close(talk);
    return { error };
  }
}

/** Waits until the policy commands something else. */
async function pause(talk: Talk): Promise<undefined> {
  const { bytes, block, host } = talk;
  const command = bytes[COMMAND]!;
  const until = getU64(block, PARTS);
  const unsubscribe = command === AWAIT_NETWORK ? host.network.subscribe(() => change(talk)) : undefined;
  // Outside an attempt there is nothing to keep doing, and of a command that is not known here nothing at all is done.
  let isOver = command !== WAIT && command !== AWAIT_NETWORK;
  try {
    do {
      if (isOver) throw new RangeError("expected another command");
      await rest(talk, until);
      talk.before = bytes.slice();
      ask(talk, woken, NONE);
      isOver = talk.at >= until;
    } while (bytes[COMMAND] === KEEP || (bytes[COMMAND] === command && getU64(block, PARTS) === until));
  } finally {
    unsubscribe?.();
  }
}

/** Hands over what the policy says. */
function finish({ host, above, signal, bytes, block, session, fault }: Talk, last: Result<Response>): Response {
  const end = getU16(block, PARTS);
  const response = last?.value;
  // There is no success without a response, unless the policy did not end the request.
  const reason = end === SUCCESS && !response ? fault : undefined;
  const outcome = outcomeIn(block, reason);
  if (above) above.gaveUp = !!reason || (end !== SUCCESS && end !== NOT_RETRYABLE);
  if (response) {
    delivered.set(response, [outcome, host.session, session]);
    if (end !== DEFERRED) return response;
  }
  if (end === CANCELLED && signal?.aborted) throw signal.reason;
  const status = response?.status ?? (bytes[HAND_OVER] === LAST_STATUS ? getU16(block, LAST) : 0);
  throw new RefrainError(outcome, status, response, last?.error);
}
