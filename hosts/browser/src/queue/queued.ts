/**
 * A `fetch` whose deferred requests go to a queue.
 *
 * @module
 */

import type { Fetch } from "../fetch.js";
import { RefrainError } from "../outcome.js";
import type { DeferralQueue } from "./interface.js";

/**
 * The same `fetch`, but a request that is deferred is kept in the queue before it rejects with its `RefrainError`:
 * whoever called still hears that it was not done.
 * Where it could not be kept, it rejects with an `AggregateError` of both errors.
 */
export function queued(fetch: Fetch, queue: DeferralQueue): Fetch {
  return async (input, init = {}) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      const resume = error instanceof RefrainError && error.reason === "deferred" && error.resume;
      if (!resume) throw error;
      // A body that can be sent once is never deferred, so it is still there.
      await queue.push(resume, input, init).catch((unkept: unknown) => {
        throw new AggregateError([error, unkept], "the request was deferred, and could not be kept");
      });
      throw error;
    }
  };
}
