import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { isCurrent, outcomeOf } from "../src/outcome.js";
import { createSession } from "../src/session.js";
import { watched } from "../src/watched.js";
import { URL_, bench, benchOver, pass, refusal, resolvers, settled, type Bench } from "./bench.js";
import { engineOf } from "./policy.js";

/** What interrupts a request, and how it then ends. */
const INTERRUPTIONS = [
  {
    name: "a cancel",
    begin({ fetch }: Bench) {
      const controller = new AbortController();
      const reason = { why: "the user left" };
      return { running: fetch(URL_, { signal: controller.signal }), interrupt: () => controller.abort(reason), reason };
    },
  },
  {
    name: "a session that ends",
    begin({ fetch, session }: Bench) {
      return { running: fetch(URL_), interrupt: () => void session.raise(), reason: undefined };
    },
  },
];

/** Rejects with the signal's own reason, or says that another session is signed in. */
async function expectEnd(running: Promise<Response>, reason: unknown): Promise<void> {
  if (reason) await expect(running).rejects.toBe(reason);
  else expect(await refusal(running)).toMatchObject({ reason: "session-changed", response: undefined });
}

describe.each(INTERRUPTIONS)("$name", ({ begin }) => {
  it("in flight aborts the attempt at once", async () => {
    const b = bench();
    b.server.later();
    const { running, interrupt, reason } = begin(b);
    await b.server.sent();
    interrupt();
    await expectEnd(running, reason);
    expect(b.server.aborted).toBe(1);
  });

  it("while the answer arrives withholds even a success", async () => {
    const b = bench();
    const later = b.server.later();
    const { running, interrupt, reason } = begin(b);
    await b.server.sent();
    later.respond(200);
    interrupt();
    await expectEnd(running, reason);
  });

  it("withholds what a `fetch` answers that does not listen to its signal", async () => {
    let answer!: (response: Response) => void;
    const deaf = bench({}, { fetch: () => new Promise((resolve) => (answer = resolve)) });
    const { running, interrupt, reason } = begin(deaf);
    await settled();
    interrupt();
    await expectEnd(running, reason);
    const late = new Response(new ReadableStream());
    answer(late);
    await settled();
    await expect(late.body!.getReader().read()).resolves.toMatchObject({ done: true });
  });

  it("during the wait ends it at once, and nothing more is sent", async () => {
    const b = bench();
    b.server.respond(503);
    const { running, interrupt, reason } = begin(b);
    await b.time.waitEntered();
    interrupt();
    await expectEnd(running, reason);
    b.time.setMark(10_000);
    await settled();
    expect(b.server.sends).toHaveLength(1);
    expect(b.time.timers).toBe(0);
  });

  it("during the wait is no failure where there is no randomness", async () => {
    let hasEntropy = true;
    const entropy = (): number => (hasEntropy ? 1 : expect.fail("no randomness"));
    const b = bench({}, { entropy });
    b.server.respond(503);
    const { running, interrupt, reason } = begin(b);
    await b.time.waitEntered();
    hasEntropy = false;
    interrupt();
    await expectEnd(running, reason);
  });

  it("right after the wait sends nothing", async () => {
    const b = bench();
    b.server.respond(503);
    const { running, interrupt, reason } = begin(b);
    await pass(b.time);
    interrupt();
    await expectEnd(running, reason);
    expect(b.server.sends).toHaveLength(1);
  });

  it("while the body is made sends nothing", async () => {
    const b = bench();
    const body = resolvers<string>();
    const controller = new AbortController();
    const running = b.fetch(URL_, { method: "PUT", body: () => body.promise, signal: controller.signal });
    const ended = running.catch((error: unknown) => error);
    // Both at once: the body is there first, and what is newer has to be seen all the same.
    body.resolve("here");
    if (begin === INTERRUPTIONS[0]!.begin) controller.abort("stop");
    else b.session.raise();
    await ended;
    expect(b.server.sends).toHaveLength(0);
  });

  it("while offline ends at once", async () => {
    const b = bench();
    b.network.set(false);
    const { running, interrupt, reason } = begin(b);
    await b.time.waitEntered();
    interrupt();
    await expectEnd(running, reason);
    expect([b.server.sends.length, b.network.listeners, b.time.timers]).toEqual([0, 0, 0]);
  });
});

