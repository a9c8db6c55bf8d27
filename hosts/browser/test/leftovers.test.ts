import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { URL_, bench, settled, type Bench } from "./bench.js";

/** States that a request can be in, and how it comes there. */
const STATES: Record<string, (b: Bench, signal: AbortSignal) => Promise<{ running: Promise<Response> }>> = {
  async "while its body is made"({ fetch }, signal) {
    const running = fetch(URL_, { method: "PUT", body: () => new Promise<string>(() => {}), signal });
    await settled();
    return { running };
  },
  async "in flight"({ fetch, server }, signal) {
    server.later();
    const running = fetch(URL_, { signal });
    await server.sent();
    return { running };
  },
  async "in a wait"({ fetch, server, time }, signal) {
    server.respond(503);
    const running = fetch(URL_, { signal });
    while ((await time.waitEntered()) !== 1_000);
    return { running };
  },
  async "without a network"({ fetch, network, time }, signal) {
    network.set(false);
    const running = fetch(URL_, { signal });
    await time.waitEntered();
    return { running };
  },
};

const INTERRUPTIONS: Record<string, (b: Bench, controller: AbortController) => void> = {
  "a cancel": (_, controller) => controller.abort("stop"),
  "a session that ends": ({ session }) => void session.raise(),
  "its deadline": ({ time }) => time.setMark(100_000),
};

const cases = Object.keys(STATES).flatMap((state) => Object.keys(INTERRUPTIONS).map((by) => [state, by] as const));

describe("nothing is left behind by a request that is ended", () => {
  it.each(cases)("%s, by %s", async (state, by) => {
    const b = bench({ attemptTimeout: 90_000, deadline: 95_000, maxWait: 90_000 });
    const controller = new AbortController();
    const own = b.session.signal;
    const { running } = await STATES[state]!(b, controller.signal);
    const listeners = (): number[] => [controller.signal, own].map((signal) => getEventListeners(signal, "abort").length);
    expect(listeners().every((count) => count > 0)).toBe(true);
    INTERRUPTIONS[by]!(b, controller);
    await expect(running).rejects.toBeDefined();
    await settled();
    expect([b.time.timers, b.network.listeners, ...listeners()]).toEqual([0, 0, 0, 0]);
  });
});
