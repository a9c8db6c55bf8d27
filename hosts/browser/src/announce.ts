/**
 * Layers in different processes, such as a page and its service worker: the upper one says that it retries.
 *
 * @module
 */

import { NESTING, type Nesting } from "./nesting.js";
import type { FetchInit } from "./options.js";

/** The request field that carries the attempt and the most sends of the layer above, such as `2;max=4`. */
export const ATTEMPT_FIELD = "refrain-attempt";

/**
 * A `fetch` for `createFetch` to send by, which tells the server, or the service worker, of each attempt that it is
 * retried here. Across origins the server must allow the field (`Access-Control-Allow-Headers`).
 *
 * ```ts
 * const fetch = createFetch({ engine, fetch: announced() });
 * ```
 *
 * @param inner the `fetch` that sends; the page's own without it
 */
export function announced(inner: typeof fetch = (input, init) => fetch(input, init)): typeof fetch {
  return (input: RequestInfo | URL, init: RequestInit & { [NESTING]?: Nesting } = {}) => {
    const [count, max, told] = init[NESTING] ?? [];
    const headers = new Headers(init.headers);
    // Whoever called from another process is the one that retries.
    if (told ?? count) headers.set(ATTEMPT_FIELD, told ?? `${count!.sends};max=${max}`);
    return inner(input, { ...init, headers });
  };
}

/**
 * What the caller of a server, or the page of a service worker, says of its own retries. A request with it is sent
 * once, and ends as `nested` where it would be retried, since the layer above does that.
 *
 * ```ts
 * addEventListener("fetch", (event) => {
 *   event.respondWith(fetch(event.request, retriedAbove(event.request.headers)));
 * });
 * ```
 *
 * @returns nothing to add if it says nothing, will not retry, or cannot be understood
 */
export function retriedAbove(headers: Headers): FetchInit {
  const told = headers.get(ATTEMPT_FIELD);
  const [, attempt, max] = /^([0-9]{1,10});max=([0-9]{1,10})$/.exec(told ?? "") ?? [];
  const isCount = (text: string | undefined): boolean => Number(text) < 2 ** 32;
  return isCount(attempt) && isCount(max) && Number(max) > 1 ? ({ [NESTING]: [, , told] } as FetchInit) : {};
}
