import { describe, expect, it } from "vitest";
import { announced, retriedAbove } from "../src/announce.js";
import type { Engine } from "../src/engine.js";
import { createFetch, type Fetch } from "../src/fetch.js";
import { BOUNDS } from "../src/names.js";
import { outcomeOf } from "../src/outcome.js";
import { ScriptedFetch, TestTime } from "../src/testing.js";
import { ONE, URL_, pass, refusal, settled } from "./bench.js";
import { engineOf, type Rules } from "./policy.js";

/** Layers, the uppermost first, over a server. */
function stack(time: TestTime, server: typeof fetch, layers: readonly Rules[]): Fetch {
  const entropy = (): number => ONE;
  const layer = (rules: Rules, below: Fetch): Fetch =>
    createFetch({ engine: engineOf(rules), time, entropy, fetch: below });
  return layers.reduceRight((below, rules) => layer(rules, below), server as Fetch);
}

const MAX_WAIT = BOUNDS.indexOf("max-wait");
const AT_ONCE: Rules = { base: 0 };

/** A server that is dead, how often it was asked, and time whose waits are over at once. */
function dead(): { server: typeof fetch; time: TestTime; sends: () => number } {
  let sends = 0;
  const server = async (): Promise<Response> => {
    sends++;
    return new Response("dead", { status: 503 });
  };
  return { server, time: new TestTime(), sends: () => sends };
}

describe("layers of fetch on top of one another", () => {
  it.each([1, 2, 3])("send as often as one: %i", async (number) => {
    const { server, time, sends } = dead();
    const response = await stack(time, server, Array(number).fill(AT_ONCE))(URL_);
    expect(sends()).toBe(4);
    expect(outcomeOf(response)).toMatchObject({ reason: number > 1 ? "nested" : "attempts-used", attempts: 4 });
    expect(await response.text()).toBe("dead");
  });

  it.each([[[2, 9, 9]], [[9, 2, 9]], [[9, 9, 2]]])("keep to the lowest limit of all: %j", async (limits) => {
    const { server, time, sends } = dead();
    const response = await stack(time, server, limits.map((maxAttempts) => ({ ...AT_ONCE, maxAttempts })))(URL_);
    expect([sends(), outcomeOf(response)?.attempts]).toEqual([2, 2]);
  });

  it("keep to the lowest limit of the call too", async () => {
    const { server, time, sends } = dead();
    await stack(time, server, [AT_ONCE, AT_ONCE])(URL_, { limits: { maxAttempts: 3 } });
    expect(sends()).toBe(3);
  });

  it("count what a wrapper between them sends again", async () => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    for (let i = 0; i < 3; i++) server.respond(200);
    const lower = stack(time, server.fetch, [AT_ONCE]);
    const thrice = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      for (let i = 0; i < 2; i++) await lower(input, { ...init } as object);
      return lower(input, { ...init } as object);
    };
    const response = await stack(time, thrice, [AT_ONCE])(URL_);
    expect([server.sends.length, outcomeOf(response)?.attempts]).toEqual([3, 3]);
  });

  it("do not begin again what the one below gave up on without a response", async () => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    for (let i = 0; i < 4; i++) server.fail();
    const error = await refusal(stack(time, server.fetch, [AT_ONCE, AT_ONCE])(URL_));
    expect(error).toMatchObject({ reason: "nested", attempts: 4, maybeApplied: true });
    expect(error.cause).toMatchObject({ reason: "attempts-used", attempts: 4 });
  });

  it("do not begin again where the one below could not ask its policy", async () => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    server.respond(503);
    const engine = engineOf(AT_ONCE);
    const call: Engine["call"] = (name, ...of) => (name === "start" ? engine.call(name, ...of) : expect.fail("trapped"));
    const failing = { ...engine, call };
    const below = createFetch({ engine: failing, time, fetch: server.fetch });
    const error = await refusal(stack(time, below as typeof fetch, [AT_ONCE])(URL_));
    expect(error).toMatchObject({ reason: "nested", attempts: 1, cause: { reason: "engine-failed" } });
    expect(server.sends).toHaveLength(1);
  });

  it.each([
    ["that had no hint", {}],
    ["whose hint was malformed, so that nobody else is held", { "retry-after": "soon" }],
  ])("count the sends of an attempt that was cut short, %s", async (_, said) => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    for (let i = 0; i < 4; i++) server.respond(503, { ...said });
    const fetch = stack(time, server.fetch, [{ base: 0, attemptTimeout: 2_500 }, {}]);
    const running = fetch(URL_);
    while ((await time.waitEntered()) !== 1_000);
    time.setMark(1_000);
    while ((await time.waitEntered()) !== 3_000);
    expect(server.sends).toHaveLength(2);
    time.setMark(2_500);
    // The second attempt joins a request of two sends, which has two left.
    while ((await time.waitEntered()) !== 6_500);
    expect(server.sends).toHaveLength(3);
    time.setMark(6_500);
    const response = await running;
    expect(server.sends).toHaveLength(4);
    expect(outcomeOf(response)).toMatchObject({ reason: "nested", attempts: 4 });
  });

  it.each([
    ["what the server asked of", "10"],
    ["the longer of two values that the server sent to", "3, 10"],
  ])("hold to %s the one below, whose attempt was cut short meanwhile", async (_, said) => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    server.respond(503, { "retry-after": said });
    server.respond(200);
    const fetch = stack(time, server.fetch, [{ base: 0, attemptTimeout: 2_500 }, {}]);
    const running = fetch(URL_);
    while ((await time.waitEntered()) !== 10_000);
    time.setMark(2_500);
    while ((await time.waitEntered()) !== 10_000);
    time.setMark(9_999);
    time.wakeEarly();
    while ((await time.waitEntered()) !== 10_000);
    expect(server.sends).toHaveLength(1);
    time.setMark(10_000);
    expect((await running).status).toBe(200);
    expect(server.sends).toHaveLength(2);
  });

  it.each(["120", "120, 60", "9007199254741", "99999999999999999999", "Fri, 31 Dec 2027 23:59:59 GMT"])(
    "hold to what the server asked of one that was deferred, and a wrapper calls again: %s",
    async (said) => {
      const time = new TestTime();
      time.setMark(1_000);
      const server = new ScriptedFetch(time);
      server.respond(503, { "retry-after": said });
      server.respond(200);
      const lower = stack(time, server.fetch, [AT_ONCE]);
      const again = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
        await refusal(lower(input, { ...init } as object));
        return lower(input, { ...init } as object);
      };
      const error = await refusal(stack(time, again, [AT_ONCE])(URL_));
      expect(error).toMatchObject({ reason: "nested", attempts: 1, cause: { reason: "deferred", bound: MAX_WAIT } });
      expect(server.sends).toHaveLength(1);
    },
  );

  it("count a send that was cut short while it was under way", async () => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    server.later();
    server.respond(503);
    const fetch = stack(time, server.fetch, [{ base: 0, attemptTimeout: 100 }, { base: 0, maxAttempts: 2 }]);
    const running = fetch(URL_);
    await server.sent();
    expect(await pass(time)).toBe(100);
    const response = await running;
    await settled();
    expect([server.sends.length, outcomeOf(response)?.attempts]).toEqual([2, 2]);
  });

  it("count the request of another call on its own", async () => {
    const { server, time, sends } = dead();
    const fetch = stack(time, server, [AT_ONCE, AT_ONCE]);
    await Promise.all([fetch(URL_), fetch(URL_)]);
    expect(sends()).toBe(8);
  });
});

