/**
 * One logical request under way: what the policy commands is done, and what came of it is told. No retry rule is here.
 *
 * @module
 */

import { ATTEMPTS, BLOCK_SIZE, COMMAND, HAND_OVER, LAST, MAYBE_APPLIED, PARTS, get, put } from "./block.js";
import type { Host } from "./fetch.js";
import { ENDS } from "./names.js";
import { GAVE_UP } from "./nesting.js";
import { DEFERRED, FINISH, LAST_STATUS, NOT_RETRYABLE, SEND } from "./numbers.js";
import { RefrainError, delivered, outcomeIn, type Reason } from "./outcome.js";

import { callOf, type Given } from "./call.js";
import { talkOf } from "./talk.js";
import { attempt, type Result } from "./attempt.js";

/** Runs one logical request to its end. */
export async function run(host: Host, input: RequestInfo | URL, given: Given): Promise<Response> {
  const call = callOf(host, input, given);
  const [[shared], , , , signal, begin, budget, above] = call;
  const used = shared.sends;
  const own = host.session?.signal;
  const bytes = (host.blocks.pop() ?? new Uint8Array(BLOCK_SIZE)).fill(0);
  const talk = talkOf(host, bytes, signal, budget, shared);
  const [ask, , , , close, pause, end] = talk;
  let last: Result = [];
  let fault: Reason = "engine-failed";
  try {
    let at = ask(begin);
    while (bytes[COMMAND] !== FINISH) {
      if (bytes[COMMAND] === SEND) last = await attempt(call, talk, bytes, at);
      else at = await pause();
    }
  } catch (error) {
    // The policy cannot be asked, or not be obeyed: nothing more is sent. The block says how often was sent, and no more.
    fault = close();
    last = [, error];
    bytes.fill(0);
    put(bytes, ATTEMPTS, shared.sends);
    bytes[MAYBE_APPLIED] = +(shared.sends > used);
  }
  end();
  // Nobody else runs before it was read here.
  host.blocks.push(bytes);
  const code = get(bytes, PARTS, 2);
  const [response, cause] = last;
  // There is no success without a response.
  const reason = code || response ? ENDS[code] || "unknown" : fault;
  const outcome = outcomeIn(bytes, reason);
  above[GAVE_UP] = code ? code !== NOT_RETRYABLE : !response;
  if (response) {
    delivered.set(response, [outcome, own]);
    if (code !== DEFERRED) return response;
  }
  if (!response && signal?.aborted) throw signal.reason;
  throw new RefrainError(
    outcome,
    response?.status ?? (bytes[HAND_OVER] === LAST_STATUS ? get(bytes, LAST, 2) : 0),
    response,
    cause,
  );
}
