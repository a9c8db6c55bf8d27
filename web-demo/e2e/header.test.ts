import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../src/texts.js";
import { stage } from "./stage.js";
import { opened, visit, type Visit } from "./visit.js";

const { header } = texts;

const set = stage();

/** The page with this panel, at a state of it. */
const open = (query?: string): Promise<Visit> => set.open("header", query);

const verdict = (page: Page): Promise<string | null> => page.locator(".verdict").textContent();

/** What a client made of the value, as the table says. */
const answer = (page: Page, client: string): Promise<string | null> =>
  page.getByRole("row", { name: client }).getByRole("cell").textContent();

describe("what a value means", () => {
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await open();
  });
  afterAll(() => shared?.end());

  it.each([
    ["120", "Wait 2 min"],
    ["0", "No wait"],
    ["  7\t", "Wait 7 s"],
    ["1.5", "Refused: a fraction"],
    ["+5", "Refused: signed"],
    ["120s", "Refused: malformed"],
    ["", "Refused: empty"],
    ["120, 120", "Wait 2 min"],
    ["120, 240", "Refused: conflicting values"],
    ["99999999999999999999", "Refused: too large"],
    ["Fri, 30 Feb 2024 10:00:00 GMT", "Refused: no such time"],
    ["Mon, 29 Sep 2023 16:26:57 GMT", "Refused: the wrong weekday"],
    ["Sun, 06 Nov 1994 08:49:37 GMT", "No wait"],
  ])("is said of `%s`", async (value, means) => {
    await shared.page.getByLabel(header.value).fill(value);
    expect(await verdict(shared.page)).toBe(means);
  });
});

describe("read a header", () => {
  it("measures a date by the client's clock and by the response's Date", async () => {
    const { page, end } = await open("?value=Fri, 29 Sep 2023 16:26:57 GMT&now=2023-09-29T15:26:37Z");
    expect(await verdict(page)).toBe("Wait 1 h");
    await page.getByLabel(header.date).fill("Fri, 29 Sep 2023 16:26:37 GMT");
    const facts = await page.locator(".facts").innerText();
    expect(facts).toMatch(/client’s clock\s+wait 1 h/);
    expect(facts).toMatch(/response’s Date\s+wait 20 s/);
    await page.getByLabel(header.now).fill("");
    expect(await verdict(page)).toBe("Refused: no wall clock");
    await end();
  });

  it("reads dates by the rules that are chosen", async () => {
    const { page, end } = await open("?value=Mon Jun  3 11:30:12 2019&now=2019-06-03T11:00:00Z");
    expect(await verdict(page)).toBe("Wait 30 min 12 s");
    await page.getByLabel(header.rules).selectOption(header.rulesStrict);
    expect(await verdict(page)).toBe("Refused: an obsolete form of a date");
    await end();
  });

  it("shows the bytes, which the encoding changes", async () => {
    const { page, end } = await open(`?value=${encodeURIComponent("\xa0120")}`);
    expect(await page.locator(".facts").innerText()).toContain("\\xc2\\xa0120");
    await page.getByLabel(header.encoding).selectOption(header.latin1);
    expect(await page.locator(".facts").innerText()).toContain("\\xa0120");
    expect(await verdict(page)).toBe("Refused: malformed");
    await end();
  });

  it("says what clients made of a value when they were run, and when", async () => {
    const { page, end } = await open();
    await page.getByRole("button", { name: "5123,", exact: true }).click();
    expect(await verdict(page)).toBe("Refused: malformed");
    expect(await answer(page, "urllib3")).toContain("raises InvalidHeader");
    expect(await answer(page, "undici")).toContain("97803012803000");
    const origin = await page.locator(".clients .hint").textContent();
    expect(origin).toContain("Fri, 29 Sep 2023 16:26:37 GMT");
    expect(origin).toContain(header.testsRefuse);
    await end();
  });

  it("says of a value that was not measured that it was not, and offers others", async () => {
    const { page, end } = await open();
    await page.getByLabel(header.value).fill("121");
    expect(await page.locator(".clients").innerText()).toContain(header.notMeasured);
    expect(await page.locator(".clients table").count()).toBe(0);
    await page.locator(".clients").getByRole("button", { name: "120", exact: true }).click();
    expect(await page.getByLabel(header.value).inputValue()).toBe("120");
    expect(await answer(page, "urllib3")).toContain("wait 2 min");
    await end();
  });

  it("shows what was measured while the engine is still on its way", async () => {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const { page, end } = await visit(set.chromium, `${set.url}#header?value=1.5`, {}, (page) =>
      page.route("**/*.wasm", async (route) => {
        await arrived;
        await route.continue();
      }),
    );
    await page.getByRole("row", { name: "urllib3" }).waitFor();
    expect(await page.locator(".meaning").textContent()).toBe(texts.page.loading);
    arrive();
    await page.locator(".verdict").waitFor();
    expect(await verdict(page)).toBe("Refused: a fraction");
    await end();
  });

  it("is used by keyboard alone", async () => {
    const { page, end } = await open();
    await page.getByLabel(header.value).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0x10");
    expect(await verdict(page)).toBe("Refused: malformed");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.getByLabel(header.value).inputValue()).toBe("0");
    expect(await verdict(page)).toBe("No wait");
    await end();
  });

  it("is reproduced by a link", async () => {
    const { page, end } = await open();
    await page.getByRole("button", { name: "Sat, 31 Dec 2016 23:59:60 GMT" }).click();
    await page.getByLabel(header.date).fill("Sat, 31 Dec 2016 23:59:30 GMT");
    await page.getByLabel(header.rules).selectOption(header.rulesStrict);
    const [link, shown] = [page.url(), await page.locator("main").innerText()];
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "header");
    expect(await other.page.locator("main").innerText()).toBe(shown);
    expect(await verdict(other.page)).toBe("Refused: a leap second");
    await other.end();
  });
});

describe("what a person can type and a link can hold", () => {
  it("is any year that the field for now takes", async () => {
    const { page, end } = await open("?value=120&now=2024-01-01T00:00:00Z");
    await page.getByLabel(header.now).fill("12024-02-03T04:05:06");
    await page.waitForURL(/12024-02-03/);
    const link = page.url();
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "header");
    expect(await other.page.getByLabel(header.now).inputValue()).toBe("12024-02-03T04:05:06");
    await other.end();
  });

  it("is a moment that the field for now cannot show, which stands for this one", async () => {
    const { page, end } = await open("?value=120&now=-000001-01-01T00:00:00Z");
    expect(Date.parse(`${await page.getByLabel(header.now).inputValue()}Z`)).toBeGreaterThan(Date.parse("2020-01-01"));
    await end();
  });

  it("is a value of any length", async () => {
    const { page, end } = await open(`?value=${"1".repeat(200_000)}`);
    expect(await verdict(page)).toBe("Refused: too long");
    await end();
  });
});
