import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFetch } from "../src/fetch.js";
import { settled } from "./bench.js";
import { Script } from "./loopback/script.js";
import { OPEN, serve } from "./loopback/server.js";
import { scenarios, type Place } from "./loopback/scenarios.js";
import { engineOf, moduleOf } from "./policy.js";

/** Node asks no server who may read its answers. */
describe("against a real server, in Node", () => {
  const servers: Awaited<ReturnType<typeof serve>>[] = [];
  let place: Place;

  beforeAll(async () => {
    const mutes = [true, false].map((allows) => ({ allows, exposes: [] }));
    for (const cors of [OPEN, ...mutes]) servers.push(await serve(cors));
    const [open, mute, closed] = servers.map((server) => server.origin) as [string, string, string];
    place = { own: open, open, mute, closed, enforcesCors: false, module: async (rules) => moduleOf(rules) };
  });
  afterAll(() => servers.forEach((server) => server.close()));

  it.each(Object.keys(scenarios))("%s", (name) => scenarios[name]!(place));

  it("a signal holds for the body, though nobody else remembers it", async () => {
    const script = await Script.put(place.open, [{ status: 200, body: "here", hang: "body" }]);
    const controller = new AbortController();
    const fetch = createFetch({ engine: engineOf({ attemptTimeout: 60_000 }) });
    const reader = (await fetch(script.url, { signal: controller.signal })).body!.getReader();
    await reader.read();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    await settled();
    runInNewContext("gc")();
    controller.abort("enough");
    await expect(reader.read()).rejects.toBe("enough");
  });

  it("there are scenarios", () => expect(Object.keys(scenarios).length).toBeGreaterThan(10));
});
