import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFetch } from "../src/fetch.js";
import { idempotencyKey } from "../src/key.js";
import { CredentialError, QueueFullError, SYNC_TAG, drainAtSync, openQueue, queued } from "../src/queue.js";
import type { DeferralQueue, QueueOptions } from "../src/queue.js";
import { createSession } from "../src/session.js";
import { ScriptedFetch, TestTime } from "../src/testing.js";
import { ONE, URL_, pass, refusal, settled } from "./bench.js";
import { engineOf } from "./policy.js";

const WALL = Date.UTC(2026, 0, 1);
const LATER = { "retry-after": "90" };

const open: DeferralQueue[] = [];

beforeEach(() => vi.stubGlobal("indexedDB", new IDBFactory()));
afterEach(() => {
  for (const queue of open.splice(0)) queue.close();
  vi.unstubAllGlobals();
});

/** A page: its clock, its queue, and a `fetch` whose deferred requests go there. */
async function page(options: QueueOptions = {}, wall: number | null = WALL) {
  const time = new TestTime();
  time.setWall(wall);
  const server = new ScriptedFetch(time);
  const queue = await openQueue({ time, ...options });
  open.push(queue);
  const plain = createFetch({ engine: engineOf({ maxAttempts: 2 }), time, fetch: server.fetch, entropy: () => ONE });
  return { time, server, queue, plain, fetch: queued(plain, queue) };
}

