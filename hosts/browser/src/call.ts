/**
 * One logical request, as the caller gave it: what the policy may know of it, and what is sent.
 *
 * @module
 */

import { replayOf, type Sendable } from "./body.js";
import { AMBIGUOUS, KEY_ABSENT, KEY_HONOURED, PERMANENT, type Request as Asked } from "./engine.js";
import type { Host } from "./fetch.js";
import { METHODS } from "./names.js";
import { NESTING, join, type Layer, type Nesting } from "./nesting.js";
import type { FetchInit } from "./options.js";

/** One logical request. */
export interface Call extends Layer {
  readonly input: RequestInfo | URL;
  readonly init: FetchInit;
  /** Its headers, the key among them. */
  readonly headers: Headers;
  readonly signal: AbortSignal | null | undefined;
  /** The attempt of a layer above that this is. */
  readonly above: Nesting | undefined;
  /** Who shares its retry budget. Read when it is asked for: to read a URL takes longer than a decision. */
  readonly budget: () => string;
  /** Gives the body of the next attempt. */
  readonly body: () => Sendable | Promise<Sendable>;
  /** What the policy may know. */
  readonly asked: Asked;
}

/** Reads what the caller gave. Takes bodies as they are at this moment. */
export function callOf(host: Host, input: RequestInfo | URL, given: FetchInit & { [NESTING]?: Nesting }): Call {
  const { body, key, limits = host.limits, resume, budgetKey, signal, [NESTING]: above } = given;
  // A text and a URL have none of its properties.
  const request = input as Request;
  const headers = new Headers(given.headers ?? request.headers);
  const field = host.host?.key?.name;
  if (key) headers.set(field ?? "Idempotency-Key", host.host?.key?.quoted ? `"${key}"` : key);
  const replay = body == null && hasBody(request) ? undefined : replayOf(body, headers);
  const { count, max } = join(above, resume?.attemptsUsed ?? 0, host.max, limits?.maxAttempts);
  return {
    count,
    max,
    input,
    // With an init of any kind a request forgets its referrer (Fetch Standard, constructor of `Request`).
    init: request.method ? { referrer: request.referrer, referrerPolicy: request.referrerPolicy, ...given } : given,
    headers,
    signal: signal === undefined ? request.signal : signal,
    above,
    budget: () => budgetOf(host, request.url ?? input, budgetKey),
    body: replay ?? (() => body as Sendable),
    asked: {
      method: METHODS.indexOf(normalised(given.method ?? request.method ?? "GET") as "GET"),
      key: key || (field && headers.has(field)) ? KEY_HONOURED : KEY_ABSENT,
      replayable: !!replay,
      maxAttempts: max,
      deadline: limits?.deadline ?? null,
      maxWait: limits?.maxWait ?? null,
      attemptsUsed: count.sends,
      notBefore: resume?.notBefore ?? null,
    },
  };
}

/** The name of a retry budget. */
function budgetOf({ host }: Host, url: string | URL, key = ""): string {
  if (host?.budget === "key") return key;
  if (host?.budget !== "host") return "";
  try {
    return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).host;
  } catch {
    // Nothing can be sent there, which is for `fetch` to say.
    return "";
  }
}

/** Firefox does not say of a `Request` whether it has a body. */
function hasBody({ method, body }: Request): boolean {
  return !!method && body !== null && !/^(GET|HEAD)$/.test(method);
}

/** As `fetch` does it (Fetch Standard, "normalize a method"). */
function normalised(method: string): string {
  return /^(delete|get|head|options|post|put)$/i.test(method) ? method.toUpperCase() : method;
}

/**
 * What is known about processing when `fetch` rejects: nothing, whatever its message says, unless no request can be
 * made of what it was given.
 */
export function kindOf({ input, init, headers }: Call, body: Sendable): typeof AMBIGUOUS | typeof PERMANENT {
  try {
    new Request((input as Request).url ?? input, { ...init, headers, body: body == null ? null : "", signal: null });
    return AMBIGUOUS;
  } catch {
    return PERMANENT;
  }
}
