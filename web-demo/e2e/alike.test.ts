import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Simulation, initSync, scenarios } from "../src/generated/lab.js";
import { SCENES, type Values } from "../src/panels/stampede/sliders.js";
import type { Shipped } from "../src/lab.js";

const at = (path: string): URL => new URL(path, import.meta.url);

initSync({ module: readFileSync(at("../src/generated/lab.wasm")) });

const shipped = JSON.parse(scenarios()) as readonly Shipped[];

/** The report as the command line writes it, in turns of so many events. */
function report(scenario: string, changes: string, events: number, policies: string[] = []): string {
  const simulation = Simulation.begin(scenario, changes, policies, 1);
  while (simulation.advance(events));
  return simulation.finish().report();
}

describe("the simulator in WebAssembly", () => {
  it("gives for every scenario the report that it gives natively, byte for byte", () => {
    const reports = shipped.map(({ name }) => report(name, "clients = 60\nsweep = []", 1_000));
    const digest = createHash("sha256").update(`[${reports.join()}]`).digest("hex");
    // The simulator's own tests hold the native reports to the same file.
    expect(digest).toBe(readFileSync(at("../../hosts/simulator/tests/digest.txt"), "utf8").trim());
  });

  it("gives the same in short turns and in long ones", () => {
    expect(report("outage", "clients = 300", 1)).toBe(report("outage", "clients = 300", 4_294_967_295));
  });

  it("says what of a scenario, a change or a document it refuses", () => {
    const begin = (changes: string, policies: string[]) => () => Simulation.begin("outage", changes, policies, 1);
    expect(begin("clients = 0", [])).toThrow("`clients`: expected at least 1 client");
    expect(begin("", ["schema = 2"])).toThrow("expected");
    expect(() => Simulation.begin("no scenario", "", [], 1)).toThrow("TOML");
  });
});

describe.each(SCENES.map((scene) => [scene.name, scene] as const))("the sliders of %s", (_, scene) => {
  const begin: Values = Object.fromEntries(scene.sliders.map(({ key, begin }) => [key, begin]));
  const policies = (): string[] => {
    const documents = new Map(shipped.find(({ name }) => name === scene.name)!.policies);
    return scene.begin.map((policy) => documents.get(policy)!);
  };

  it("begin where each of them can stand, with policies that the scenario brings", () => {
    for (const { key, places, begin } of scene.sliders) expect(places, key).toContain(begin);
    expect(policies()).not.toContain(undefined);
  });

  it("make a scenario at each end, as large as they say, and larger", () => {
    for (const { key, places } of scene.sliders) {
      for (const place of [places[0]!, places.at(-1)!]) {
        const values = { ...begin, [key]: place };
        const [run] = (JSON.parse(report(scene.name, scene.changes(values, 1), 1e9, policies())) as Report).runs;
        expect(run!.requests, `${key} at ${place}`).toBe(scene.requests(values));
        const times = Math.max(1, Math.round(1_000_000 / scene.requests(values)));
        Simulation.begin(scene.name, scene.changes(values, times), policies(), 1).free();
      }
    }
  });
});

interface Report {
  readonly runs: readonly { readonly requests: number }[];
}
