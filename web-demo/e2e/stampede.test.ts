import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { texts } from "../src/texts.js";
import { inFolder, refrain } from "./program.js";
import { stage } from "./stage.js";
import { faults, opened, visit, type Visit } from "./visit.js";

const { stampede, editor } = texts;

const set = stage();

/** The page with this panel, at a state of it, after its first simulation. */
async function open(query?: string): Promise<Visit> {
  const visited = await set.open("stampede", query);
  await done(visited.page);
  return visited;
}

/** Waits until the simulation that was asked for last has come to its end. */
async function done(page: Page): Promise<void> {
  await page.getByText(/simulated in/).waitFor();
}

/** Does something that begins a simulation, and waits for what comes of it. */
async function after(page: Page, act: () => Promise<unknown>): Promise<void> {
  await act();
  await done(page);
}

/** The numbers of a policy, in the order of the table. */
async function numbers(page: Page, side: "A" | "B"): Promise<readonly string[]> {
  return page.locator(".results tbody tr").evaluateAll(
    (rows, at) => rows.map((row) => row.querySelectorAll("td")[at]?.textContent ?? ""),
    side === "A" ? 0 : 1,
  );
}

/** The same in what `refrain simulate` prints. */
function ofLine(lines: readonly string[], policy: string): readonly string[] {
  return lines.find((line) => line.startsWith(policy))!.split(/ {2,}/).slice(1);
}

const slider = (page: Page, label: string) => page.getByRole("slider", { name: label });
const side = (page: Page, letter: "a" | "b") => page.getByRole("region", { name: stampede.policy(letter) });

