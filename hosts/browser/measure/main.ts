/**
 * Measures what calls and decisions cost, by one script in Node and in headless Chromium, and prints them as a table.
 *
 * `npm run measure [-- --quick]`; with `REFRAIN_MEASURES` set to a file, they are written there too, a line of JSON each.
 */

import { build } from "esbuild";
import { writeFileSync } from "node:fs";
import { argv, env } from "node:process";
import { browser, site } from "../test/chromium/site.js";
import type * as Contenders from "./contenders.js";
import type { Measure } from "./turns.js";

/** A turn takes less than a millisecond, so that most of them run undisturbed on a machine that does other things too. */
const effort: Contenders.Effort = argv.includes("--quick")
  ? { calls: { count: 100, times: 20 }, decisions: { count: 100, times: 500 } }
  : { calls: { count: 2_000, times: 20 }, decisions: { count: 1_000, times: 500 } };

/** Clocks are finer in a page that shares memory with nobody. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

const { outputFiles } = await build({
  entryPoints: ["measure/contenders.ts"],
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  write: false,
});
const script = outputFiles[0]!;
const measures = [...(await inNode()), ...(await inChromium())];
for (const { name, value } of measures) console.log(`${name.padEnd(60)} ${value.toFixed(0).padStart(8)} ns`);
const file = env["REFRAIN_MEASURES"];
if (file) writeFileSync(file, measures.map((measure) => `${JSON.stringify(measure)}\n`).join(""));

async function inNode(): Promise<Measure[]> {
  const url = `data:text/javascript;base64,${Buffer.from(script.contents).toString("base64")}`;
  return ((await import(url)) as typeof Contenders).measures("Node", effort);
}

async function inChromium(): Promise<Measure[]> {
  const files = { "index.html": "<!doctype html><title>measures</title>", "contenders.js": script.contents };
  const { url, server } = await site(files, ISOLATED);
  const chromium = await browser();
  try {
    const page = await chromium.newPage();
    await page.goto(url);
    return await page.evaluate(async (effort) => {
      if (!crossOriginIsolated) throw new Error("expected an isolated page, whose clock is finer");
      const contenders = (await import(`${location.origin}/contenders.js`)) as typeof Contenders;
      return contenders.measures("Chromium", effort);
    }, effort);
  } finally {
    await chromium.close();
    server.close();
  }
}
