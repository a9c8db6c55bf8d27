/**
 * The `fetch` with retries.
 *
 * @module
 */

import { browserNetwork } from "./network.js";
import type { FetchInit, FetchOptions } from "./options.js";
import { run } from "./run.js";
import { systemTime } from "./time.js";

/** A `fetch` whose `init` may say more. */
export type Fetch = (input: RequestInfo | URL, init?: FetchInit) => Promise<Response>;

/** The options with what they stand for, and what requests share. */
export type Host = FetchOptions &
  Required<Pick<FetchOptions, "fetch" | "network" | "time" | "entropy">> & {
    /** The tokens of the retry budgets that are not full, by who shares them. */
    readonly budgets: Map<string, number>;
    /** Blocks that no request uses: to make one takes longer than a decision. */
    readonly blocks: Uint8Array[];
  };

/**
 * Makes a `fetch` that retries under one policy. It is called, and answers, as `fetch` does:
 *
 * - it resolves with the last response, whatever its status: a 404, or the 503 of the last attempt that was allowed.
 *   `outcomeOf` says what became of the request, `isCurrent` whether who asked is still signed in;
 * - when the caller aborts, it rejects with the signal's reason; the signal goes on to hold for the body;
 * - else it rejects with a `RefrainError`, which is a `TypeError`: when there is no response, when it belongs to another
 *   session, and when the server asked to stay away longer than a page may wait.
 *
 * ```ts
 * const fetch = createFetch({ engine: await policy.engine(), host: policy.host });
 * const key = idempotencyKey("order-4711");
 * const response = await fetch("/orders", { method: "POST", body: "order=1", key });
 * ```
 *
 * @throws TypeError if the policy requires a session and there is none
 */
export function createFetch(options: FetchOptions): Fetch {
  if (options.host?.sessionRequired && !options.session) {
    throw new TypeError("the policy requires a `session`");
  }
  const host: Host = {
    fetch: (input, init) => fetch(input, init),
    network: browserNetwork,
    time: systemTime,
    entropy: drawing(),
    ...options,
    budgets: new Map(),
    blocks: [],
  };
  return (input, init = {}) => run(host, input, init);
}

/** Draws random numbers, many at a time: a call of `getRandomValues` takes longer than a decision. */
function drawing(): () => number {
  const numbers = new Uint32Array(64);
  let left = 0;
  return () => {
    left ||= crypto.getRandomValues(numbers).length;
    return numbers[--left]!;
  };
}
