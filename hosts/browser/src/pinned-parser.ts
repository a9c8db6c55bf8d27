/**
 * Reads Retry-After values by the core module of an artifact.
 *
 * @module
 */

import type { Parser, RetryAfter } from "./engine.js";
import { FIELD_MAX, instantiate, place, putBytes } from "./instance.js";

/**
 * A parser over a compiled core module. No request needs one, so it is apart from the engine, and a page that reads no
 * values does not download it.
 */
export function pinnedParser(module: WebAssembly.Module): Parser {
  return {
    parse(value: string, wall: number | null): RetryAfter {
      const instance = instantiate(module);
      const length = Math.min(value.length, FIELD_MAX);
      const from = place(instance, length);
      const { view } = instance;
      putBytes(view, from, value, length);
      const at = instance.parse(from, length, wall === null ? 0 : 1, BigInt(wall ?? 0)) >>> 0;
      if (view.getUint8(at)) return { refused: view.getUint16(at + 8, true) };
      return view.getUint8(at + 8)
        ? { at: view.getBigInt64(at + 16, true) }
        : { delaySeconds: view.getBigUint64(at + 16, true) };
    },
  };
}
