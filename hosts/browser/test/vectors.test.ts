import { describe, expect, it } from "vitest";
import { unhex } from "./conformance/input.js";
import { mismatch, type Maker } from "./conformance/runner.js";
import { compilerOf } from "../src/dynamic.js";
import { pinnedEngine } from "../src/pinned.js";
import { pinnedParser } from "../src/pinned-parser.js";
import { bakedModule, dynamicModule, slots, vectorFiles } from "./core.js";

/** Many vectors share a policy. */
function cached(make: Maker): Maker {
  const engines = new Map<string, ReturnType<Maker>>();
  return (slot) => {
    const engine = engines.get(slot) ?? make(slot);
    engines.set(slot, engine);
    return engine;
  };
}

const compiler = compilerOf(dynamicModule());

const makers: Record<string, Maker> = {
  dynamic: (slot) => compiler.fromSlot(unhex(slot)),
  pinned: (slot) => {
    const module = new WebAssembly.Module(bakedModule(unhex(slot)));
    return { ...pinnedEngine(module), ...pinnedParser(module) };
  },
};

const baked = slots();

describe.each(Object.entries(makers))("every vector holds in the %s engine", (_, maker) => {
  const make = cached(maker);
  it.each([...vectorFiles()])("%s", (_, { vectors }) => {
    const policy = (id: string) => baked[id] ?? { policy_error: `\`${id}\` has no slot; run \`cargo xtask test browser\`` };
    expect(vectors.length).toBeGreaterThan(0);
    expect(vectors.flatMap((vector) => mismatch(make, vector, policy(vector.id)) ?? [])).toEqual([]);
  });
});
