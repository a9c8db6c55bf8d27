import { describe, expect, it } from "vitest";
import type { FetchInit } from "../src/options.js";
import { outcomeOf } from "../src/outcome.js";
import { URL_, bench, pass, refusal, type Bench } from "./bench.js";

/** The bodies of two attempts, as they would go onto the wire, and their types. */
async function twice(b: Bench, input: RequestInfo, init: FetchInit): Promise<[string, string | null][]> {
  b.server.respond(503);
  b.server.respond(200);
  const running = b.fetch(input, { method: "PUT", ...init });
  await pass(b.time);
  await running;
  return Promise.all(b.server.sends.map((send) => asSent(send.input, send.init)));
}

async function asSent(input: RequestInfo | URL, init: RequestInit): Promise<[string, string | null]> {
  const request = new Request(input, { ...init, signal: null });
  return [await request.text(), request.headers.get("content-type")];
}

const bytes = new TextEncoder().encode("a=1");
const blob = new Blob(["a=1"], { type: "text/x" });
const FORM_URLENCODED = "application/x-www-form-urlencoded;charset=UTF-8";

describe("a body that is replayed", () => {
  it.each([
    ["no body", undefined, "", null],
    ["null", null, "", null],
    ["a text", "a=1", "a=1", "text/plain;charset=UTF-8"],
    ["an ArrayBuffer", bytes.buffer, "a=1", null],
    ["a view", bytes.subarray(2), "1", null],
    ["a Blob", blob, "a=1", "text/x"],
    ["URLSearchParams", new URLSearchParams({ a: "1" }), "a=1", FORM_URLENCODED],
    ["a factory", () => "a=1", "a=1", "text/plain;charset=UTF-8"],
    ["a factory of streams", () => blob.stream(), "a=1", null],
    ["a factory that waits", () => Promise.resolve(new URLSearchParams({ a: "1" })), "a=1", FORM_URLENCODED],
  ])("is the same on both attempts: %s", async (_, body, text, type) => {
    const init = { body: body as BodyInit, duplex: "half" };
    expect(await twice(bench(), URL_, init)).toEqual([[text, type], [text, type]]);
  });

  it("is not read to judge a rejection: a stream is sent anew after one, as any other", async () => {
    const b = bench();
    b.server.fail();
    b.server.respond(200);
    const running = b.fetch(URL_, { method: "PUT", body: () => blob.stream() });
    await pass(b.time);
    expect(outcomeOf(await running)).toMatchObject({ attempts: 2, maybeApplied: true });
  });

  it("is that of the call, though the caller changes it meanwhile", async () => {
    const params = new URLSearchParams({ a: "1" });
    const buffer = bytes.slice();
    for (const [body, change] of [
      [params, () => params.set("a", "2")],
      [buffer, () => buffer.fill(0)],
    ] as const) {
      const b = bench();
      b.server.respond(503);
      b.server.respond(200);
      const running = b.fetch(URL_, { method: "PUT", body });
      change();
      await pass(b.time);
      await running;
      const [first, second] = await Promise.all(b.server.sends.map((send) => asSent(send.input, send.init)));
      expect([first![0], second![0]]).toEqual(["a=1", "a=1"]);
    }
  });

  it("is serialised once if it is a form, so that its boundary stays the same", async () => {
    const form = new FormData();
    form.set("a", "1");
    form.set("file", new File(["x"], "Ä.txt"));
    for (const body of [form, () => form]) {
      const [first, second] = await twice(bench(), URL_, { body });
      expect(second).toEqual(first);
      const parsed = await new Response(first![0], { headers: { "content-type": first![1]! } }).formData();
      expect([parsed.get("a"), (parsed.get("file") as File).name]).toEqual(["1", "Ä.txt"]);
    }
  });

  it("leaves the type of a form to the caller who sets one", async () => {
    const form = new FormData();
    const [first] = await twice(bench(), URL_, { body: form, headers: { "Content-Type": "text/x" } });
    expect(first![1]).toBe("text/x");
  });

  it("of a `Request` is that of `init`, if there is one", async () => {
    const request = new Request(URL_, { method: "PUT", body: "old", headers: { "content-type": "text/y" } });
    expect(await twice(bench(), request, { body: "new" })).toEqual([["new", "text/y"], ["new", "text/y"]]);
    const buffered = { body: await request.arrayBuffer() };
    expect(await twice(bench(), request, buffered)).toEqual([["old", "text/y"], ["old", "text/y"]]);
  });
});

