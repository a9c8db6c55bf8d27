/** A `fetch` with everything around it under control. */

import type { Engine } from "../src/engine.js";
import { createFetch, type Fetch } from "../src/fetch.js";
import type { FetchOptions } from "../src/options.js";
import { RefrainError } from "../src/outcome.js";
import { createSession, type Session } from "../src/session.js";
import { ScriptedFetch, TestNetwork, TestTime } from "../src/testing.js";
import { engineOf, type Rules } from "./policy.js";

export const URL_ = "https://example.com/things";

/** The largest sample: full jitter waits the whole bound. */
export const ONE = 2 ** 32 - 1;

export interface Bench {
  readonly time: TestTime;
  readonly server: ScriptedFetch;
  readonly network: TestNetwork;
  readonly session: Session;
  readonly fetch: Fetch;
}

export function bench(rules: Rules = {}, options: Partial<FetchOptions> = {}): Bench {
  return benchOver(engineOf(rules), options);
}

export function benchOver(engine: Engine, options: Partial<FetchOptions> = {}): Bench {
  const time = new TestTime();
  const server = new ScriptedFetch(time);
  const network = new TestNetwork();
  const session = createSession();
  const fetch = createFetch({ engine, time, fetch: server.fetch, network, session, entropy: () => ONE, ...options });
  return { time, server, network, session, fetch };
}

/** The error of a request that ends with one. */
export async function refusal(running: Promise<Response>): Promise<RefrainError> {
  const error = await running.then(
    (response) => Promise.reject(new Error(`expected no response, found ${response.status}`)),
    (error: unknown) => error,
  );
  if (error instanceof RefrainError) return error;
  throw error;
}

/** Lets all that is ready run: promises, and what Node does between two timers. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Moves the time to the end of the wait that is entered next, and says when that is. */
export async function pass(time: TestTime): Promise<number> {
  const until = await time.waitEntered();
  time.setMark(until);
  return until;
}

/** A promise, and what ends it. */
export function resolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((end) => (resolve = end));
  return { promise, resolve };
}
