/** What has to hold against a real server, in Node, in a page and in a worker: modules of both load it unchanged. */

import { createFetch, type Fetch } from "../../src/fetch.js";
import { idempotencyKey } from "../../src/key.js";
import type { FetchOptions } from "../../src/options.js";
import { RefrainError, isCurrent, outcomeOf } from "../../src/outcome.js";
import { pinnedEngine } from "../../src/pinned.js";
import { createSession } from "../../src/session.js";
import { TestTime } from "../../src/testing.js";
import type { Rules } from "../policy.js";
import { Script } from "./script.js";

/** Where scenarios run. */
export interface Place {
  /** Origins of servers: of the page itself, of one whose answers and hints may be read, and of the others. */
  readonly own: string;
  readonly open: string;
  /** Its answers may be read, its fields may not. */
  readonly mute: string;
  /** Its answers may not be read. */
  readonly closed: string;
  /** Whether this place enforces who may read what. */
  readonly enforcesCors: boolean;
  /** A core module with the default policy, with some of its numbers replaced. */
  module(rules: Rules): Promise<WebAssembly.Module>;
}

export type Scenario = (place: Place) => Promise<void>;

/** The largest sample: full jitter waits the whole bound. */
const ONE = 2 ** 32 - 1;
const BUSY = { status: 503, body: "busy" };
const OK = { status: 200, body: "here" };

interface Bench {
  readonly time: TestTime;
  readonly fetch: Fetch;
}

async function bench(place: Place, rules: Rules = {}, options: Partial<FetchOptions> = {}): Promise<Bench> {
  const time = new TestTime();
  const engine = pinnedEngine(await place.module(rules));
  return { time, fetch: createFetch({ engine, time, entropy: () => ONE, ...options }) };
}

async function pass(time: TestTime): Promise<number> {
  const until = await time.waitEntered();
  time.setMark(until);
  return until;
}

export function equal(found: unknown, expected: unknown): void {
  const [is, should] = [found, expected].map((value) => JSON.stringify(value));
  if (is !== should) throw new Error(`expected ${should}, found ${is}`);
}

