import type { IncomingMessage, ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { texts } from "../src/texts.js";
import { stage } from "./stage.js";
import { faults, opened, visit, type Visit } from "./visit.js";

const { request, editor } = texts;

const set = stage(answer);
/** What the server says to each real request, first to last. */
let answers: { status: number; retryAfter?: string }[] = [];
/** The method of each real request, and the key that came with it. */
let got: string[] = [];

beforeEach(() => {
  [answers, got] = [[], []];
});

function answer({ url, method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== "/things") return false;
  got.push(`${method} ${headers["idempotency-key"] ?? ""}`.trim());
  const { status, retryAfter } = answers.shift() ?? { status: 500 };
  response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
  return true;
}

/** The page with this panel, at a state of it. */
const open = (state: Readonly<Record<string, string>> = {}): Promise<Visit> =>
  set.open("request", `?${new URLSearchParams(state)}`);

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
/** Goes to the end of a request, and to where a link holds it. */
async function finish(page: Page): Promise<void> {
  await press(page, request.toEnd);
  await page.locator(".result .verdict").waitFor();
  await page.waitForURL(/until=\d/);
}

/** Goes one step on. */
async function step(page: Page): Promise<void> {
  const before = (await steps(page)).length;
  await press(page, request.step);
  await expect.poll(async () => (await steps(page)).length).toBeGreaterThan(before);
}

const steps = (page: Page): Promise<string[]> => page.locator(".log strong").allTextContents();
const result = (page: Page): Promise<string | null> => page.locator(".result .verdict").textContent();

describe("follow a request", () => {
  it("goes step by step from the first send to the end", async () => {
    const { page, end } = await open({ script: "503,150;429,120,3;200,180" });
    const counts = [];
    for (let at = 0; at < 4; at++) {
      await step(page);
      counts.push((await steps(page)).length);
    }
    // A send; an answer and a wait; its end and a send; an answer and a wait.
    expect(counts).toEqual([1, 3, 5, 7]);
    await finish(page);
    const all = await steps(page);
    expect(all.filter((text) => text.includes("is sent"))).toEqual([1, 2, 3].map(request.happened.sent));
    expect(all.at(-1)).toBe(request.happened.ended(3));
    expect(await result(page)).toBe(request.results.response(200));
    await end();
  });

  it("shows something when it is opened without a state", async () => {
    const { page, end } = await open();
    expect((await steps(page)).at(-1)).toContain("Wait");
    await end();
  });

  it("never sends before the server's time, and says that it was the server's", async () => {
    const { page, end } = await open({ policy: "polite-default", script: "503,100,7;200,100" });
    await finish(page);
    const waits = await page.locator(".log .wait").innerText();
    expect(waits).toContain(request.happened.waitBounds.hint);
    const sent = await page.locator(".log .sent .time").allTextContents();
    expect(parseFloat(sent[1]!)).toBeGreaterThanOrEqual(7.1);
    await end();
  });

  it("defers what the server wants later than the policy waits, with the whole wait", async () => {
    const { page, end } = await open({ policy: "browser-interactive", script: "503,150,21600" });
    await finish(page);
    expect(await result(page)).toBe(request.results.error("deferred"));
    expect(await page.locator(".result").innerText()).toContain("after 6 h, not before Thu, 01 Jan 2026 06:00:00 GMT");
    await end();
  });

  it.each([
    ["cancel", request.cancel, request.results.cancelled],
    ["sign-out", request.session, request.results.error("session-changed")],
  ])("ends at once at a %s in mid-wait, and sends nothing more", async (_, name, expected) => {
    const { page, end } = await open({ policy: "polite-default", script: "503,100,20;200,100" });
    await step(page);
    await step(page);
    expect((await steps(page)).at(-1)).toContain("Wait");
    await press(page, name);
    await page.locator(".result .verdict").waitFor();
    expect(await result(page)).toBe(expected);
    expect((await steps(page)).filter((text) => text.includes("is sent"))).toHaveLength(1);
    expect(await page.locator(".log .ended .time").textContent()).toBe("0.100 s");
    expect(await page.getByRole("button", { name: request.cancel }).getAttribute("aria-disabled")).toBe("true");
    await end();
  });

  it("waits for the network while it is offline, and goes on when it is back", async () => {
    const { page, end } = await open({ policy: "api-client", script: "503,100;200,100" });
    await step(page);
    await press(page, request.offline);
    await step(page);
    expect((await steps(page)).at(-1)).toBe(request.happened.awaitNetwork);
    await press(page, request.online);
    await finish(page);
    expect(await result(page)).toBe(request.results.response(200));
    await end();
  });

  it("sends nothing while it begins offline, and nothing at all if it begins cancelled", async () => {
    const { page, end } = await open({ policy: "api-client", script: "200,100" });
    await press(page, request.offline);
    await expect.poll(() => steps(page)).toEqual([request.happened.offline, request.happened.awaitNetwork]);
    const other = await visit(set.chromium, page.url());
    await opened(other.page, "request");
    expect(await steps(other.page)).toEqual(await steps(page));
    await other.end();
    await press(page, request.restart);
    await press(page, request.cancel);
    await page.locator(".result .verdict").waitFor();
    expect(await steps(page)).toEqual([request.happened.cancel, request.happened.ended(0)]);
    await end();
  });

  it.each([
    ["without a key is sent once", "", 1, request.results.error("not-idempotent")],
    ["with a key is sent again", "yes", 2, request.results.response(201)],
  ])("a lost POST %s", async (_, key, sends, expected) => {
    const { page, end } = await open({ policy: "api-client", method: "POST", key, script: "lost,100;201,100" });
    await finish(page);
    expect(await result(page)).toBe(expected);
    expect((await steps(page)).filter((text) => text.includes("is sent"))).toHaveLength(sends);
    expect(await page.locator(".result").innerText()).toContain(request.results.maybe);
    await end();
  });

  it("plays at the chosen speed until it is paused or over", async () => {
    const { page, end } = await open({ policy: "polite-default", script: "503,100,30;200,100" });
    await page.getByLabel(request.speed).selectOption("×1");
    await press(page, request.play);
    await page.locator(".log .wait").waitFor();
    await press(page, request.pause);
    const clock = await page.locator(".now").textContent();
    expect(await page.locator(".result .verdict").count()).toBe(0);
    await page.getByLabel(request.speed).selectOption("×1000");
    await press(page, request.play);
    await page.locator(".result .verdict").waitFor();
    expect(await page.locator(".now").textContent()).not.toBe(clock);
    expect(await result(page)).toBe(request.results.response(200));
    await end();
  });

  it("shows what is wrong with a policy, where it is, and runs none that is refused", async () => {
    const { page, end } = await open();
    const area = page.getByLabel(editor.document);
    await area.fill((await area.inputValue()).replace("max_attempts = 3", "max_attempts = 0\nmax_atempts = 3"));
    expect(await area.getAttribute("aria-invalid")).toBe("true");
    const problems = page.locator(".problems li");
    expect(await problems.count()).toBe(2);
    expect(await page.getByRole("status").filter({ hasText: request.noPolicy }).isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: request.play }).getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: request.step, exact: true }).click({ force: true });
    expect(await steps(page)).toEqual([]);
    expect(await faults(page)).toEqual([]);
    await problems.last().getByRole("button").click();
    const selected = await area.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
    expect(selected).toContain("max_atempts");
    await area.fill((await area.inputValue()).replace("max_attempts = 0\nmax_atempts = 3", "max_attempts = 1"));
    await finish(page);
    expect(await result(page)).toBe(request.results.response(503));
    await end();
  });

  it("is used by keyboard alone", async () => {
    const { page, end } = await open({ policy: "polite-default", script: "503,100,20" });
    await page.getByRole("button", { name: request.play, exact: true }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? "");
    while ((await focused()) !== request.cancel) await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.locator(".result .verdict").waitFor();
    expect(await result(page)).toBe(request.results.cancelled);
    expect(await focused()).toBe(request.cancel);
    await end();
  });

  it("lets the script be written: answers added, changed and removed", async () => {
    const { page, end } = await open({ script: "200,50" });
    expect(await page.getByRole("button", { name: request.removeAnswer(1) }).count()).toBe(0);
    await press(page, request.add);
    await page.getByLabel(`${request.answer(1)}: ${request.status}`, { exact: true }).fill("429");
    await page.getByLabel(`${request.answer(1)}: ${request.retryAfter}`).fill("2");
    await page.getByLabel(`${request.answer(2)}: ${request.status}`, { exact: true }).fill("204");
    await finish(page);
    expect(await result(page)).toBe(request.results.response(204));
    await press(page, request.removeAnswer(1));
    await finish(page);
    expect((await steps(page)).at(-1)).toBe(request.happened.ended(1));
    await end();
  });

  it("is reproduced by a link, with what was pressed at its time", async () => {
    const { page, end } = await open({ policy: "api-client", script: "503,100;503,100;200,100", seed: "7" });
    await step(page);
    await press(page, request.offline);
    await step(page);
    await press(page, request.online);
    await step(page);
    await press(page, request.copy);
    await page.getByText(request.copied).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const [log, clock] = [await page.locator(".log").innerText(), await page.locator(".now").innerText()];
    expect(log).toContain(request.happened.online);
    await finish(page);
    const whole = await page.locator(".log").innerText();
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "request");
    expect(await other.page.locator(".log").innerText()).toBe(log);
    expect(await other.page.locator(".now").innerText()).toBe(clock);
    await finish(other.page);
    expect(await other.page.locator(".log").innerText()).toBe(whole);
    await other.end();
  });

  it("keeps a document of one's own in the link", async () => {
    const { page, end } = await open();
    const area = page.getByLabel(editor.document);
    await area.fill('schema = 1\nname = "mine"\nversion = "1.0.0"\nlimits.max_attempts = 2 # ä, 2 %');
    await finish(page);
    const [link, log] = [page.url(), await page.locator(".log").innerText()];
    const text = await area.inputValue();
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "request");
    expect(await other.page.getByLabel(editor.document).inputValue()).toBe(text);
    expect(await other.page.locator(".log").innerText()).toBe(log);
    await other.end();
  });

  it("sends for real, and obeys the server", async () => {
    answers = [{ status: 503, retryAfter: "1" }, { status: 200 }];
    const { page } = await open({ mode: "real", url: "/things", policy: "browser-interactive", method: "PUT", key: "yes" });
    await press(page, request.send);
    await page.locator(".result .verdict").waitFor();
    expect(await result(page)).toBe(request.results.response(200));
    expect(got).toEqual(["PUT order-4711", "PUT order-4711"]);
    const sent = await page.locator(".log .sent .time").allTextContents();
    expect(parseFloat(sent[1]!) - parseFloat(sent[0]!)).toBeGreaterThanOrEqual(1);
    // Chromium complains of the 503 in its console.
    await page.context().close();
  });

  it("sends nothing for real because a link was opened", async () => {
    const { page, end } = await open({ mode: "real", url: "/things", until: "1000", presses: "offline@first" });
    expect(await page.getByText(request.readyReal).isVisible()).toBe(true);
    expect(await steps(page)).toEqual([]);
    expect(got).toEqual([]);
    await end();
  });

  it("cancels for real in a wait", async () => {
    answers = [{ status: 503, retryAfter: "4" }];
    const { page } = await open({ mode: "real", url: "/things", policy: "browser-interactive" });
    await press(page, request.send);
    await page.locator(".log .wait").waitFor();
    await press(page, request.cancel);
    await page.locator(".result .verdict").waitFor();
    expect(await result(page)).toBe(request.results.cancelled);
    expect(got).toHaveLength(1);
    await page.context().close();
  });
});