describe("stampede", () => {
  it("shows for two policies the numbers that the command line shows", async () => {
    const { page, end } = await open("?scenario=outage&clients=10000&capacity=1000");
    const lines = (await inFolder(async (folder) => refrain(folder, "simulate", "outage"))).split("\n");
    expect(await numbers(page, "A")).toEqual(ofLine(lines, "no-jitter"));
    expect(await numbers(page, "B")).toEqual(ofLine(lines, "full-jitter"));
    await end();
  });

  it("hands over the scenario as it was turned, and the command line gives the same numbers for it", async () => {
    const { page, end } = await open("?scenario=rate-limit&after=3&spread=2&seed=9&a=stripe&a-jitter=30&b=polite-default&b-sends=7");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: stampede.download }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    const command = (await page.locator(".command").innerText()).split(" ").slice(1);
    const lines = await inFolder(async (folder) => {
      writeFileSync(join(folder, download.suggestedFilename()), text);
      return refrain(folder, ...command).split("\n");
    });
    expect(await numbers(page, "A")).toEqual(ofLine(lines, "stripe"));
    expect(await numbers(page, "B")).toEqual(ofLine(lines, "polite-default"));
    await end();
  });

  it("answers a slider at once, and lets the last position count", async () => {
    const { page, end } = await open();
    const before = await numbers(page, "B");
    await slider(page, stampede.clients).focus();
    // Faster than the simulations that they begin.
    await after(page, async () => {
      for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
    });
    expect(await slider(page, stampede.clients).getAttribute("aria-valuetext")).toBe("5\u202f000");
    await page.locator(".results tbody td", { hasText: /^5000$/ }).first().waitFor();
    expect(await numbers(page, "B")).not.toEqual(before);
    await end();
  });

  it("turns how random a policy waits, and how often it sends", async () => {
    const { page, end } = await open("?a=full-jitter&b=full-jitter");
    expect(await numbers(page, "A")).toEqual(await numbers(page, "B"));
    const [a, b] = [side(page, "a"), side(page, "b")];
    await a.getByRole("slider", { name: stampede.jitter }).focus();
    await after(page, () => page.keyboard.press("ArrowRight"));
    expect(await a.getByRole("slider", { name: stampede.jitter }).getAttribute("aria-valuetext")).toBe(stampede.jitterOf(0));
    await page.locator(".herd-a strong", { hasText: "100.0 %" }).waitFor();
    await b.getByRole("slider", { name: stampede.sends }).focus();
    await after(page, () => page.keyboard.press("ArrowRight"));
    await page.locator(".results tbody tr", { hasText: "each" }).getByText("1.000").waitFor();
    await end();
  });

  it("draws a large fleet while it runs, and stops it in the middle", async () => {
    const { page, end } = await open();
    const before = await numbers(page, "A");
    await page.getByRole("button", { name: stampede.large("1\u202f000\u202f000") }).click();
    // Some time has passed for the clients, and they are not done.
    await page.locator(".run-live", { hasText: /^[0-9:.]+( s)? have passed/ }).waitFor();
    expect(await page.getByRole("progressbar", { name: stampede.progress }).isVisible()).toBe(true);
    const stop = page.getByRole("button", { name: stampede.stop });
    await stop.click();
    await page.getByText(stampede.stopped).waitFor();
    expect(await stop.isDisabled()).toBe(true);
    expect(await numbers(page, "A"), "the table is that of the last that came to its end").toEqual(before);
    await slider(page, stampede.outageLength).focus();
    await after(page, () => page.keyboard.press("ArrowRight"));
    expect(await numbers(page, "A")).not.toEqual(before);
    await end();
  });

  it("carries a large fleet to its end", async () => {
    const { page, end } = await open();
    await page.getByRole("button", { name: stampede.large("100\u202f000") }).click();
    await page.locator(".results tbody td", { hasText: /^100000$/ }).first().waitFor();
    await end();
  });

  it("says what is wrong with a document, and goes on once it is mended", async () => {
    const { page, end } = await open("?a=polite-default");
    const a = side(page, "a");
    await a.getByText(editor.document).first().click();
    const area = a.getByRole("textbox", { name: editor.document });
    const document = await area.inputValue();
    await area.fill(document.replace("max_attempts = 4", "max_attempts = 0"));
    await a.getByText(stampede.refused).waitFor();
    expect(await a.locator(".problems").innerText()).toContain("expected");
    await after(page, () => area.fill(document.replace("max_attempts = 4", "max_attempts = 1")));
    await page.locator(".results tbody tr", { hasText: "each" }).getByText("1.000").waitFor();
    await end();
  });

  it("keeps what a person wrote when another scenario is chosen, and takes that scenario's own policy elsewhere", async () => {
    const { page, end } = await open("?a=stripe&b=full-jitter");
    const chosen = () => page.locator(".side select").evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value));
    const other = async (label: string): Promise<void> => {
      await page.getByLabel(stampede.scenario).selectOption(label);
      await done(page);
    };
    await other(stampede.rateLimit);
    expect(await chosen()).toEqual(["stripe", "spreads"]);
    const a = side(page, "a");
    await a.getByText(editor.document).first().click();
    const area = a.getByRole("textbox", { name: editor.document });
    const written = (await area.inputValue()).replace('version = "1.0.0"', 'version = "3.0.0"');
    await area.fill(written);
    await other(stampede.brownOut);
    expect(await chosen()).toEqual(["", "aws-budget"]);
    expect(await area.inputValue()).toBe(written);
    await end();
  });

  it("tells the charts in words and as tables", async () => {
    const { page, end } = await open();
    const chart = page.getByRole("figure", { name: stampede.offered });
    expect(await chart.getByRole("img").getAttribute("aria-label")).toMatch(/A · no-jitter: at most .+ B · full-jitter: at most/);
    await chart.getByText(stampede.asTable).click();
    expect(await chart.getByRole("row").count()).toBeGreaterThan(20);
    for (const part of await page.getByText(editor.document, { exact: true }).all()) if (await part.isVisible()) await part.click();
    expect(await faults(page), "with everything unfolded").toEqual([]);
    await end();
  });

  it("begins anew where a link says what cannot be", async () => {
    const { page, end } = await open("?scenario=nowhere&seed=-1&clients=3&length=x&a=nobody&a-jitter=7&b-sends=0");
    expect(await page.locator("output").allInnerTexts()).toEqual([
      "2\u202f000", "10 s", "200 a second", stampede.asWritten, stampede.asWritten, stampede.asWritten, stampede.asWritten,
    ]);
    expect(await page.getByLabel(stampede.seed).inputValue()).toBe("1");
    expect(await page.locator(".side select").evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value))).toEqual([
      "no-jitter", "full-jitter",
    ]);
    await end();
  });

  it.each(["", "-5", "2.5", "1e3", "007"])("has in its link the seed that `%s` stands for", async (typed) => {
    const { page, end } = await open("?clients=200");
    await after(page, () => page.getByLabel(stampede.seed).fill(typed));
    const [command, shown, link] = [await page.locator(".command").innerText(), await numbers(page, "B"), page.url()];
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "stampede");
    await done(other.page);
    expect(await other.page.locator(".command").innerText()).toBe(command);
    expect(await numbers(other.page, "B")).toEqual(shown);
    await other.end();
  });

  it("is used by keyboard alone", async () => {
    const { page, end } = await open();
    await page.getByLabel(stampede.scenario).focus();
    await after(page, () => page.keyboard.press("ArrowDown"));
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-valuetext"))).toBe("2\u202f000");
    await page.keyboard.press("Tab");
    await after(page, () => page.keyboard.press("End"));
    expect(await slider(page, stampede.limit).getAttribute("aria-valuetext")).toBe(stampede.perSecond("2\u202f000"));
    await page.getByRole("button", { name: stampede.large("1\u202f000\u202f000") }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".run-live", { hasText: "have passed" }).waitFor();
    await page.getByRole("button", { name: stampede.stop }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(stampede.stopped).waitFor();
    await end();
  });

  it("is reproduced by a link", async () => {
    const { page, end } = await open();
    await page.getByLabel(stampede.scenario).selectOption(stampede.rateLimit);
    await slider(page, stampede.retryAfter).fill("9");
    await page.getByLabel(stampede.seed).fill("7");
    const b = side(page, "b");
    await b.getByLabel(editor.ready).selectOption("stripe");
    await b.getByText(editor.document).first().click();
    const area = b.getByRole("textbox", { name: editor.document });
    await area.fill((await area.inputValue()).replace('version = "1.0.0"', 'version = "1.0.1"'));
    await after(page, () => side(page, "a").getByRole("slider", { name: stampede.jitter }).fill("3"));
    await page.locator(".results thead", { hasText: "stripe" }).waitFor();
    const seen = (page: Page) =>
      Promise.all([
        numbers(page, "A"),
        numbers(page, "B"),
        page.locator("output").allInnerTexts(),
        page.locator("textarea").evaluateAll((areas) => areas.map((area) => (area as HTMLTextAreaElement).value)),
      ]);
    const [link, shown] = [page.url(), await seen(page)];
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "stampede");
    await done(other.page);
    expect(await seen(other.page)).toEqual(shown);
    await other.end();
  });
});
