import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN, serve } from "./loopback/server.js";
import { scenarios, type Place } from "./loopback/scenarios.js";
import { moduleOf } from "./policy.js";

/** Node asks no server who may read its answers. */
describe("against a real server, in Node", () => {
  const servers: Awaited<ReturnType<typeof serve>>[] = [];
  let place: Place;

  beforeAll(async () => {
    for (const cors of [OPEN, { allows: true, exposes: [] }, { allows: false, exposes: [] }]) servers.push(await serve(cors));
    const [open, mute, closed] = servers.map((server) => server.origin) as [string, string, string];
    place = { own: open, open, mute, closed, enforcesCors: false, module: async (rules) => moduleOf(rules) };
  });
  afterAll(() => servers.forEach((server) => server.close()));

  it.each(Object.keys(scenarios))("%s", (name) => scenarios[name]!(place));

  it("there are scenarios", () => expect(Object.keys(scenarios).length).toBeGreaterThan(10));
});
