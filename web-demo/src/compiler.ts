/**
 * The dynamic engine, downloaded once, when the first panel needs it.
 *
 * @module
 */

import type { Compiler } from "@refrain/fetch/dynamic";

let loading: Promise<Compiler> | undefined;

/** What compiles policies and reads values by them. */
export function compiler(): Promise<Compiler> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Compiler> {
  try {
    const { loadCompiler } = await import("@refrain/fetch/dynamic");
    return await loadCompiler();
  } catch (error) {
    // Whoever asks next tries again.
    loading = undefined;
    throw error;
  }
}