describe("a queue", () => {
  it("keeps what is deferred, and whoever called hears that it was not done", async () => {
    const { fetch, server, queue } = await page({ headers: ["Accept"] });
    server.respond(503, LATER);
    const headers = { accept: "x/y", authorization: "Bearer hunter2", "x-other": "1" };
    const key = idempotencyKey("order-4711");
    const error = await refusal(fetch(URL_, { method: "POST", body: "order=1", headers, key, credentials: "include" }));
    expect(error.reason).toBe("deferred");
    const [entry] = await queue.entries();
    expect(entry).toMatchObject({
      url: URL_,
      method: "POST",
      headers: [["accept", "x/y"], ["content-type", "text/plain;charset=UTF-8"]],
      credentials: "include",
      key,
      resume: { delay: 90_000, notBefore: WALL + 90_000, attemptsUsed: 1 },
    });
    expect(await entry!.body!.text()).toBe("order=1");
    expect(JSON.stringify(entry)).not.toContain("hunter2");
  });

  it("keeps nothing that ended in another way", async () => {
    const { fetch, server, queue, time } = await page();
    server.respond(200);
    server.respond(404);
    server.fail();
    server.fail();
    await fetch(URL_);
    await fetch(URL_);
    const running = refusal(fetch(URL_));
    await pass(time);
    await running;
    expect(await queue.entries()).toEqual([]);
  });

  it("sends nothing before it may, then with its count, its key and its body", async () => {
    const { fetch, plain, server, queue, time } = await page();
    const body = new FormData();
    body.set("a", "1");
    server.respond(503, LATER);
    await refusal(fetch(URL_, { method: "POST", body, key: idempotencyKey("k-1") }));
    time.advance(89_000);
    expect(await queue.drain(plain)).toBe(1_001);
    expect(server.sends).toHaveLength(1);
    time.advance(1_001);
    server.respond(201);
    const seen: unknown[] = [];
    const left = await queue.drain(plain, ({ entry, response }) => void seen.push([entry.id, response?.status]));
    expect([left, seen]).toEqual([undefined, [[1, 201]]]);
    expect(await queue.entries()).toEqual([]);
    const [first, second] = server.sends.map(({ input, init }) => new Request(input, { ...init, signal: null }));
    expect(second!.headers.get("idempotency-key")).toBe("k-1");
    expect(second!.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
    expect((await second!.formData()).get("a")).toBe("1");
    expect(first!.url).toBe(second!.url);
  });

  it("hands over what is due in a moment, and the `fetch` waits for it", async () => {
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 50, notBefore: null, attemptsUsed: 1 }, URL_);
    server.respond(200);
    const draining = queue.drain(plain);
    expect(await time.waitEntered()).toBe(51);
    expect(server.sends).toHaveLength(0);
    time.setMark(51);
    expect(await draining).toBeUndefined();
  });

  it("sends what is overdue at once, though it was only loaded", async () => {
    const { plain, server, queue, time } = await page();
    const mark = (up: boolean): number => time.mark(up) + (up ? 3 : 0);
    const coarse = { mark, wall: () => time.wall(), sleep: time.sleep.bind(time) };
    await queue.push({ delay: 1_000, notBefore: WALL - 5_000, attemptsUsed: 1 }, URL_);
    const worker = await openQueue({ time: coarse });
    open.push(worker);
    server.respond(200);
    const draining = worker.sync(plain);
    time.setMark(await time.waitEntered());
    await draining;
    expect(server.sends).toHaveLength(1);
  });

  it("goes on in another page, when the wall clock says so, once", async () => {
    const before = await page();
    before.server.respond(503, LATER);
    await refusal(before.fetch(URL_));
    before.queue.close();
    const after = await page({}, WALL + 60_000);
    expect(await after.queue.drain(after.plain)).toBe(30_001);
    after.time.setWall(WALL + 1_000_000);
    expect(await after.queue.drain(after.plain)).toBe(30_001);
    after.time.advance(30_001);
    after.server.respond(503);
    const ended: unknown[] = [];
    await after.queue.drain(after.plain, ({ response }) => void ended.push(response?.status));
    // One send was made before, and two are allowed.
    expect([ended, after.server.sends.length]).toEqual([[503], 1]);
  });

  it("keeps what is deferred again, with its new moment and count", async () => {
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_);
    time.advance(1);
    server.respond(503, LATER);
    const left = await queue.drain(plain);
    expect(left).toBe(90_001);
    expect((await queue.entries())[0]!.resume).toMatchObject({ delay: 90_000, attemptsUsed: 1 });
  });

  it("lets what went offline rest before it is tried again", async () => {
    const { server, queue, time } = await page();
    const network = { online: false, subscribe: () => () => {} };
    const fetch = createFetch({ engine: engineOf(), time, fetch: server.fetch, network, limits: { maxWait: 0 } });
    await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_);
    time.advance(1);
    expect(await queue.drain(fetch)).toBe(15_000);
    expect(await queue.entries()).toHaveLength(1);
  });

  it("sends the earliest first, one after the other", async () => {
    const { plain, server, queue, time } = await page();
    for (const delay of [3_000, 1_000, 2_000]) {
      await queue.push({ delay, notBefore: null, attemptsUsed: 0 }, `${URL_}/${delay}`);
      server.respond(200);
    }
    time.advance(2_001);
    expect(await queue.drain(plain)).toBe(1_000);
    expect(server.sends.map((send) => send.input)).toEqual([`${URL_}/1000`, `${URL_}/2000`]);
  });

  it("runs on, waits for what is due, and hears of what is pushed meanwhile", async () => {
    const { plain, server, queue, time } = await page();
    const stop = new AbortController();
    const seen: string[] = [];
    const running = queue.run(plain, stop.signal, ({ entry }) => void seen.push(entry.url));
    await settled();
    await queue.push({ delay: 5_000, notBefore: null, attemptsUsed: 0 }, `${URL_}/1`);
    server.respond(200);
    while ((await time.waitEntered()) !== 5_001);
    time.setMark(5_001);
    await vi.waitFor(() => expect(seen).toEqual([`${URL_}/1`]));
    stop.abort();
    await running;
    expect(time.timers).toBe(0);
  });

  it("runs no longer than until it is told to stop, also while an entry is sent", async () => {
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_);
    time.advance(1);
    server.respond(200);
    const stop = new AbortController();
    await queue.run(plain, stop.signal, () => stop.abort());
    expect(server.sends).toHaveLength(1);
  });

  it("does not bring back what was cancelled while it was sent", async () => {
    const { plain, server, queue, time } = await page();
    const id = await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_);
    time.advance(1);
    const later = server.later();
    const draining = queue.drain(plain);
    await server.sent();
    await queue.cancel(id);
    later.respond(503, LATER);
    expect(await draining).toBeUndefined();
    expect(await queue.entries()).toEqual([]);
  });

  it("is drained by one at a time", async () => {
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_);
    time.advance(1);
    const later = server.later();
    const first = queue.drain(plain);
    await server.sent();
    expect(await queue.drain(plain)).toBe(0);
    later.respond(200);
    expect(await first).toBeUndefined();
    expect(server.sends).toHaveLength(1);
  });

  it("holds as many as it may, and says so of the next", async () => {
    const { fetch, server, queue } = await page({ capacity: 1 });
    server.respond(503, LATER);
    server.respond(503, LATER);
    await refusal(fetch(URL_));
    const error = await fetch(URL_).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AggregateError);
    const [deferred, full] = (error as AggregateError).errors;
    expect([deferred.reason, full]).toEqual(["deferred", expect.any(QueueFullError)]);
    expect(full.message).toBe("expected fewer than 1 deferred requests in the queue");
    expect(await queue.entries()).toHaveLength(1);
  });

  it("refuses to keep credentials", async () => {
    for (const name of ["Authorization", "cookie", "Proxy-Authorization"]) {
      await expect(openQueue({ headers: [name] })).rejects.toThrow(CredentialError);
      await expect(openQueue({ headers: [name] })).rejects.toThrow(`found \`${name.toLowerCase()}\``);
    }
  });

  it("keeps the body of a `Request`, which its first send reads", async () => {
    const { fetch, server, queue } = await page();
    const request = new Request(URL_, { method: "PUT", body: "whole" });
    server.respond(503, LATER);
    const body = await request.clone().arrayBuffer();
    await refusal(fetch(request, { body }));
    server.respond(503);
    await fetch(new Request(URL_, { method: "PUT", body: "once" }));
    expect(await Promise.all((await queue.entries()).map((entry) => entry.body!.text()))).toEqual(["whole"]);
  });

  it("asks for Background Sync where it exists, and rejects a sync that leaves something", async () => {
    const register = vi.fn(() => Promise.resolve());
    vi.stubGlobal("registration", { sync: { register } });
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 1_000, notBefore: null, attemptsUsed: 0 }, URL_);
    expect(register).toHaveBeenCalledWith("@refrain/fetch");
    await expect(queue.sync(plain)).rejects.toThrow("not due yet");
    time.advance(1_001);
    server.respond(200);
    await queue.sync(plain);
  });

  it("is drained at a `sync` event of its tag, and closed again", async () => {
    let listener!: (event: object) => void;
    vi.stubGlobal("addEventListener", (type: string, hear: typeof listener) => type === "sync" && (listener = hear));
    const { plain, server, queue, time } = await page();
    await queue.push({ delay: 0, notBefore: WALL - 1, attemptsUsed: 0 }, URL_);
    const closed = vi.spyOn(BroadcastChannel.prototype, "close");
    const seen: unknown[] = [];
    drainAtSync(plain, { time }, ({ response }) => void seen.push(response?.status));
    const ended: Promise<unknown>[] = [];
    const event = (tag: string): object => ({ tag, waitUntil: (end: Promise<unknown>) => ended.push(end) });
    listener(event("another"));
    expect(ended).toEqual([]);
    server.respond(200);
    listener(event(SYNC_TAG));
    await Promise.all(ended);
    expect(seen).toEqual([200]);
    expect(closed).toHaveBeenCalledTimes(1);
    closed.mockRestore();
  });

  it("pushes though Background Sync is refused", async () => {
    const register = (): Promise<void> => Promise.reject(new DOMException("no", "NotAllowedError"));
    vi.stubGlobal("registration", { sync: { register } });
    const { queue } = await page();
    expect(await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, URL_)).toBe(1);
  });
});

