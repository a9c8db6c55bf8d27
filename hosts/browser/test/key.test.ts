import { describe, expect, it, vi } from "vitest";
import type { HostSettings } from "../src/engine.js";
import { idempotencyKey } from "../src/key.js";
import { outcomeOf } from "../src/outcome.js";
import type { FetchInit } from "../src/options.js";
import { URL_, bench, pass } from "./bench.js";

const HOST: HostSettings = { key: null, budget: "policy", sessionRequired: false };
const POST: FetchInit = { method: "POST", body: "order=1" };

describe("a write", () => {
  it("without a key is sent once", async () => {
    for (const headers of [{}, { "Idempotency-Key": "k-1" }]) {
      const { fetch, server } = bench();
      server.respond(503);
      const response = await fetch(URL_, { ...POST, headers });
      expect([response.status, outcomeOf(response)?.reason]).toEqual([503, "not-idempotent"]);
    }
  });

  it("with a key is repeated, under the same key on every attempt", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    server.fail();
    server.respond(201);
    const key = idempotencyKey();
    const running = fetch(URL_, { ...POST, headers: { a: "1" }, key });
    await pass(time);
    await pass(time);
    expect(outcomeOf(await running)).toMatchObject({ reason: "success", attempts: 3, maybeApplied: true });
    const sent = server.sends.map(({ init }) => [...new Headers(init.headers)]);
    expect(sent).toEqual(Array(3).fill([["a", "1"], ["idempotency-key", key]]));
  });

  it("with a key in its headers is repeated where the server is known to honour it", async () => {
    const { fetch, server, time } = bench({}, { host: { ...HOST, key: { name: "x-key", quoted: false } } });
    server.respond(503);
    server.respond(201);
    const running = fetch(new Request(URL_, { method: "POST", headers: { "x-key": "k-1" } }));
    await pass(time);
    expect((await running).status).toBe(201);
    server.respond(503);
    expect(outcomeOf(await fetch(URL_, POST))?.reason).toBe("not-idempotent");
  });

  it("of a method in small letters is the one that `fetch` makes of it", async () => {
    const methods = { get: 2, put: 2, post: 1, patch: 1, PATCH: 1, DELETE: 2, delete: 2, gEt: 2, propfind: 1 };
    for (const [method, sends] of Object.entries(methods)) {
      const { fetch, server, time } = bench({ maxAttempts: 2 });
      server.respond(503);
      server.respond(503);
      const running = fetch(URL_, { method });
      if (sends > 1) await pass(time);
      await running;
      expect([method, server.sends.length]).toEqual([method, sends]);
    }
  });
});

describe("a key", () => {
  it("is random unless the caller brings one", () => {
    expect(idempotencyKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(idempotencyKey()).not.toBe(idempotencyKey());
    expect(idempotencyKey("order-4711")).toBe("order-4711");
  });

  it("has to be brought where a browser draws none", () => {
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
    expect(() => idempotencyKey()).toThrow("expected a key, since a random one can be had in a secure context");
    expect(idempotencyKey("k-1")).toBe("k-1");
    vi.unstubAllGlobals();
  });

  it("is written as the policy's document says", async () => {
    for (const [key, sent] of [
      [null, ["idempotency-key", "k-1"]],
      [{ name: "x-key", quoted: true }, ["x-key", '"k-1"']],
    ] as const) {
      const { fetch, server } = bench({}, { host: { ...HOST, key } });
      server.respond(200);
      await fetch(URL_, { ...POST, key: idempotencyKey("k-1") });
      expect([...new Headers(server.sends[0]!.init.headers)]).toEqual([sent]);
    }
  });

  it("is only what is the same in every form, and is not repeated in the error", () => {
    expect(idempotencyKey("~!#Az09[]".padEnd(255, "k"))).toHaveLength(255);
    for (const key of ["", "k".repeat(256), "a b", 'a"b', "a\\b", "a\tb", "ä", "a\u007f", "a\nb", "a\n"]) {
      expect(() => idempotencyKey(key)).toThrow(/^expected a key of 1 to 255 visible ASCII characters, .*es$/);
    }
  });
});
