/**
 * One logical request, as the caller gave it: what the policy may know of it, and what is sent.
 *
 * @module
 */

import { BLOCK_SIZE, put, putOption } from "./block.js";
import { replayOf, type Sendable } from "./body.js";
import type { Host } from "./fetch.js";
import { METHODS } from "./names.js";
import { NESTING, join, type Nesting } from "./nesting.js";
import { AMBIGUOUS, KEY_ABSENT, KEY_HONOURED, OTHER_METHOD, PERMANENT } from "./numbers.js";
import type { FetchInit } from "./options.js";
import type { Talk } from "./talk.js";

/** Reads what the caller gave. Takes bodies as they are at this moment. */
export function talkOf(host: Host, input: RequestInfo | URL, given: FetchInit & { [NESTING]?: Nesting }): Talk {
  // What is for this layer is not for those below.
  const { body, key, limits = host.limits, resume, budgetKey, signal, [NESTING]: above, ...init } = given;
  // A text and a URL have none of its properties.
  const request = input as Request;
  const { name, quoted } = host.host?.key ?? {};
  const headers = new Headers(init.headers ?? request.headers);
  if (key) headers.set(name ?? "idempotency-key", quoted ? `"${key}"` : key);
  init.headers = headers;
  const replay = body == null && hasBody(request) ? undefined : replayOf(body, headers);
  const { count, max } = join(above, resume?.attemptsUsed ?? 0, host.engine.description.maxAttempts, limits?.maxAttempts);
  const used = count.sends;
  const block = host.blocks.pop() ?? new DataView(new ArrayBuffer(BLOCK_SIZE));
  const bytes = new Uint8Array(block.buffer).fill(0);
  return {
    host,
    count,
    max,
    input,
    // With an init of any kind a request forgets its referrer (Fetch Standard, constructor of `Request`).
    init: request.method ? { referrer: request.referrer, referrerPolicy: request.referrerPolicy, ...init } : init,
    signal: signal === undefined ? request.signal : signal,
    above,
    used,
    budget: () => budgetOf(host, request.url ?? input, budgetKey),
    body: replay ?? (() => body as Sendable),
    put() {
      block.setUint8(0, methodOf(init.method ?? request.method ?? "GET"));
      block.setUint8(1, key || (name && headers.has(name)) ? KEY_HONOURED : KEY_ABSENT);
      block.setUint8(2, +!!replay);
      block.setUint8(8, 1);
      put(block, 12, max);
      putOption(block, 16, limits?.deadline);
      putOption(block, 32, limits?.maxWait);
      put(block, 48, used);
      putOption(block, 56, resume?.notBefore);
    },
    block,
    bytes,
    session: host.session?.current,
    at: 0,
    before: bytes,
    fault: "engine-failed",
    hasChanged: false,
    stir() {},
  };
}

/** The name of a retry budget. */
function budgetOf({ host }: Host, url: string, key = ""): string {
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

/**
 * The number of a method, as `fetch` makes it of its name (Fetch Standard, "normalize a method"; it sends neither TRACE
 * nor CONNECT).
 */
function methodOf(name: string): number {
  const at = METHODS.indexOf((/^(patch|query)$/i.test(name) ? name : name.toUpperCase()) as "GET");
  return at < 0 ? OTHER_METHOD : at;
}

/**
 * What is known about processing when `fetch` rejects: nothing, whatever its message says, unless no request can be
 * made of what it was given.
 */
export function kindOf({ input, init }: Talk, body: Sendable): typeof AMBIGUOUS | typeof PERMANENT {
  try {
    new Request((input as Request).url ?? input, { ...init, body: body == null ? null : "" });
    return AMBIGUOUS;
  } catch {
    return PERMANENT;
  }
}
