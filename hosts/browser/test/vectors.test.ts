import { describe, expect, it } from "vitest";
import { makers, mismatches } from "./conformance/engines.js";
import { coreModule, dynamicModule, slots, vectorFiles } from "./core.js";

const baked = slots();
const engines = Object.entries(makers(coreModule(), dynamicModule()));

describe.each(engines)("every vector holds in the %s engine", (_, make) => {
  it.each([...vectorFiles()])("%s", (_, file) => {
    expect(file.vectors.length).toBeGreaterThan(0);
    expect(mismatches(make, file, baked)).toEqual([]);
  });
});
