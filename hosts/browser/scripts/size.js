// Prints what a page downloads, compressed, beside what it downloads for other packages; all by one bundler.
//
// `npm run size`; with `REFRAIN_PAGES` set to a folder, what each page downloads is written there too, a folder each.

import { build } from "esbuild";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = fileURLToPath(new URL("..", import.meta.url));
const POLICY = "browser-interactive";
const CORE = `${POLICY}.core.wasm`;

const policy = (form) => `import { policy } from "@refrain/fetch/policies/${POLICY}${form}";`;
const create = `import { createFetch } from "@refrain/fetch";
  globalThis.request = createFetch({ engine: await policy.engine(), host: policy.host });`;

/** The script of a page that makes one thing to send requests with, by its name. */
const PAGES = {
  "createFetch, separate": `${policy("")} ${create}`,
  "createFetch, inline": `${policy(".inline")} ${create}`,
  "engine alone, separate": `${policy("")} globalThis.engine = policy.engine();`,
  "engine alone, inline": `${policy(".inline")} globalThis.engine = policy.engine();`,
  "ky 1": `import ky from "ky"; globalThis.request = ky.create();`,
  "ky 2": `import ky from "ky-2"; globalThis.request = ky.create();`,
  "p-retry and fetch": `import retry from "p-retry"; globalThis.request = (...what) => retry(() => fetch(...what));`,
  "axios-retry and axios": `import axios from "axios"; import retry from "axios-retry";
    globalThis.request = axios.create(); retry(globalThis.request);`,
};

/** What a page downloads: bytes by the name of the file. */
async function downloads(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    write: false,
  });
  const script = { "page.js": outputFiles[0].contents };
  return outputFiles[0].text.includes(CORE)
    ? { ...script, [CORE]: readFileSync(`${folder}/dist/generated/policies/${CORE}`) }
    : script;
}

const out = env.REFRAIN_PAGES;
if (out) rmSync(out, { recursive: true, force: true });
for (const [name, contents] of Object.entries(PAGES)) {
  const files = await downloads(contents);
  const sizes = Object.entries(files).map(([file, bytes]) => [file, gzipSync(bytes, { level: 9 }).length]);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  const parts = sizes.length > 1 ? `: ${sizes.map(([file, size]) => `${file} ${size}`).join(", ")}` : "";
  console.log(`${name.padEnd(24)} ${String(all).padStart(6)} bytes${parts}`);
  if (!out) continue;
  mkdirSync(`${out}/${name}`, { recursive: true });
  for (const [file, bytes] of Object.entries(files)) writeFileSync(`${out}/${name}/${file}`, bytes);
}
