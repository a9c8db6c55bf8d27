import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** What the page may take from the rest of the repository: data, and nothing that decides. */
const DATA = /^(\.\.\/)+policy-core\/document\/policies\/\*\.toml$/;

const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /\.ts$/.test(name));

describe("the sources of the page", () => {
  it.each(files)("%s: imports no part of another package but its public entries", (name) => {
    const text = readFileSync(join(SOURCES, name), "utf8");
    const imports = [...text.matchAll(/(?:from|import|glob(?:<\w+>)?\(|URL\()\s*\(?"([^"]+)"/g)].map(([, path]) => path!);
    const outside = imports.filter((path) => path.startsWith(".") && !join(SOURCES, name, "..", path).startsWith(SOURCES));
    expect(outside.filter((path) => !DATA.test(path))).toEqual([]);
  });
});