describe("the examples", () => {
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await open();
  });
  afterAll(() => shared?.end());

  it.each(Object.values(request.exampleNames))("show `%s`", async (name) => {
    const { page } = shared;
    await page.getByRole("link", { name, exact: true }).click();
    await page.waitForURL(/until=0$/);
    await opened(page, "request");
    await finish(page);
    expect((await steps(page)).at(-1)).toContain("The request ends");
  });
});

it.each(["javascript:alert(1)", "data:text/plain,x", "file:///x"])("does not send to `%s`", async (url) => {
  const { page, end } = await open({ mode: "real", url, policy: "browser-interactive" });
  await page.getByRole("button", { name: request.send, exact: true }).click();
  await page.locator(".result .verdict").waitFor();
  expect(await result(page)).toBe(request.results.error("attempts-used"));
  // Nothing in the console: the page did not even try.
  await end();
});

/** A policy of many retries, none of which waits. */
const ENDLESS = (sends: number) => `schema = 1
name = "endless"
version = "1.0.0"
budget = "none"
limits = { max_attempts = ${sends}, deadline = "none", max_wait = "none" }
backoff = { base = "0ms", multiplier = 1, cap = "0ms", jitter = "none" }
`;

describe("a request of thousands of sends", () => {
  it("is followed to its end by a link", async () => {
    const { page, end } = await open({ document: ENDLESS(2_000), script: "503,0", until: "10" });
    expect(await page.locator(".log .sent").count()).toBe(2_000);
    expect(await result(page)).toBe(request.results.response(503));
    await end();
  });

  it("does not go on when it is given up", async () => {
    const { page, end } = await open({ document: ENDLESS(10_000), script: "503,0" });
    const [toEnd, again] = [request.toEnd, request.restart].map((name) => page.getByRole("button", { name, exact: true }));
    // The page hears of time that it lets pass by a channel each.
    const turns = await page.evaluateHandle(() => {
      const [Channel, made] = [MessageChannel, { count: 0 }];
      globalThis.MessageChannel = class extends Channel {
        constructor() {
          super();
          made.count++;
        }
      };
      return made;
    });
    await toEnd!.evaluate((button: HTMLElement) => button.click());
    await again!.evaluate((button: HTMLElement) => button.click());
    const given = await turns.evaluate(({ count }) => count);
    for (let frame = 0; frame < 5; frame++) await page.evaluate(() => new Promise(requestAnimationFrame));
    expect((await turns.evaluate(({ count }) => count)) - given).toBeLessThan(5);
    expect(given).toBeLessThan(20_000);
    expect(await page.locator(".log").isVisible()).toBe(false);
    await end();
  });
});
