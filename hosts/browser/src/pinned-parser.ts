/**
 * Reads Retry-After values by the core module of an artifact.
 *
 * @module
 */

import type { Parser, RetryAfter } from "./engine.js";
import { begin, getU16, getU8, instantiate, putBytes } from "./memory.js";

/**
 * A parser over a compiled core module. No request needs one, so it is apart from the engine, and a page that reads no
 * values does not download it.
 */
export function pinnedParser(module: WebAssembly.Module): Parser {
  const instance = instantiate(module);
  return {
    parse(value: string, wall: number | null): RetryAfter {
      const from = begin(instance);
      const length = putBytes(from, value);
      const parse = instance.exports["refrain:policy/policy@1.0.0#parse"];
      const at = parse(from, length, wall === null ? 0 : 1, BigInt(wall ?? 0)) >>> 0;
      if (getU8(at)) return { refused: getU16(at + 8) };
      return getU8(at + 8)
        ? { at: instance.view.getBigInt64(at + 16, true) }
        : { delaySeconds: instance.view.getBigUint64(at + 16, true) };
    },
  };
}
