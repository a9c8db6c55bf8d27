/**
 * Reads Retry-After values by the core module of an artifact.
 *
 * @module
 */

import { FIELD_MAX } from "./block.js";
import type { Core } from "./bundled.js";
import type { Parser, RetryAfter } from "./engine.js";

/**
 * A parser over a compiled core module. No request needs one, so it is apart from the engine, and a page that reads no
 * values does not download it.
 */
export function pinnedParser(module: WebAssembly.Module): Parser {
  const core = new WebAssembly.Instance(module).exports as Core;
  const view = new DataView(core.memory.buffer);
  // Clamped: a character that is no byte becomes one that no value is written with.
  const bytes = new Uint8ClampedArray(core.memory.buffer);
  return {
    parse(value: string, wall: number | null): RetryAfter {
      const cut = Array.from(value.slice(0, FIELD_MAX).split(""), (character) => character.charCodeAt(0));
      const from = core.cabi_realloc(0, 0, 1, cut.length) >>> 0;
      bytes.set(cut, from);
      const parse = core["refrain:policy/policy@1.0.0#parse"];
      const at = parse(from, cut.length, wall === null ? 0 : 1, BigInt(wall ?? 0)) >>> 0;
      if (view.getUint8(at)) return { refused: view.getUint16(at + 8, true) };
      return view.getUint8(at + 8)
        ? { at: view.getBigInt64(at + 16, true) }
        : { delaySeconds: view.getBigUint64(at + 16, true) };
    },
  };
}