export async function rejection(running: Promise<unknown>): Promise<RefrainError> {
  const error: unknown = await running.then(
    () => new Error("expected a rejection"),
    (error: unknown) => error,
  );
  if (error instanceof RefrainError) return error;
  throw error;
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  async "three answers lead to three sends at the planned times"(place) {
    const { fetch, time } = await bench(place);
    const busy = { status: 429, headers: [["retry-after", "7"]] as const };
    const script = await Script.put(place.open, [BUSY, busy, OK]);
    const running = fetch(script.url);
    equal([await pass(time), await pass(time)], [1_000, 8_000]);
    const response = await running;
    equal([response.status, await response.text()], [200, "here"]);
    equal(outcomeOf(response)?.attempts, 3);
    equal((await script.got()).length, 3);
  },

  async "two equal lines of a hint are one"(place) {
    const { fetch, time } = await bench(place);
    const headers = [["retry-after", "20"], ["retry-after", "20"]] as const;
    const script = await Script.put(place.open, [{ status: 503, headers }, OK]);
    const running = fetch(script.url);
    equal(await pass(time), 20_000);
    await running;
  },

  async "a hint that may not be read is no hint"(place) {
    const { fetch, time } = await bench(place);
    const script = await Script.put(place.mute, [{ status: 503, headers: [["retry-after", "20"]] }, OK]);
    const running = fetch(script.url);
    equal(await pass(time), place.enforcesCors ? 1_000 : 20_000);
    await running;
  },

  async "an answer that may not be read is no answer, and may have been applied"(place) {
    const { fetch, time } = await bench(place, { maxAttempts: 2 });
    const script = await Script.put(place.closed, [OK]);
    const running = fetch(script.url);
    if (!place.enforcesCors) return equal((await running).status, 200);
    await pass(time);
    const error = await rejection(running);
    equal([error.reason, error.maybeApplied, error instanceof TypeError], ["attempts-used", true, true]);
    equal((await script.got()).length, 2);
  },

  async "an opaque answer is handed on as it is"(place) {
    const { fetch } = await bench(place);
    const script = await Script.put(place.closed, [BUSY]);
    if (!place.enforcesCors) return;
    const response = await fetch(script.url, { mode: "no-cors" });
    equal([response.type, response.status, outcomeOf(response)?.reason], ["opaque", 0, "not-retryable"]);
    equal((await script.got()).length, 1);
  },

  async "a redirect that is not followed is handed on as it is"(place) {
    const { fetch } = await bench(place);
    const script = await Script.put(place.own, [{ status: 302, headers: [["location", "/"]] }]);
    const response = await fetch(script.url, { redirect: "manual" });
    equal(outcomeOf(response)?.reason, "not-retryable");
    equal(response.status, place.enforcesCors ? 0 : 302);
  },

  async "a connection that is reset is tried again"(place) {
    const { fetch, time } = await bench(place);
    // A browser itself sends again, once, what a connection that was used before did not answer.
    const reset = { status: 0, hang: "reset" } as const;
    const script = await Script.put(place.open, [reset, reset, OK]);
    const running = fetch(script.url, { method: "PUT", body: "x" });
    equal(await pass(time), 1_000);
    void pass(time);
    const response = await running;
    const { maybeApplied, attempts } = outcomeOf(response)!;
    equal([response.status, maybeApplied, attempts > 1], [200, true, true]);
    equal((await script.got()).length, 3);
  },

  async "a cancel in flight ends the request with the signal's reason"(place) {
    const { fetch } = await bench(place);
    const script = await Script.put(place.open, [{ status: 200, hang: "head" }]);
    const controller = new AbortController();
    const running = fetch(script.url, { signal: controller.signal });
    await script.reached(1);
    controller.abort("enough");
    equal(await running.catch((reason: unknown) => reason), "enough");
  },

  async "a cancel while the body is read ends the reading with the signal's reason"(place) {
    const { fetch } = await bench(place, { attemptTimeout: 5_000 });
    const script = await Script.put(place.open, [{ ...OK, hang: "body" }]);
    const controller = new AbortController();
    const response = await fetch(script.url, { signal: controller.signal });
    const reader = response.body!.getReader();
    equal((await reader.read()).done, false);
    controller.abort("enough");
    equal(await reader.read().catch((reason: unknown) => reason), "enough");
  },

  async "a time-out of an attempt ends with its head and lets the body be read"(place) {
    const { fetch, time } = await bench(place, { attemptTimeout: 5_000 });
    const script = await Script.put(place.open, [{ ...OK, hang: "body" }]);
    const response = await fetch(script.url);
    time.setMark(60_000);
    await script.release();
    equal(await response.text(), "here");
    equal(time.timers, 0);
  },

  async "a time-out of an attempt ends one without a head"(place) {
    const { fetch, time } = await bench(place, { attemptTimeout: 5_000, maxAttempts: 2 });
    const script = await Script.put(place.open, [{ status: 200, hang: "head" }, OK]);
    const running = fetch(script.url);
    await script.reached(1);
    equal([await pass(time), await pass(time)], [5_000, 6_000]);
    equal(outcomeOf(await running)?.maybeApplied, true);
  },

  async "a session that ends while the body is read is seen afterwards"(place) {
    const session = createSession();
    const { fetch } = await bench(place, {}, { session });
    const script = await Script.put(place.open, [{ ...OK, hang: "body" }]);
    const response = await fetch(script.url);
    session.raise();
    await script.release();
    equal([await response.text(), isCurrent(response)], ["here", false]);
  },

  async "a write is repeated with the same key and the same bytes"(place) {
    const { fetch, time } = await bench(place);
    const script = await Script.put(place.open, [BUSY, OK]);
    const body = new FormData();
    body.set("order", "1");
    body.set("file", new File(["ünï"], "a.txt", { type: "text/plain" }));
    const running = fetch(script.url, { method: "POST", body, key: idempotencyKey("order-4711") });
    await pass(time);
    await running;
    const [first, second] = await script.got();
    const seen = (got = first): unknown[] => [got!.headers["idempotency-key"], got!.headers["content-type"], got!.body];
    equal(seen(second), seen(first));
    equal([first!.headers["idempotency-key"], first!.body.includes("ünï")], ["order-4711", true]);
  },

  async "bodies arrive as `fetch` would send them"(place) {
    const bytes = new TextEncoder().encode("a=1");
    const bodies = ["a=1", bytes.buffer, bytes, new Blob([bytes], { type: "text/x" }), new URLSearchParams({ a: "1" })];
    for (const body of bodies) {
      const { fetch: again, time } = await bench(place);
      const script = await Script.put(place.open, [OK, BUSY, OK]);
      await fetch(script.url, { method: "PUT", body });
      const running = again(script.url, { method: "PUT", body });
      await pass(time);
      await running;
      const names = ["content-type", "content-length"];
      const seen = (await script.got()).map(({ headers, body }) => [...names.map((name) => headers[name]), body]);
      equal(seen, [seen[0], seen[0], seen[0]]);
      equal(seen[0]![2], "a=1");
    }
  },

  async "a real wait is not early, and real randomness is to be had"(place) {
    const engine = pinnedEngine(await place.module({ base: 20 }));
    const script = await Script.put(place.open, [{ status: 503, headers: [["retry-after", "1"]] }, OK]);
    const fetch = createFetch({ engine });
    const begun = performance.now();
    const response = await fetch(script.url);
    equal([response.status, performance.now() - begun >= 1_000], [200, true]);
  },
};
