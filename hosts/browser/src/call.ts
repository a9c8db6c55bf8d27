/**
 * One logical request, as the caller gave it: what the policy may know of it, and what is sent.
 *
 * @module
 */

import { put, putOption } from "./block.js";
import { replayOf, type Sendable } from "./body.js";
import type { Host } from "./fetch.js";
import { METHODS } from "./names.js";
import { MAX, NESTING, SHARED, join, type Layer, type Nesting } from "./nesting.js";
import { AMBIGUOUS, HEAD, KEY_ABSENT, KEY_HONOURED, OTHER_METHOD, PERMANENT } from "./numbers.js";
import type { FetchInit } from "./options.js";

/** What the caller gave, and the attempt of a layer above that this is. */
export type Given = FetchInit & { [NESTING]?: Nesting };

/** A logical request. What each attempt is made of stands first. */
export type Call = readonly [
  layer: Layer,
  /** Gives the body of the next attempt. */
  make: () => Sendable | Promise<Sendable>,
  /** Sends it. What throws at once is a rejection, too. */
  send: (body: Sendable, stop: AbortSignal, nesting: Nesting, isLimited: boolean) => Promise<Response>,
  /**
   * What is known about processing when that rejects: nothing, whatever the message of an error says, unless no request
   * can be made of what was given.
   */
  kind: (body: Sendable) => number,
  signal: AbortSignal | null | undefined,
  /** Puts what the policy may know, as the parameters of `start`. */
  begin: (bytes: Uint8Array) => void,
  /** Who shares its retry budget. */
  budget: () => string,
  /** The attempt of a layer above that this is, or one of nobody. */
  above: Nesting,
];

/** Reads what the caller gave. Takes bodies as they are at this moment. */
export function callOf(host: Host, input: RequestInfo | URL, given: Given): Call {
  // A text and a URL have none of its properties.
  const request = input as Request;
  // What is for this layer is not for those below.
  const { body, key, limits = host.limits, resume, budgetKey, signal = request.signal, [NESTING]: above = [] as Nesting, ...init } = given;
  const { fetch, engine, session } = host;
  const { name, quoted } = host.host?.key ?? {};
  const url = request.url ?? input;
  const headers = new Headers(init.headers ?? request.headers);
  if (key) headers.set(name ?? "idempotency-key", quoted ? `"${key}"` : key);
  const method = methodOf(init.method ?? request.method ?? "GET");
  // Firefox does not say of a `Request` whether it has a body. No other method changes that.
  const isTaken = body == null && request.body !== null && methodOf(request.method ?? "GET") > HEAD;
  const replay = isTaken ? undefined : replayOf(body, headers);
  const layer = join(above, resume?.attemptsUsed ?? 0, engine.description.maxAttempts, limits?.maxAttempts);
  // With an init of any kind a request forgets its referrer (Fetch Standard, constructor of `Request`).
  const message = { referrer: request.referrer, referrerPolicy: request.referrerPolicy, ...init, headers };
  const begin = (bytes: Uint8Array): void => {
    bytes[0] = method;
    bytes[1] = key || (name && headers.has(name)) ? KEY_HONOURED : KEY_ABSENT;
    bytes[2] = +!!replay;
    bytes[8] = 1;
    put(bytes, 12, layer[MAX]);
    putOption(bytes, 16, limits?.deadline);
    putOption(bytes, 32, limits?.maxWait);
    put(bytes, 48, layer[SHARED].sends);
    putOption(bytes, 56, resume?.notBefore);
  };
  const budget = (): string => {
    try {
      // A request knows what a URL is relative to.
      if (host.host?.budget === "host") return new URL(new Request(url).url).host;
    } catch {
      // Nothing can be sent there, which is for `fetch` to say.
    }
    return (host.host?.budget === "key" && budgetKey) || "";
  };
  const send = async (body: Sendable, stop: AbortSignal, nesting: Nesting, isLimited: boolean): Promise<Response> => {
    // The caller's signal goes on to hold for the body, without a listener that somebody would have to remove. Alone where
    // nobody else ends an attempt: in Node 20 it remembers all signals that were made of it.
    const either = !signal ? stop : isLimited || session ? AbortSignal.any([signal, stop]) : signal;
    // In another order this takes twenty times as long, in Node at least.
    return fetch(input, { [NESTING]: nesting, body, signal: either, ...message } as RequestInit);
  };
  const kind = (body: Sendable): number => {
    try {
      new Request(url, { ...message, body: body && "" } as RequestInit);
      return AMBIGUOUS;
    } catch {
      return PERMANENT;
    }
  };
  return [layer, replay ?? (() => body as Sendable), send, kind, signal, begin, budget, above];
}

/**
 * The number of a method, as `fetch` makes it of its name (Fetch Standard, "normalize a method"; it sends neither TRACE
 * nor CONNECT). These two it takes as they are; a name that only contains one of them has no number in any case.
 */
function methodOf(name: string): number {
  const at = METHODS.indexOf((/patch|query/i.test(name) ? name : name.toUpperCase()) as "GET");
  return at < 0 ? OTHER_METHOD : at;
}
