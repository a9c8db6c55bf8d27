/**
 * What tests share: a person in front of the page.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { PanelName } from "../src/panel.js";

/** A visit of one person: a page, and what it complained of. */
export interface Visit {
  readonly page: Page;
  /** Errors that nobody handled, and what the console was told as an error. */
  readonly complaints: readonly string[];
  /** Ends it. Fails if the page complained. */
  readonly end: () => Promise<void>;
}

/** How long a person would wait for something, in milliseconds, on a busy machine. */
const PATIENCE = 10_000;

/**
 * Opens the page at an address, in a browser of its own: nothing is stored from other visits. Without a service worker,
 * unless it is allowed: it fetches the whole page, which takes time.
 *
 * @param before prepares the page before it is opened
 */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  before: (page: Page) => Promise<unknown> = async () => {},
): Promise<Visit> {
  const context = await browser.newContext({ serviceWorkers: "block", ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await before(page);
  await page.goto(url);
  return {
    page,
    complaints,
    async end() {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

/** Waits until a panel is open and filled. */
export async function opened(page: Page, name: PanelName): Promise<void> {
  await page.locator(`#panel-${name} .panel-body[data-ready]`).waitFor({ state: "attached" });
  await page.locator(`#panel-${name} h1`).waitFor();
}

/** The looks in which every panel is checked and photographed. */
export const LOOKS = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  narrow: { colorScheme: "light", viewport: { width: 320, height: 720 } },
} as const satisfies Record<string, BrowserContextOptions>;

/** A state of each panel in which there is much to see, as its link holds it. */
export const SHOWN: Readonly<Record<PanelName, string>> = {
  header: "?value=5-&now=2023-09-29T16:26:37Z&date=Fri, 29 Sep 2023 16:26:37 GMT",
  request: "?policy=api-client&script=503,150;429,120,3;200,180&presses=offline@300;online@4200&until=9000",
  stampede: "",
  workshop: "",
};

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The faults of accessibility that are serious or critical, each with the elements that have it. */
export async function faults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => (globalThis as unknown as Axe).axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}

interface Axe {
  readonly axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly impact: string | null;
        readonly help: string;
        readonly nodes: readonly { readonly target: readonly string[] }[];
      }[];
    }>;
  };
}

/** Whether the page is wider than the window, so that a person has to scroll to the side. */
export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