describe("at a sign-out", () => {
  const resume = { delay: 0, notBefore: null, attemptsUsed: 0 };

  it("all entries are removed, and what is being sent is aborted", async () => {
    const session = createSession();
    const { plain, server, queue, time } = await page({ session });
    await queue.push(resume, URL_);
    await queue.push(resume, URL_);
    time.advance(1);
    server.later();
    const seen: unknown[] = [];
    const draining = queue.drain(plain, (drained) => void seen.push(drained));
    await server.sent();
    session.raise();
    expect(await draining).toBeUndefined();
    expect([seen, await queue.entries(), server.aborted]).toEqual([[], [], 1]);
    session.raise();
    await queue.push(resume, URL_);
    session.raise();
    await vi.waitFor(async () => expect(await queue.entries()).toEqual([]));
  });

  it("another tab or worker stops too", async () => {
    const [one, other] = [await page(), await page()];
    await one.queue.push({ ...resume, delay: 1_000 }, URL_);
    // Loaded here, the whole delay is waited again: nobody can tell how much of it is left.
    expect(await other.queue.drain(other.plain)).toBe(1_001);
    other.time.advance(1_001);
    other.server.later();
    const draining = other.queue.drain(other.plain);
    await other.server.sent();
    await one.queue.purge();
    expect(await draining).toBeUndefined();
    expect(other.server.aborted).toBe(1);
  });

  it("nothing of before is kept that was still being read", async () => {
    const session = createSession();
    const { queue } = await page({ session });
    const pushing = queue.push(resume, URL_, { method: "PUT", body: "x" });
    session.raise();
    await expect(pushing).rejects.toMatchObject({ name: "AbortError" });
    expect(await queue.entries()).toEqual([]);
  });

  it("an entry that is cancelled is not sent", async () => {
    const { plain, server, queue, time } = await page();
    await queue.cancel(await queue.push(resume, URL_));
    time.advance(1);
    expect(await queue.drain(plain)).toBeUndefined();
    expect(server.sends).toHaveLength(0);
  });
});
