import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coreModule, dynamicModule, slots, vectorFiles } from "../core.js";
import type { Verdict } from "./page.js";
import { browser, site } from "./site.js";

const files = [...vectorFiles().values()];
const total = files.reduce((sum, { vectors }) => sum + vectors.length, 0);
let chromium: Browser;
let served: Awaited<ReturnType<typeof site>>;

beforeAll(async () => {
  const page = fileURLToPath(new URL("page.ts", import.meta.url));
  const { outputFiles } = await build({ entryPoints: [page], bundle: true, format: "esm", target: "es2022", write: false });
  served = await site({
    "index.html": '<!doctype html><script type="module" src="page.js"></script>',
    "page.js": outputFiles[0]!.text,
    "core.wasm": coreModule(),
    "dynamic.wasm": dynamicModule(),
    "vectors.json": JSON.stringify(files),
    "slots.json": JSON.stringify(slots()),
  });
  chromium = await browser();
}, 60_000);

afterAll(async () => {
  await chromium?.close();
  served?.server.close();
});

/** A page of the site, its complaints among the errors of the test. */
async function open(locale: string, timezoneId: string): Promise<Page> {
  const page = await (await chromium.newContext({ locale, timezoneId })).newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(served.url);
  await page.waitForFunction(() => "verdicts" in self);
  return page;
}

function everyVectorHolds(verdicts: Verdict[], where: Partial<Verdict>): void {
  const sound = { vectors: total, mismatches: [], ...where };
  expect(verdicts).toMatchObject(["pinned", "dynamic"].map((engine) => ({ engine, ...sound })));
}

describe("in Chromium, under a strict Content-Security-Policy, every vector holds in both engines", () => {
  it.each([
    ["en-US", "UTC", 0],
    ["tr-TR", "Asia/Kathmandu", 345],
    ["ar-EG", "Pacific/Apia", 780],
  ])("on a page, in %s and %s", async (locale, timeZone, ahead) => {
    const page = await open(locale, timeZone);
    const verdicts = await page.evaluate(() => (self as unknown as { verdicts(): Promise<Verdict[]> }).verdicts());
    everyVectorHolds(verdicts, { scope: "Window", language: locale, ahead });
  }, 60_000);

  it("in a worker", async () => {
    const page = await open("tr-TR", "Asia/Kathmandu");
    const verdicts = await page.evaluate(() => new Promise<Verdict[]>((done, fail) => {
      const worker = new Worker("page.js", { type: "module" });
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => (typeof data === "string" ? fail(new Error(data)) : done(data));
      worker.onerror = ({ message }) => fail(new Error(message));
      worker.postMessage(null, [port2]);
    }));
    everyVectorHolds(verdicts, { scope: "DedicatedWorkerGlobalScope" });
  }, 60_000);

  it("in a service worker", async () => {
    const page = await open("tr-TR", "Asia/Kathmandu");
    const verdicts = await page.evaluate(async () => {
      await navigator.serviceWorker.register("page.js", { type: "module" });
      const { active } = await navigator.serviceWorker.ready;
      return new Promise<Verdict[]>((done, fail) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => (typeof data === "string" ? fail(new Error(data)) : done(data));
        active!.postMessage(null, [port2]);
      });
    });
    everyVectorHolds(verdicts, { scope: "ServiceWorkerGlobalScope" });
  }, 60_000);
});
