/** Engines for the policies of vectors, wherever the runner runs. */

import { compilerOf } from "../../src/dynamic.js";
import { pinnedEngine } from "../../src/pinned.js";
import { pinnedParser } from "../../src/pinned-parser.js";
import { unhex } from "./input.js";
import { mismatch, type Maker } from "./runner.js";
import type { Baked, VectorFile } from "./vector.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Makers of both engines, by name. */
export function makers(core: Bytes, dynamic: Bytes): Record<"pinned" | "dynamic", Maker> {
  const compiler = compilerOf(dynamic);
  return {
    pinned: cached((slot) => {
      const module = new WebAssembly.Module(bake(core, unhex(slot)));
      return { ...pinnedEngine(module), ...pinnedParser(module) };
    }),
    dynamic: cached((slot) => compiler.fromSlot(unhex(slot))),
  };
}

/** What of a file did not come out as it says. */
export function mismatches(make: Maker, { vectors }: VectorFile, slots: Readonly<Record<string, Baked>>): string[] {
  return vectors.flatMap((vector) => {
    const baked = slots[vector.id];
    if (baked === undefined) return `${vector.id} has no slot; run \`cargo xtask test browser\``;
    return mismatch(make, vector, baked) ?? [];
  });
}

/** The core module with the policy of this slot, which begins with 16 bytes that stand nowhere else in it. */
export function bake(core: Bytes, slot: Uint8Array): Bytes {
  const magic = slot.subarray(0, 16);
  const places = [...core.keys()].filter((at) => magic.every((byte, i) => core[at + i] === byte));
  if (places.length !== 1) throw new Error(`expected a core module with one policy slot, found ${places.length}`);
  const baked = core.slice();
  baked.set(slot, places[0]);
  return baked;
}

/**
 * Keeps a few engines: a browser reserves gigabytes of addresses for each memory, whatever its size, and has room for some
 * dozens.
 */
function cached(make: Maker): Maker {
  const engines = new Map<string, ReturnType<Maker>>();
  return (slot) => {
    const engine = engines.get(slot) ?? make(slot);
    engines.delete(slot);
    engines.set(slot, engine);
    for (const oldest of engines.keys()) {
      if (engines.size > 8) engines.delete(oldest);
    }
    return engine;
  };
}
