import { afterEach, describe, expect, it, vi } from "vitest";
import { browserNetwork } from "../src/network.js";
import { outcomeOf } from "../src/outcome.js";
import { URL_, bench, pass, refusal, settled } from "./bench.js";

describe("without a network", () => {
  it("nothing is sent until it is back, and then after one wait of its own", async () => {
    const { fetch, server, network, time } = bench();
    network.set(false);
    server.respond(200);
    const running = fetch(URL_);
    expect(await time.waitEntered()).toBe(60_000);
    network.set(true);
    expect(await pass(time)).toBe(1_000);
    expect(outcomeOf(await running)).toMatchObject({ reason: "success", attempts: 1 });
    expect(server.sends.map((send) => send.at)).toEqual([1_000]);
    expect(network.listeners).toBe(0);
  });

  it("that stays away the request ends, with what is needed to go on", async () => {
    const { fetch, network, time } = bench();
    network.set(false);
    const running = refusal(fetch(URL_));
    await pass(time);
    expect(await running).toMatchObject({ reason: "offline", status: 0, attempts: 0, resume: { attemptsUsed: 0 } });
    expect(network.listeners).toBe(0);
  });

  it("news that change nothing end no wait", async () => {
    const { fetch, server, network, time } = bench();
    network.set(false);
    server.respond(200);
    const running = fetch(URL_);
    await time.waitEntered();
    network.set(false);
    expect(await time.waitEntered()).toBe(60_000);
    expect(server.sends).toHaveLength(0);
    network.set(undefined);
    await pass(time);
    await running;
  });

  it("a rejection is no proof that nothing was sent", async () => {
    const { fetch, server, network, time } = bench({ maxAttempts: 2 });
    const later = server.later();
    server.respond(200);
    const running = fetch(URL_);
    await server.sent();
    network.set(false);
    later.fail();
    await pass(time);
    expect(await time.waitEntered()).toBe(61_000);
    network.set(true);
    await pass(time);
    expect(outcomeOf(await running)).toMatchObject({ attempts: 2, maybeApplied: true });
  });
});

describe("the browser's network", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is unknown where nobody tells, as in Node", () => {
    expect(browserNetwork.online).toBeUndefined();
  });

  it("is what `navigator` says, and what the event tells", async () => {
    const events = new EventTarget();
    vi.stubGlobal("navigator", { onLine: false });
    vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
    vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
    const { fetch, server, time } = bench({}, { network: browserNetwork });
    server.respond(200);
    const running = fetch(URL_);
    await time.waitEntered();
    vi.stubGlobal("navigator", { onLine: true });
    events.dispatchEvent(new Event("online"));
    await pass(time);
    expect((await running).status).toBe(200);
    await settled();
  });
});
