/** Where the core module and the slots of the vectors stand: what the variables say, else in the target folder. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const workspace = fileURLToPath(new URL("../../..", import.meta.url));
const built = resolve(workspace, env["CARGO_TARGET_DIR"] ?? "target", "refrain");

/** The core module with the default policy, as `cargo xtask guest` builds it. */
export function coreModule(): Uint8Array<ArrayBuffer> {
  return read(env["REFRAIN_CORE"] ?? resolve(built, "refrain.core.wasm"), "cargo xtask guest");
}

function read(path: string, maker: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new Error(`cannot read \`${path}\`; \`${maker}\` writes it`, { cause: error });
  }
}
