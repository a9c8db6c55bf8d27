/** Where the core module and the slots of the vectors stand: what the variables say, else in the target folder. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import type { Baked, VectorFile } from "./conformance/vector.js";

const workspace = fileURLToPath(new URL("../../..", import.meta.url));
const built = resolve(workspace, env["CARGO_TARGET_DIR"] ?? "target", "refrain");

/** The core module with the default policy, as `cargo xtask guest` builds it. */
export function coreModule(): Uint8Array<ArrayBuffer> {
  return read(env["REFRAIN_CORE"] ?? resolve(built, "refrain.core.wasm"), "cargo xtask guest");
}

/** The module of the dynamic engine. */
export function dynamicModule(): Uint8Array<ArrayBuffer> {
  return read(resolve(workspace, "hosts/browser/src/generated/dynamic.wasm"), "cargo xtask browser");
}

/** Every file of vectors, by its name. */
export function vectorFiles(): Map<string, VectorFile> {
  const folder = resolve(workspace, "tests/vectors");
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(resolve(folder, name), "utf8"))]));
}

/** The ready-made policies that vectors decide by: name, document, and the id of such a vector. */
export function readyMade(): [name: string, text: string, vector: string][] {
  const folder = resolve(workspace, "policy-core/document/policies");
  const text = (name: string) => readFileSync(resolve(folder, `${name}.toml`), "utf8");
  const vectors = [...vectorFiles().values()].flatMap((file) => file.vectors);
  const names = new Map(vectors.flatMap(({ ready_made: name, id }) => (name === undefined ? [] : [[name, id]])));
  return Array.from(names, ([name, id]) => [name, text(name), id]);
}

/** The policy of each vector, baked, as `slots` of the package `conformance` writes it. */
export function slots(): Readonly<Record<string, Baked>> {
  const path = env["REFRAIN_SLOTS"] ?? resolve(built, "slots.json");
  return JSON.parse(new TextDecoder().decode(read(path, "cargo xtask test browser")));
}

function read(path: string, maker: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new Error(`cannot read \`${path}\`; \`${maker}\` writes it`, { cause: error });
  }
}