describe("a signal", () => {
  it("that is aborted before sends nothing", async () => {
    const { fetch, server } = bench();
    const signal = AbortSignal.abort("too late");
    await expect(fetch(URL_, { signal })).rejects.toBe("too late");
    await expect(fetch(new Request(URL_, { signal }))).rejects.toBe("too late");
    expect(server.sends).toHaveLength(0);
  });

  it("of a `Request` holds unless `init` has another, or `null`", async () => {
    const { fetch, server } = bench();
    const request = new Request(URL_, { signal: AbortSignal.abort("gone") });
    server.respond(200);
    server.respond(200);
    expect((await fetch(request, { signal: null })).status).toBe(200);
    expect((await fetch(request, { signal: new AbortController().signal })).status).toBe(200);
    await expect(fetch(request, { signal: undefined as never })).rejects.toBe("gone");
  });

  it("that times out is a cancel, and its reason goes through", async () => {
    const { fetch, server } = bench();
    server.later();
    const error = await fetch(URL_, { signal: AbortSignal.timeout(1) }).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "TimeoutError" });
  });

  it("that aborts when the policy has deferred the request comes too late, and takes no response away", async () => {
    const controller = new AbortController();
    const engine = watched(engineOf(), ({ type }) => type === "ended" && controller.abort("stop"));
    const { fetch, server } = benchOver(engine);
    const given = server.respond(503, { "retry-after": "61" });
    const error = await refusal(fetch(URL_, { signal: controller.signal }));
    expect([error.reason, error.response]).toEqual(["deferred", given]);
  });

  it("has no listener left, however the request ends", async () => {
    const { signal } = new AbortController();
    const b = bench();
    const { fetch, server, time, session } = b;
    const own = session.signal;
    const listeners = (): number[] => [signal, own].map((target) => getEventListeners(target, "abort").length);
    server.respond(200);
    await fetch(URL_, { signal });
    expect(listeners()).toEqual([0, 0]);
    server.respond(503);
    server.later();
    const running = fetch(URL_, { signal });
    expect(listeners()).toEqual([1, 1]);
    await pass(time);
    await server.sent();
    session.raise();
    await refusal(running);
    expect(listeners()).toEqual([0, 0]);
    server.respond(404);
    await fetch(URL_, { signal });
    const bad = fetch(URL_, { signal, method: "PUT", body: () => Promise.reject(new Error("no file")) });
    await refusal(bad);
    expect(listeners()).toEqual([0, 0]);
  });

  it("has one listener, however many requests it holds for, and each of them hears", async () => {
    const { fetch, server, session } = bench();
    const controller = new AbortController();
    const running = Array.from({ length: 20 }, () => {
      server.later();
      return fetch(URL_, { signal: controller.signal });
    });
    const shared = [controller.signal, session.signal];
    const listeners = (): number[] => shared.map((signal) => getEventListeners(signal, "abort").length);
    expect(listeners()).toEqual([1, 1]);
    controller.abort("stop");
    expect(await Promise.allSettled(running)).toEqual(Array(20).fill({ status: "rejected", reason: "stop" }));
    expect(listeners()).toEqual([0, 0]);
  });

  it("that aborts in the same moment as its request is called sends nothing", async () => {
    const { fetch, server } = bench();
    const controller = new AbortController();
    const body = new FormData();
    const running = fetch(URL_, { method: "PUT", body, signal: controller.signal });
    controller.abort("stop");
    await expect(running).rejects.toBe("stop");
    expect(server.sends).toHaveLength(0);
  });
});

describe("a session", () => {
  it("answers of a response whether it is current, also after the body was read", async () => {
    const { fetch, server, session } = bench();
    server.respond(200, {}, "mine");
    const response = await fetch(URL_);
    expect(await response.text()).toBe("mine");
    expect(isCurrent(response)).toBe(true);
    session.raise();
    expect(isCurrent(response)).toBe(false);
    expect(outcomeOf(response)?.reason).toBe("success");
  });

  it("is not asked by a request without one, and a copy of a response is refused", async () => {
    const { fetch, server } = bench({}, { session: undefined as never });
    server.respond(200);
    const response = await fetch(URL_);
    expect(isCurrent(response)).toBe(true);
    expect(() => isCurrent(response.clone())).toThrow("expected a response as it came from createFetch");
  });

  it("begins at a random generation and never comes back to one", () => {
    const [one, other] = [createSession(), createSession()];
    expect(one.current).not.toBe(other.current);
    expect(Number.isSafeInteger(one.current)).toBe(true);
    const last = createSession(2 ** 53 - 1);
    expect([last.raise(), last.raise()]).toEqual([0, 1]);
  });

  it("belongs to the call, not to the first send", async () => {
    const { fetch, server, session } = bench();
    server.respond(200);
    const body = new FormData();
    const running = fetch(URL_, { method: "PUT", body });
    session.raise();
    expect((await refusal(running)).reason).toBe("session-changed");
    expect(server.sends).toHaveLength(0);
  });

  it("withholds a response of the old one from who is signed in later", async () => {
    const { fetch, server, session } = bench();
    const [old, later] = [server.later(), server.later()];
    const first = fetch(URL_);
    session.raise();
    const second = fetch(URL_);
    old.respond(200, {}, "old");
    later.respond(200, {}, "new");
    expect((await refusal(first)).reason).toBe("session-changed");
    expect(await (await second).text()).toBe("new");
  });
});