describe("a body that can be sent once", () => {
  const stream = (): ReadableStream => new Blob(["x"]).stream();
  const request = (): Request => new Request(URL_, { method: "PUT", body: "x" });

  it.each([
    ["a stream", () => [URL_, { method: "PUT", body: stream() }]],
    ["the body of a `Request`", () => [request(), {}]],
    ["an iterator", () => [URL_, { method: "PUT", body: (async function* () {})() }]],
    ["what nobody knows", () => [URL_, { method: "PUT", body: { pipe: () => {} } }]],
  ])("is sent once: %s", async (_, call) => {
    const { fetch, server } = bench();
    server.respond(503);
    const [input, init] = call() as [RequestInfo, RequestInit];
    const response = await fetch(input, init);
    expect(outcomeOf(response)).toMatchObject({ reason: "body-not-replayable", attempts: 1 });
    expect(server.sends).toHaveLength(1);
  });

  it("of a `Request` is not thought to be there when there is none", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    server.respond(200);
    const running = fetch(new Request(URL_, { method: "DELETE" }));
    await pass(time);
    await running;
    expect(server.sends).toHaveLength(2);
  });

  it("is that of a `Request` of another method, too, which no retry can send", async () => {
    const { fetch, server } = bench();
    server.fail(new TypeError("Request with GET/HEAD method cannot have body."));
    const written = new Request(URL_, { method: "PUT", body: "x" });
    expect((await refusal(fetch(written, { method: "GET" }))).reason).toBe("body-not-replayable");
    expect(server.sends).toHaveLength(1);
  });

  it("is not expected of a `Request` that was made without a method, whatever method it is sent with", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    server.respond(200);
    const silent = Object.defineProperty(new Request(URL_), "body", { value: undefined });
    const running = fetch(silent, { method: "DELETE" });
    await pass(time);
    expect((await running).status).toBe(200);
  });

  it("is expected of a `Request` that does not say whether it has one, as in Firefox", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    const silent = Object.defineProperty(new Request(URL_, { method: "PUT" }), "body", { value: undefined });
    expect(outcomeOf(await fetch(silent))?.reason).toBe("body-not-replayable");
    const read = Object.defineProperty(new Request(URL_), "body", { value: undefined });
    server.respond(503);
    server.respond(200);
    const running = fetch(read);
    await pass(time);
    expect((await running).status).toBe(200);
  });
});

describe("a body that cannot be made", () => {
  it("refuses the first attempt, which does not count", async () => {
    const { fetch, server } = bench();
    const cause = new Error("no such file");
    const body = (): never => {
      throw cause;
    };
    const error = await refusal(fetch(URL_, { method: "PUT", body }));
    expect(error).toMatchObject({ reason: "refused", cause, attempts: 0, maybeApplied: false });
    expect(server.sends).toHaveLength(0);
  });

  it("refuses a later one, which does not count either", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    const bodies = [new Blob(["x"]).stream()];
    const body = (): ReadableStream => bodies.pop() ?? expect.fail("no body");
    const running = refusal(fetch(URL_, { method: "PUT", body }));
    await pass(time);
    expect(await running).toMatchObject({ reason: "refused", attempts: 1, maybeApplied: true });
    expect(server.sends).toHaveLength(1);
  });
});

describe("a `Request`", () => {
  it("keeps its referrer and its headers, and gets those of `init` in their place", async () => {
    const { fetch, server } = bench();
    const request = new Request(URL_, { headers: { a: "1" }, referrerPolicy: "origin" });
    server.respond(200);
    server.respond(200);
    await fetch(request);
    await fetch(request, { headers: { b: "2" }, referrerPolicy: "no-referrer" });
    const sent = server.sends.map(({ input, init }) => new Request(input, { ...init, signal: null }));
    expect(sent.map((request) => [request.referrerPolicy, ...request.headers])).toEqual([
      ["origin", ["a", "1"]],
      ["no-referrer", ["b", "2"]],
    ]);
  });
});