describe("layers in different processes", () => {
  const told = (value: string): Headers => new Headers({ "refrain-attempt": value });

  it("are announced only by who is told to, and with the number of each attempt", async () => {
    const time = new TestTime();
    const server = new ScriptedFetch(time);
    for (let i = 0; i < 8; i++) server.respond(503);
    await stack(time, server.fetch, [AT_ONCE])(URL_, { headers: { a: "1" } });
    await stack(time, announced(server.fetch), [AT_ONCE, AT_ONCE])(URL_, { headers: { a: "1" } });
    const sent = server.sends.map(({ init }) => new Headers(init.headers));
    expect(sent.map((headers) => headers.get("refrain-attempt"))).toEqual(
      [null, null, null, null, "1;max=4", "2;max=4", "3;max=4", "4;max=4"],
    );
    expect(sent.every((headers) => headers.get("a") === "1")).toBe(true);
  });

  it("are retried by the outermost alone, which is told of on the way down, each time", async () => {
    const { server, time, sends } = dead();
    const passed: (string | null)[] = [];
    const wire = (async (input: RequestInfo | URL, init?: RequestInit) => {
      passed.push(new Headers(init?.headers).get("refrain-attempt"));
      return server(input, init);
    }) as typeof fetch;
    const fetch = stack(time, announced(wire), [AT_ONCE, AT_ONCE]);
    const above = retriedAbove(told("2;max=4"));
    for (let number = 1; number <= 3; number++) {
      const response = await fetch(URL_, above);
      expect([outcomeOf(response)?.reason, outcomeOf(response)?.attempts, sends()]).toEqual(["nested", 1, number]);
    }
    expect(passed).toEqual(Array(3).fill("2;max=4"));
  });

  it("are believed only when they say clearly that they retry", async () => {
    expect(Object.getOwnPropertySymbols(retriedAbove(told("4294967295;max=4294967295")))).toHaveLength(1);
    const unclear = ["", "2", "2;max=1", "2;max=", ";max=4", "+2;max=4", "2; max=4", "2;max=4;x", "2;max=4294967296"];
    for (const value of unclear) {
      expect(Reflect.ownKeys(retriedAbove(told(value))), value).toEqual([]);
    }
    expect(Reflect.ownKeys(retriedAbove(new Headers()))).toEqual([]);
  });
});
