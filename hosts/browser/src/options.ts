/**
 * What a `fetch` with retries is given.
 *
 * @module
 */

import type { BodyFactory } from "./body.js";
import type { Engine, HostSettings } from "./engine.js";
import type { IdempotencyKey } from "./key.js";
import type { Connectivity } from "./network.js";
import type { Resumed } from "./resume.js";
import type { Session } from "./session.js";
import type { Time } from "./time.js";

/** What `createFetch` is given. All but the engine is optional. */
export interface FetchOptions {
  /** What decides. */
  readonly engine: Engine;
  /**
   * The `fetch` that sends, which may be another layer; the page's own without it. It is called once for each attempt.
   */
  readonly fetch?: typeof fetch;
  /** Who is signed in. Without it no session ever changes. */
  readonly session?: Session;
  /** What is known about the network; `browserNetwork` without it. */
  readonly network?: Connectivity;
  /** Limits of all requests that have none of their own; a low `maxWait` for a service worker, which may be stopped. */
  readonly limits?: Limits;
  /**
   * What the policy's document says to hosts: `policy.host` of a bundled policy. Who shares the retry budget; the field
   * in which the server takes idempotency keys, and honours them; whether there must be a session.
   *
   * Without it all requests share one budget, and a key that stands in a request's headers opens nothing; one that is
   * given as `key` is sent as `Idempotency-Key`.
   */
  readonly host?: HostSettings | null;
  /** Clock and timers; `systemTime` without it. */
  readonly time?: Time;
  /** A uniform random number of 32 bits; `crypto.getRandomValues` without it. */
  readonly entropy?: () => number;
}

/** Limits that are tighter than the policy's. A looser one changes nothing. */
export interface Limits {
  /** All sends, the first included. */
  readonly maxAttempts?: number;
  /** Over all attempts, in milliseconds. */
  readonly deadline?: number;
  /** Longest wait on this page, in milliseconds; above it the request is deferred. */
  readonly maxWait?: number;
}

/** What `fetch` takes, and what belongs to one logical request. */
export interface FetchInit extends Omit<RequestInit, "body"> {
  /** A body, or what makes it anew for each attempt. */
  body?: BodyInit | BodyFactory | null;
  /**
   * Is sent on every attempt. By it the caller says that the server does a thing only once under one key, so a write
   * may be repeated where the policy lists its method.
   */
  key?: IdempotencyKey;
  /** Names the retry budget, where the policy's document says that requests of one key share theirs. */
  budgetKey?: string;
  /** Limits of this request, in place of those of its `createFetch`. */
  limits?: Limits;
  /** Goes on with a request that was deferred: not before it may, and with its sends counted. */
  resume?: Resumed;
}
