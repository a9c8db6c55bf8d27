import { build } from "esbuild";
import { runInNewContext } from "node:vm";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));

it.each(["index", "queue", "testing"])("importing `%s` touches nothing that a server may lack", async (name) => {
  const bundle = { bundle: true, format: "iife", globalName: "loaded", target: "es2022", write: false } as const;
  const { outputFiles } = await build({ entryPoints: [source(name)], ...bundle });
  // A context has what the language has, and nothing else: no `crypto`, no `performance`, no `navigator`, no `fetch`.
  const loaded = runInNewContext(`${outputFiles[0]!.text}; Object.keys(loaded).length`);
  expect(loaded).toBeGreaterThan(1);
});
