/** Where scenarios run in a browser: what the page is told, and what it can get of its own server. */

import type { Place } from "../../loopback/scenarios.js";

/** What the runner knows of servers. */
export type Origins = Pick<Place, "own" | "open" | "mute" | "closed">;

export function placeOf(origins: Origins): Place {
  return {
    ...origins,
    enforcesCors: true,
    async module(rules) {
      const response = await fetch(`${origins.own}/module?${encodeURIComponent(JSON.stringify(rules))}`);
      return new WebAssembly.Module(await response.arrayBuffer());
    },
  };
}
