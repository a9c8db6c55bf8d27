/**
 * The command line, with whose answers the page's are compared.
 *
 * @module
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";

/** Runs `refrain` in a folder and gives what it prints. */
export function refrain(folder: string, ...args: readonly string[]): string {
  const program = env["REFRAIN_PROGRAM"];
  if (program === undefined) throw new Error("expected the command line in `REFRAIN_PROGRAM`; `cargo xtask test web` says where it is");
  return execFileSync(program, args, { cwd: folder, encoding: "utf8" });
}

/** Makes a folder that is gone once `use` is done. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "refrain-web-demo-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
