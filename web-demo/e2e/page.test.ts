import { mkdirSync } from "node:fs";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import type { Response } from "playwright-core";
import { createServer } from "vite";
import { describe, expect, it } from "vitest";
import { NAMES, panelTexts } from "../src/panel.js";
import { texts } from "../src/texts.js";
import { stage } from "./stage.js";
import { LOOKS, SHOWN, faults, opened, overflows, visit } from "./visit.js";

/** Most bytes that the page may download before it is ready for the first time, compressed by gzip. */
const FIRST_LOAD = 250 * 1024;

const set = stage();

describe.each(NAMES)("panel %s", (name) => {
  it.each(Object.entries(LOOKS))("has no serious fault of accessibility, and fits, in %s", async (look, options) => {
    const { page, end } = await visit(set.chromium, `${set.url}#${name}${SHOWN[name]}`, options);
    await opened(page, name);
    expect(await faults(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);
    const folder = env["REFRAIN_SCREENSHOTS"] ?? "node_modules/.screenshots";
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
    await end();
  });
});

it("fits into a narrow window with the longest name that a policy can have", async () => {
  const document = `schema = 1\nname = "${"a".repeat(39)}"\nversion = "1.0.0"\n`;
  const link = new URLSearchParams({ "b-document": document, document });
  for (const name of ["stampede", "workshop"] as const) {
    const { page, end } = await visit(set.chromium, `${set.url}#${name}?${link}`, LOOKS.narrow);
    await opened(page, name);
    if (name === "workshop") await page.getByRole("button", { name: texts.workshop.press, exact: true }).click();
    await page.locator(name === "workshop" ? ".digest" : ".herd").first().waitFor();
    expect(await overflows(page), name).toBe(false);
    await end();
  }
});

describe("the page", () => {
  it("opens each panel by keyboard alone, and says where one is", async () => {
    const { page, end } = await visit(set.chromium, set.url);
    await opened(page, NAMES[0]!);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    for (const name of NAMES.slice(1)) {
      await page.getByRole("link", { name: panelTexts(name).name }).focus();
      await page.keyboard.press("Enter");
      await opened(page, name);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(panelTexts(name).title);
      expect(await page.title()).toContain(panelTexts(name).name);
      expect(await page.locator("nav [aria-current]").textContent()).toBe(panelTexts(name).name);
    }
    await page.goBack();
    await opened(page, NAMES[NAMES.length - 2]!);
    await end();
  });

  it("opens its first panel for an address that names none", async () => {
    const { page, end } = await visit(set.chromium, `${set.url}#no-such-panel?value=1`);
    await opened(page, NAMES[0]!);
    await end();
  });

  it("goes back to a panel as it was left, by its link and by the browser's back", async () => {
    const { page, end } = await visit(set.chromium, `${set.url}#header?value=7`);
    await opened(page, "header");
    const value = page.getByRole("textbox", { name: texts.header.value, exact: true });
    await value.fill("8");
    const verdict = await page.locator(".verdict").first().elementHandle();
    for (const back of [() => page.goBack(), () => page.getByRole("link", { name: texts.header.name }).click()]) {
      await page.getByRole("link", { name: texts.request.name }).click();
      await opened(page, "request");
      await back();
      await opened(page, "header");
      expect(await value.inputValue()).toBe("8");
      expect(new URL(page.url()).hash).toContain("value=8");
    }
    expect(await verdict!.evaluate((element) => element.isConnected)).toBe(true);
    await end();
  });

  it("keeps the chosen colours over a reload", async () => {
    const { page, end } = await visit(set.chromium, set.url, { colorScheme: "light" });
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await paper();
    await page.getByLabel(texts.page.theme).selectOption(texts.page.themeDark);
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await paper()).toBe(dark);
    await end();
  });

  it("downloads little before it is ready, what it keeps for later not counted", async () => {
    const context = await set.chromium.newContext({ serviceWorkers: "block" });
    const page = await context.newPage();
    const responses: Response[] = [];
    page.on("response", (response) => responses.push(response));
    await page.goto(set.url, { waitUntil: "networkidle" });
    await opened(page, NAMES[0]!);
    const sizes = await Promise.all(responses.map(async (response) => (await response.request().sizes()).responseBodySize));
    const sum = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`first load: ${responses.length} files, ${sum} bytes, compressed by gzip; at most ${FIRST_LOAD}`);
    expect(responses.map((response) => response.headers()["content-encoding"])).toEqual(responses.map(() => "gzip"));
    expect(sum).toBeLessThan(FIRST_LOAD);
    await context.close();
  });

  it("works without a network once it was opened, each panel and after a reload", async () => {
    const { page, end } = await visit(set.chromium, set.url, { serviceWorkers: "allow" });
    await page.getByText(texts.page.offline).waitFor();
    await page.context().setOffline(true);
    for (const name of NAMES) {
      await page.goto(`${set.url}#${name}`);
      await page.reload();
      await opened(page, name);
    }
    await end();
  });

  it("says what to do where a panel cannot be loaded", async () => {
    const { page, complaints } = await visit(set.chromium, set.url, {}, (page) =>
      page.route("**/*.wasm", (route) => route.abort()),
    );
    await page.getByRole("alert").filter({ hasText: "Reload the page" }).waitFor();
    await page.context().close();
    expect(complaints.join()).toContain("ERR_FAILED");
  });

  it("is served from its sources too", async () => {
    const server = await createServer({ root: fileURLToPath(new URL("..", import.meta.url)), logLevel: "error", server: { port: 0 } });
    await server.listen();
    for (const name of NAMES) {
      const { page, end } = await visit(set.chromium, `${server.resolvedUrls!.local[0]}#${name}`);
      await opened(page, name);
      await end();
    }
    await server.close();
  });
});
