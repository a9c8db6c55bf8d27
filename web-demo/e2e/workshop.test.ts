import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { texts } from "../src/texts.js";
import { inFolder, refrain } from "./program.js";
import { stage } from "./stage.js";
import { faults, opened, visit, type Visit } from "./visit.js";

const { workshop, editor, stampede } = texts;

const set = stage();

/** The page with this panel, at a state of it. */
const open = (query?: string): Promise<Visit> => set.open("workshop", query);

const area = (page: Page) => page.getByRole("textbox", { name: editor.document });
const meaning = (page: Page) => page.getByRole("region", { name: workshop.meaning });
const help = (page: Page) => page.getByRole("region", { name: workshop.help });
const press = (page: Page) => page.getByRole("button", { name: workshop.press });
const digests = (page: Page): Promise<string[]> => page.locator(".digest").allInnerTexts();

/** A document that no ready-made policy is. */
const OWN = `schema = 1
name = "my-policy"
version = "2.1.0"
description = "Mine – with a dash."
[limits]
max_attempts = 6
deadline = "45s"
`;

describe("policy workshop", () => {
  it("shows what is wrong with a document at its place, and leads there", async () => {
    const { page, end } = await open();
    await area(page).fill(OWN.replace("max_attempts = 6", "max_atempts = 6").replace("45s", "45 s"));
    const problems = page.locator(".problems");
    await problems.getByText("max_attempts").first().waitFor();
    expect(await page.locator(".underlines mark").allInnerTexts()).toEqual(["max_atempts", '"45 s"']);
    expect(await page.locator(".line-numbers .error").allInnerTexts()).toEqual(["6\n", "7\n"]);
    expect(await area(page).getAttribute("aria-invalid")).toBe("true");
    await problems.getByRole("button", { name: /Line 7/ }).click();
    const [start, focused] = await area(page).evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area === document.activeElement]);
    expect([start, focused]).toEqual([OWN.replace("max_attempts", "max_atempts").indexOf('"45'), true]);
    expect(await press(page).isDisabled()).toBe(true);
    expect(await meaning(page).innerText()).toContain(workshop.refused);
    expect(await faults(page), "with problems").toEqual([]);
    await area(page).fill(OWN);
    expect(await problems.locator("li").count()).toBe(0);
    expect(await press(page).isEnabled()).toBe(true);
    await end();
  });

  it("explains what the command line explains, with the same table of longest waits", async () => {
    const { page, end } = await open();
    await area(page).fill(OWN);
    const explained = await inFolder(async (folder) => {
      writeFileSync(join(folder, "my-policy.toml"), OWN);
      return refrain(folder, "explain", "my-policy.toml");
    });
    await meaning(page).getByText("6 sends at most").waitFor();
    expect(explained).toContain(await meaning(page).locator(".worst-summary").innerText());
    const rows = await meaning(page).locator("tr").evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
    expect(rows).toHaveLength(6);
    const lines = explained.split("\n").map((line) => line.split(/ {2,}/));
    for (const row of rows) expect(lines).toContainEqual(row);
    for (const sentence of await meaning(page).locator("li").allInnerTexts()) {
      expect(explained.replaceAll("`", "")).toContain(sentence);
    }
    await end();
  });

  it("says what the schema says of the key at the cursor, also in a line that is half written", async () => {
    const { page, end } = await open();
    await area(page).fill(OWN);
    await area(page).focus();
    await page.keyboard.press("Control+Home");
    await help(page).getByRole("heading", { name: "schema" }).waitFor();
    for (let line = 1; line < 6; line++) await page.keyboard.press("ArrowDown");
    await help(page).getByRole("heading", { name: "limits.max_attempts" }).waitFor();
    expect(await help(page).innerText()).toContain("a whole number from 1 to 10000");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("attempt_timeout = ");
    await help(page).getByRole("heading", { name: "limits.attempt_timeout" }).waitFor();
    expect(await help(page).locator("dd").nth(1).innerText()).toBe('"none"');
    await end();
  });

  it("bakes the artifact that the command line bakes, byte for byte", async () => {
    const { page, end } = await open();
    await area(page).fill(OWN);
    await press(page).click();
    await page.getByText("my-policy 2.1.0").waitFor();
    expect(await faults(page), "with an artifact").toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: workshop.download("my-policy.wasm") }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("my-policy.wasm");
    const baked = readFileSync(await download.path());
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "my-policy.toml"), OWN);
      const command = await page.locator(".artifact pre").innerText();
      const pinned = JSON.parse(refrain(folder, ...command.split(" ").slice(1), "--json")) as Pinned;
      expect(await digests(page)).toEqual([pinned.sha256, pinned.core_sha256]);
      expect(baked.equals(readFileSync(join(folder, "my-policy.wasm")))).toBe(true);
    });
    await area(page).press("Space");
    expect(await page.locator(".artifact").count(), "of another document it says nothing").toBe(0);
    await end();
  });

  it("is used by keyboard alone", async () => {
    const { page, end } = await open();
    await page.getByLabel(editor.ready).focus();
    await page.keyboard.type("stripe");
    await meaning(page).getByText("3 sends at most").waitFor();
    await page.keyboard.press("Tab");
    expect(await area(page).evaluate((area) => area === document.activeElement)).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^stripe 1\./).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe("stripe.wasm");
    await end();
  });

  it("is reproduced by a link, and takes its document to a stampede", async () => {
    const { page, end } = await open();
    await area(page).fill(OWN);
    const [link, shown] = [page.url(), await meaning(page).innerText()];
    await end();
    const other = await visit(set.chromium, link);
    await opened(other.page, "workshop");
    expect(await area(other.page).inputValue()).toBe(OWN);
    expect(await meaning(other.page).innerText()).toBe(shown);
    await other.page.getByRole("link", { name: workshop.watch }).click();
    await opened(other.page, "stampede");
    await other.page.getByRole("region", { name: stampede.policy("b") }).getByText(editor.document).first().waitFor();
    await other.page.locator(".results thead", { hasText: "my-policy" }).waitFor();
    await other.end();
  });
});

interface Pinned {
  readonly sha256: string;
  readonly core_sha256: string;
}
