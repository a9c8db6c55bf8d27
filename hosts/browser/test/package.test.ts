import { nodeResolve } from "@rollup/plugin-node-resolve";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build as esbuild } from "esbuild";
import { publint } from "publint";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import webpack from "webpack";

/** The package as it is packed, in a project that uses it. */
const project = mkdtempSync(join(tmpdir(), "refrain-fetch-"));
const installed = join(project, "node_modules/@refrain/fetch");
const package_ = fileURLToPath(new URL("..", import.meta.url));
let tarball: string;

const POLICY = "browser-interactive";
const HELLO = "hello";
const USE = {
  inline: `import { createFetch } from "@refrain/fetch";
           import { policy } from "@refrain/fetch/policies/${POLICY}.inline";
           const inner = async () => new Response("${HELLO}");
           const response = await createFetch({ engine: policy.engine(), host: policy.host, fetch: inner })("http://localhost/");
           console.log(await response.text());`,
  separate: `import { policy } from "@refrain/fetch/policies/${POLICY}";
             policy.engine().then((engine) => console.log(engine.description.name));`,
};

beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", project], { cwd: package_ });
  tarball = join(project, packed.toString().trim());
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["--extract", "--file", tarball, "--directory", installed, "--strip-components", "1"]);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(join(project, "index.html"), '<script type="module" src="./separate.js"></script>');
  for (const [form, text] of Object.entries(USE)) writeFileSync(join(project, `${form}.js`), text);
}, 60_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

const entry = (form: keyof typeof USE): string => join(project, `${form}.js`);
const run = (script: string): string => execFileSync(process.execPath, [script]).toString().trim();

/** Whether a bundler carried the module along, and its script asks for it. */
function carries(folder: string): void {
  const files = readdirSync(folder);
  const [module] = files.filter((name) => name.endsWith(".wasm"));
  const [script] = files.filter((name) => name.endsWith(".js"));
  const core = readFileSync(join(installed, `dist/generated/policies/${POLICY}.core.wasm`));
  expect(readFileSync(resolve(folder, module!)).equals(core)).toBe(true);
  expect(readFileSync(resolve(folder, script!), "utf8")).toContain(module);
}

describe("the package as it is packed", () => {
  it("carries the licences that it names", () => {
    expect(readFileSync(join(installed, "LICENSE-MIT"), "utf8")).toContain("without restriction");
    expect(readFileSync(join(installed, "LICENSE-APACHE"), "utf8")).toContain("Apache License");
  });

  it("has no fault that publint knows", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it("has the right types for each entry", () => {
    const attw = join(package_, "node_modules/.bin/attw");
    // A module has no types.
    const rules = ["--profile", "esm-only", "--exclude-entrypoints", "dynamic.wasm"];
    expect(() => execFileSync(attw, [tarball, ...rules])).not.toThrow();
  }, 60_000);

  it("is bundled by esbuild as it is", async () => {
    const outfile = join(project, "esbuild/inline.mjs");
    await esbuild({ entryPoints: [entry("inline")], bundle: true, format: "esm", minify: true, outfile });
    expect(run(outfile)).toBe(HELLO);
  });

  it("is bundled by Rollup as it is", async () => {
    const file = join(project, "rollup/inline.mjs");
    const bundle = await rollup({ input: entry("inline"), plugins: [nodeResolve()] });
    await bundle.write({ file, format: "es" });
    expect(run(file)).toBe(HELLO);
  });

  it("is bundled by Vite as it is, and a separate module is carried along", async () => {
    const outDir = join(project, "vite");
    await vite({ root: project, configFile: false, logLevel: "error", build: { outDir } });
    carries(join(outDir, "assets"));
    const inline = { lib: { entry: entry("inline"), formats: ["es" as const], fileName: "inline" }, outDir };
    await vite({ root: project, configFile: false, logLevel: "error", build: inline });
    expect(run(join(outDir, "inline.js"))).toBe(HELLO);
  }, 60_000);

  it("is bundled by webpack as it is, and a separate module is carried along", async () => {
    const pack = (form: keyof typeof USE): Promise<string> =>
      new Promise((done, fail) => {
        const path = join(project, "webpack", form);
        const output = { path, filename: `${basename(path)}.js` };
        webpack({ mode: "production", context: project, entry: entry(form), output }, (error, stats) => {
          if (error || stats?.hasErrors()) fail(error ?? new Error(stats?.toString("errors-only")));
          else done(path);
        });
      });
    expect(run(join(await pack("inline"), "inline.js"))).toBe(HELLO);
    carries(await pack("separate"));
  }, 60_000);
});
