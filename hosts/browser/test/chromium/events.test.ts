import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Script } from "../loopback/script.js";
import { OPEN, serve } from "../loopback/server.js";
import { files, scripts } from "./adapter/files.js";
import { browser } from "./site.js";

let chromium: Browser;
let context: BrowserContext;
let page: Page;
let own: string;
let server: { close: () => void };

beforeAll(async () => {
  const sources = await scripts();
  const started = await serve(OPEN, files(sources, () => []));
  server = started;
  own = started.origin.replace("127.0.0.1", "localhost");
  chromium = await browser();
  context = await chromium.newContext();
  page = await context.newPage();
  await page.goto(`${own}/page`);
}, 60_000);

afterAll(async () => {
  await chromium?.close();
  server?.close();
});

/** What the page offers to tests. */
interface Tools {
  readonly tools: {
    load(): Promise<void>;
    begin(url: string): void;
    ended(): Promise<number>;
    layered(url: string, announces: boolean): Promise<void>;
    push(url: string): Promise<number>;
    left(): Promise<number>;
  };
}

describe("in Chromium", () => {
  it("a request that is made offline is sent when the browser is online again", async () => {
    const script = await Script.put(own, [{ status: 200, body: "here" }]);
    await page.evaluate(() => (globalThis as never as Tools).tools.load());
    await context.setOffline(true);
    await page.evaluate((url) => (globalThis as never as Tools).tools.begin(url), script.url);
    expect(await script.got()).toEqual([]);
    await context.setOffline(false);
    expect(await page.evaluate(() => (globalThis as never as Tools).tools.ended())).toBe(200);
    expect(await script.got()).toHaveLength(1);
  }, 30_000);

  it("a service worker sends what a page left in the queue, at a `sync` event", async () => {
    const script = await Script.put(own, [{ status: 200 }]);
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
        const active = versions.filter(({ status }) => status === "activated");
        const ready = active.find(({ scriptURL }) => scriptURL.endsWith("/sync-worker.js"));
        if (ready) resolve(ready.registrationId);
      });
    });
    await session.send("ServiceWorker.enable");
    await page.evaluate(() => void navigator.serviceWorker.register("/sync-worker.js", { type: "module" }));
    const registrationId = await registered;
    expect(await page.evaluate((url) => (globalThis as never as Tools).tools.push(url), script.url)).toBe(1);
    const sync = { origin: own, registrationId, tag: "@refrain/fetch", lastChance: false };
    await session.send("ServiceWorker.dispatchSyncEvent", sync);
    await script.reached(1);
    await expect.poll(() => page.evaluate(() => (globalThis as never as Tools).tools.left())).toBe(0);
    expect(await script.got()).toHaveLength(1);
  }, 30_000);

  it("a page and its service worker send as often as one of them, if the page says that it retries", async () => {
    const other = await (await chromium.newContext()).newPage();
    await other.goto(`${own}/page`);
    await other.evaluate(() => (globalThis as never as Tools).tools.load());
    for (const [announces, sends] of [[true, 4], [false, 16]] as const) {
      const script = await Script.put(own, [{ status: 503 }]);
      const run = [script.url, announces] as const;
      await other.evaluate(([url, announces]) => (globalThis as never as Tools).tools.layered(url, announces), run);
      expect(await script.got()).toHaveLength(sends);
    }
    await other.context().close();
  }, 30_000);

  it("a page that stands still in a wait goes on with it afterwards", async () => {
    const busy = { status: 503, headers: [["retry-after", "1"]] as const };
    const [still, clock] = [await context.newPage(), await context.newPage()];
    const scripts = [await Script.put(own, [busy, { status: 200 }]), await Script.put(own, [busy, { status: 200 }])];
    const begin = async (page: Page, { url }: Script): Promise<void> => {
      await page.goto(`${own}/page`);
      await page.evaluate(() => (globalThis as never as Tools).tools.load());
      await page.evaluate((url) => (globalThis as never as Tools).tools.begin(url), url);
    };
    await begin(still, scripts[0]!);
    await scripts[0]!.reached(1);
    const session = await context.newCDPSession(still);
    await session.send("Debugger.enable");
    await session.send("Debugger.pause");
    // The same wait, begun later, tells that the first one would be over.
    await begin(clock, scripts[1]!);
    expect(await clock.evaluate(() => (globalThis as never as Tools).tools.ended())).toBe(200);
    expect(await scripts[0]!.got()).toHaveLength(1);
    await session.send("Debugger.resume");
    await scripts[0]!.reached(2);
    expect(await still.evaluate(() => (globalThis as never as Tools).tools.ended())).toBe(200);
  }, 30_000);
});
