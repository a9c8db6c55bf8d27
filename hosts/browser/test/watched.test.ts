import { describe, expect, it } from "vitest";
import type { Engine } from "../src/engine.js";
import { createFetch } from "../src/fetch.js";
import { idempotencyKey } from "../src/key.js";
import { ScriptedFetch, TestTime } from "../src/testing.js";
import { watched, type FetchEvent } from "../src/watched.js";
import { ONE, URL_, benchOver, pass, settled } from "./bench.js";
import { engineOf } from "./policy.js";

function watching(): { events: FetchEvent[]; engine: ReturnType<typeof watched> } {
  const events: FetchEvent[] = [];
  return { events, engine: watched(engineOf(), (event) => events.push(event)) };
}

describe("who watches", () => {
  it("sees each step once", async () => {
    const { events, engine } = watching();
    const { fetch, server, time } = benchOver(engine);
    server.respond(503, { "retry-after": "2" });
    server.fail();
    server.respond(200);
    const running = fetch(URL_);
    await time.waitEntered();
    time.wakeEarly();
    await pass(time);
    await pass(time);
    await running;
    expect(events.map(({ request, ...event }) => event)).toEqual([
      { at: 0, type: "sent", attempt: 1, timeout: null },
      { at: 0, type: "answered", attempt: 1, status: 503 },
      { at: 0, type: "wait", until: 2_000, delay: 2_000, retryIndex: 0, bound: 2, hint: 1 },
      { at: 2_000, type: "wait-over", waited: 2_000 },
      { at: 2_000, type: "sent", attempt: 2, timeout: null },
      { at: 2_000, type: "failed", attempt: 2, kind: 4, timedOut: false },
      { at: 2_000, type: "wait", until: 4_000, delay: 2_000, retryIndex: 1, bound: 1, hint: 0 },
      { at: 4_000, type: "wait-over", waited: 2_000 },
      { at: 4_000, type: "sent", attempt: 3, timeout: null },
      { at: 4_000, type: "answered", attempt: 3, status: 200 },
      { at: 4_000, type: "ended", end: 0, bound: 0, hint: 0, attempts: 3 },
    ]);
  });

  it("tells requests apart", async () => {
    const { events, engine } = watching();
    const { fetch, server } = benchOver(engine);
    server.respond(200);
    server.respond(404);
    await Promise.all([fetch(URL_), fetch(URL_)]);
    const ends = events.filter((event) => event.type === "ended").map(({ request, end }) => [request, end]);
    expect(ends).toEqual([[0, 0], [1, 16]]);
  });

  it("sees a wait that is broken off, and a wait for the network", async () => {
    const { events, engine } = watching();
    const { fetch, network, time, session } = benchOver(engine);
    network.set(false);
    const running = fetch(URL_).catch(() => {});
    await time.waitEntered();
    session.raise();
    await running;
    expect(events.map((event) => event.type)).toEqual(["await-network", "wait-over", "ended"]);
  });

  it("sees no URL, no field value, no header, no key and no body", async () => {
    const { events, engine } = watching();
    const { fetch, server, time } = benchOver(engine);
    const secret = "hunter2";
    server.respond(503, { "retry-after": `0${secret}`, "set-cookie": secret }, secret);
    server.respond(200, {}, secret);
    const headers = { authorization: secret };
    const running = fetch(`${URL_}?${secret}`, { method: "POST", headers, key: idempotencyKey(secret), body: secret });
    await pass(time);
    await running;
    expect(events.length).toBeGreaterThan(4);
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it("hears that the engine failed", async () => {
    const types: string[] = [];
    const engine = engineOf();
    const call: Engine["call"] = (name, ...of) => (name === "start" ? expect.fail("trapped") : engine.call(name, ...of));
    const failing = { ...engine, call };
    const { fetch } = benchOver(watched(failing, ({ type }) => types.push(type)));
    await fetch(URL_).catch(() => {});
    expect(types).toEqual(["engine-failed", "ended"]);
  });

  it("changes nothing by what it throws", async () => {
    const unhandled: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => unhandled.push(error));
    const engine = watched(engineOf(), () => expect.fail("in the watcher"));
    const { fetch, server } = benchOver(engine);
    server.respond(200);
    expect((await fetch(URL_)).status).toBe(200);
    await settled();
    expect(unhandled).toHaveLength(3);
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });

  it("may abort, and is heard at once", async () => {
    const controller = new AbortController();
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    const engine = watched(engineOf(), ({ type }) => type === "wait" && controller.abort("enough"));
    const fetch = createFetch({ engine, time, fetch: server.fetch, entropy: () => ONE });
    server.respond(503);
    await expect(fetch(URL_, { signal: controller.signal })).rejects.toBe("enough");
    expect(time.timers).toBe(0);
  });
});
