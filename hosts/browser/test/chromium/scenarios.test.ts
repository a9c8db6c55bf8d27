import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN, serve } from "../loopback/server.js";
import { scenarios } from "./adapter/all.js";
import { files, scripts } from "./adapter/files.js";
import type { Origins } from "./adapter/place.js";
import { browser } from "./site.js";

const FOREIGN = { locale: "ar-EG", timezoneId: "Asia/Kathmandu" };

/** Pages that differ in what they allow, and in what the person is used to. */
const PAGES = [
  { name: "a page", path: "/page", place: "page", context: {} },
  { name: "a page of another language and time zone", path: "/page", place: "page", context: FOREIGN },
  { name: "a page with a strict Content-Security-Policy", path: "/strict", place: "page", context: {} },
  { name: "a worker", path: "/page", place: "worker", context: {} },
  { name: "a worker of such a strict page", path: "/strict", place: "worker", context: {} },
  { name: "a service worker", path: "/page", place: "service worker", context: {} },
] as const;

let chromium: Browser;
let origins: Origins;
const servers: { close: () => void }[] = [];

beforeAll(async () => {
  const sources = await scripts();
  const all = await Promise.all([
    serve(OPEN, files(sources, () => Object.values(origins))),
    serve(OPEN),
    serve({ allows: true, exposes: [] }),
    serve({ allows: false, exposes: [] }),
  ]);
  servers.push(...all);
  const [own, open, mute, closed] = all.map(({ origin }) => origin) as [string, string, string, string];
  // By its name a loopback server is a secure context, and another site than by its address.
  origins = { own: own.replace("127.0.0.1", "localhost"), open, mute, closed };
  chromium = await browser();
}, 60_000);

afterAll(async () => {
  await chromium?.close();
  for (const server of servers) server.close();
});

describe.each(PAGES)("in Chromium, in $name", ({ path, place, context }) => {
  let page: Page;

  beforeAll(async () => {
    page = await (await chromium.newContext(context)).newPage();
    await page.goto(origins.own + path);
  });
  afterAll(() => page?.context().close());

  it.each(Object.keys(scenarios))("%s", async (name) => {
    const failure = await page.evaluate(
      ([place, name, origins]) => (globalThis as never as Runners).run[place]!(name, origins),
      [place, name, origins] as const,
    );
    expect(failure).toBeNull();
  }, 30_000);
});

interface Runners {
  readonly run: Readonly<Record<string, (name: string, origins: Origins) => Promise<string | null>>>;
}
