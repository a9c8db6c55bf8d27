import { describe, expect, it } from "vitest";
import { idempotencyKey } from "../src/key.js";
import { RefrainError, outcomeOf } from "../src/outcome.js";
import { resumed } from "../src/resume.js";
import { URL_, bench, pass, refusal, settled } from "./bench.js";

describe("a request", () => {
  it("is made as by `fetch`, whose place it takes", async () => {
    const { fetch, server } = bench();
    const dropIn: typeof globalThis.fetch = fetch;
    for (const input of [URL_, new URL(URL_), new Request(URL_)]) {
      const given = server.respond(200);
      expect(await dropIn(input)).toBe(given);
    }
    expect(server.sends.map(({ init }) => init.method)).toEqual([undefined, undefined, undefined]);
  });

  it("calls the `fetch` that it is given on nothing, as a page's own has to be called", async () => {
    const calledOn: unknown[] = [];
    const { fetch } = bench({}, {
      async fetch(this: unknown) {
        calledOn.push(this);
        return new Response("here");
      },
    });
    await fetch(URL_);
    expect(calledOn).toEqual([undefined]);
  });

  it("leads to three sends at the planned times when the third is answered", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    server.respond(429, { "retry-after": "7" });
    server.respond(200, {}, "here");
    const running = fetch(URL_);
    expect(await pass(time)).toBe(1_000);
    expect(await pass(time)).toBe(8_000);
    const response = await running;
    expect([response.status, await response.text()]).toEqual([200, "here"]);
    expect(server.sends.map((send) => send.at)).toEqual([0, 1_000, 8_000]);
    expect(outcomeOf(response)).toMatchObject({ reason: "success", attempts: 3, maybeApplied: false, resume: null });
  });

  it("hands a status outside the retry set over as it is", async () => {
    const { fetch, server } = bench();
    const given = server.respond(404);
    const response = await fetch(URL_);
    expect(response).toBe(given);
    expect(outcomeOf(response)).toMatchObject({ reason: "not-retryable", attempts: 1 });
  });

  it("hands over the response of the last allowed attempt, its body unread", async () => {
    const { fetch, server, time } = bench({ maxAttempts: 2 });
    server.respond(503);
    server.respond(500, {}, "still down");
    const running = fetch(URL_);
    await pass(time);
    const response = await running;
    expect([response.status, await response.text()]).toEqual([500, "still down"]);
    expect(outcomeOf(response)).toMatchObject({ reason: "attempts-used", attempts: 2 });
  });

  it("rejects as `fetch` does when the last attempt has no answer, and says why", async () => {
    const { fetch, server, time } = bench({ maxAttempts: 2 });
    const cause = new TypeError("Failed to fetch");
    server.fail();
    server.fail(cause);
    const running = refusal(fetch(URL_));
    await pass(time);
    const error = await running;
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ reason: "attempts-used", status: 0, response: undefined, cause });
    expect(error).toMatchObject({ attempts: 2, maybeApplied: true });
    expect(error.message).toBe("the request ended: attempts-used; attempts: 2");
  });

  it("discards the body of a response that it retries", async () => {
    const { fetch, server, time } = bench();
    const given = server.respond(503, {}, new ReadableStream());
    server.respond(200);
    const running = fetch(URL_);
    await pass(time);
    await running;
    await expect(given.body!.getReader().read()).resolves.toEqual({ done: true, value: undefined });
  });

  it("is deferred whole when the server asks for a longer wait than a page may wait", async () => {
    const { fetch, server, time } = bench();
    time.setWall(1_700_000_000_000);
    const given = server.respond(503, { "retry-after": "90" });
    const error = await refusal(fetch(URL_));
    expect(error.reason).toBe("deferred");
    expect(error.resume).toEqual({ delay: 90_000, notBefore: 1_700_000_090_000, attemptsUsed: 1 });
    expect(error.response).toBe(given);
    expect(error.status).toBe(503);
    expect(outcomeOf(given)).toMatchObject({ reason: "deferred", resume: error.resume });
  });

  it("goes on later with its count, and not before it may", async () => {
    const { fetch, server, time } = bench({ maxAttempts: 2 });
    time.setMark(5_000);
    server.respond(503);
    const running = fetch(URL_, { resume: resumed({ delay: 2_000, notBefore: null, attemptsUsed: 1 }, time) });
    expect(await pass(time)).toBe(7_001);
    expect(outcomeOf(await running)).toMatchObject({ reason: "attempts-used", attempts: 2 });
    expect(server.sends).toHaveLength(1);
  });

  it("does not begin a wait that reaches the deadline, and hands over what it has", async () => {
    const { fetch, server } = bench({ deadline: 1_000 });
    server.respond(503);
    const response = await fetch(URL_);
    expect(response.status).toBe(503);
    expect(outcomeOf(response)).toMatchObject({ reason: "deadline", resume: { delay: 1_000, attemptsUsed: 1 } });
  });

  it("sends nothing after its deadline when it overslept", async () => {
    const { fetch, server, time } = bench({ deadline: 1_500 });
    server.respond(503);
    const running = refusal(fetch(URL_));
    await time.waitEntered();
    time.setMark(1_500);
    expect(await running).toMatchObject({ reason: "deadline", status: 503, response: undefined });
    expect(server.sends).toHaveLength(1);
  });

  it("sends nothing early when timers fire too soon", async () => {
    const { fetch, server, time } = bench();
    server.respond(503);
    server.respond(200);
    const running = fetch(URL_);
    for (const mark of [0, 400, 999.9]) {
      expect(await time.waitEntered()).toBe(1_000);
      time.setMark(mark);
      time.wakeEarly();
      await settled();
      expect(server.sends).toHaveLength(1);
    }
    await pass(time);
    await running;
    expect(server.sends.map((send) => send.at)).toEqual([0, 1_000]);
  });

  it("rounds its clock up when it reports and down when it wakes", async () => {
    const { fetch, server, time } = bench();
    time.advance(0.1);
    server.respond(503, { "retry-after": "2" });
    server.respond(200);
    const running = fetch(URL_);
    expect(await time.waitEntered()).toBe(2_001);
    time.setMark(2_000.9);
    time.wakeEarly();
    expect(await pass(time)).toBe(2_001);
    await running;
  });

  it("does not move a wait when the wall clock is corrected", async () => {
    const { fetch, server, time } = bench();
    time.setWall(Date.UTC(2026, 0, 1));
    server.respond(503, { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" });
    server.respond(200);
    const running = fetch(URL_);
    expect(await time.waitEntered()).toBe(20_000);
    time.setWall(Date.UTC(2027, 0, 1));
    time.wakeEarly();
    expect(await pass(time)).toBe(20_000);
    await running;
  });

  it("aborts an attempt that takes too long, and sends again", async () => {
    const { fetch, server, time } = bench({ attemptTimeout: 5_000, maxAttempts: 2 });
    server.later();
    server.later();
    const running = refusal(fetch(URL_));
    expect([await pass(time), await pass(time), await pass(time)]).toEqual([5_000, 6_000, 11_000]);
    const error = await running;
    expect(server.aborted).toBe(2);
    expect(error).toMatchObject({ reason: "attempts-used", attempts: 2, maybeApplied: true });
    expect(error.cause).toMatchObject({ name: "TimeoutError" });
  });

  it("aborts an attempt that takes too long beside a caller's signal, without a session too", async () => {
    const { fetch, server, time } = bench({ attemptTimeout: 5_000, maxAttempts: 1 }, { session: undefined } as object);
    server.later();
    const running = refusal(fetch(URL_, { signal: new AbortController().signal }));
    expect(await pass(time)).toBe(5_000);
    await running;
    expect(server.aborted).toBe(1);
  });

  it("sends with the caller's own signal where nobody else ends an attempt", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const keep: typeof fetch = (_, init) => Promise.resolve(new Response(String(signals.push(init?.signal))));
    const { signal } = new AbortController();
    const { fetch } = bench({}, { fetch: keep, session: undefined } as object);
    await fetch(URL_, { signal });
    expect(signals[0]).toBe(signal);
  });

  it("lets go of what is answered after the time of the last attempt", async () => {
    let answer!: (response: Response) => void;
    const deaf: typeof fetch = () => new Promise((resolve) => (answer = resolve));
    const { fetch, time } = bench({ attemptTimeout: 5_000, maxAttempts: 1 }, { fetch: deaf });
    const running = refusal(fetch(URL_));
    expect(await pass(time)).toBe(5_000);
    expect((await running).cause).toMatchObject({ name: "TimeoutError" });
    const late = new Response(new ReadableStream());
    answer(late);
    await settled();
    await expect(late.body!.getReader().read()).resolves.toMatchObject({ done: true });
  });

  it("cuts a running attempt short at a deadline that bounds attempts", async () => {
    const { fetch, server, time } = bench({ deadline: 3_000, deadlineBoundsAttempts: true });
    server.later();
    const running = refusal(fetch(URL_));
    expect(await pass(time)).toBe(3_000);
    expect((await running).reason).toBe("deadline");
    expect(server.aborted).toBe(1);
  });

  it("keeps to limits that are tighter than the policy's, its own in place of those of all", async () => {
    const { fetch, server, time } = bench({}, { limits: { maxWait: 500 } });
    server.respond(503);
    expect((await refusal(fetch(URL_))).reason).toBe("deferred");
    server.respond(503);
    const response = await fetch(URL_, { limits: { maxAttempts: 1 } });
    expect(outcomeOf(response)?.reason).toBe("attempts-used");
    expect(time.timers).toBe(0);
  });

  it("hands opaque responses on as they are", async () => {
    for (const type of ["opaque", "opaqueredirect"]) {
      const { fetch, server } = bench();
      const given = Object.defineProperties(server.respond(200), { status: { value: 0 }, type: { value: type } });
      const response = await fetch(URL_, { mode: "no-cors", redirect: "manual" });
      expect(response).toBe(given);
      expect(outcomeOf(response)?.reason).toBe("not-retryable");
    }
  });

  it("takes a field that it may not read for one that is not there", async () => {
    const { fetch, server, time } = bench();
    const given = server.respond(503, { "retry-after": "30" });
    Object.defineProperty(given, "headers", { value: new Headers() });
    server.respond(200);
    const running = fetch(URL_);
    expect(await pass(time)).toBe(1_000);
    await running;
  });

  it("reads two equal lines of a field, which `fetch` joins, as one", async () => {
    const { fetch, server, time } = bench();
    server.respond(503, [["retry-after", "20"], ["retry-after", "20"]]);
    server.respond(200);
    const running = fetch(URL_);
    expect(await pass(time)).toBe(20_000);
    await running;
  });

  it("does not judge a rejection by its message or its class", async () => {
    for (const error of [new TypeError("invalid URL"), new DOMException("x", "AbortError"), "offline", undefined]) {
      const { fetch, server, time } = bench({ maxAttempts: 2 });
      server.fail(error);
      server.respond(200);
      const running = fetch(URL_);
      expect(await pass(time)).toBe(1_000);
      expect(outcomeOf(await running)).toMatchObject({ attempts: 2, maybeApplied: true });
    }
  });

  it("does not repeat what no request can be made of", async () => {
    for (const [input, init] of [
      ["http://[", {}],
      [URL_, { headers: { "a b": "1" } }],
      [URL_, { method: "GET", body: "x" }],
      [URL_, { method: "CON NECT" }],
    ] as const) {
      const { fetch } = bench({}, { fetch: globalThis.fetch });
      const error = await fetch(input, init).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(TypeError);
      if (error instanceof RefrainError) expect(error).toMatchObject({ reason: "not-retryable", attempts: 1 });
    }
  });

  it("gives the inner `fetch` what it was given itself, without what belongs to it alone", async () => {
    const { fetch, server } = bench();
    server.respond(200);
    const resume = { notBefore: 0, attemptsUsed: 1 };
    await fetch(URL_, { cache: "no-store", limits: { maxAttempts: 2 }, key: idempotencyKey("k-1"), resume });
    const { input, init } = server.sends[0]!;
    expect(input).toBe(URL_);
    expect(init.cache).toBe("no-store");
    const { cache, headers, signal, ...own } = init;
    expect([...new Headers(headers)]).toEqual([["idempotency-key", "k-1"]]);
    expect([cache, signal?.aborted]).toEqual(["no-store", false]);
    expect(Object.values(own).filter((value) => value !== undefined)).toEqual([]);
  });
});
