/** A service worker that drains the queue when the browser says that there is a network. */

import { createFetch, type Fetch } from "../../../src/fetch.js";
import { pinnedEngine } from "../../../src/pinned.js";
import { drainAtSync } from "../../../src/queue.js";

/** Made at the first request, since a worker's script cannot wait. */
let made: Promise<Fetch> | undefined;

async function make(): Promise<Fetch> {
  const module = await fetch(`/module?${encodeURIComponent(JSON.stringify({ maxAttempts: 2 }))}`);
  const engine = pinnedEngine(new WebAssembly.Module(await module.arrayBuffer()));
  return createFetch({ engine, limits: { maxWait: 5_000 } });
}

drainAtSync(async (input, init) => (await (made ??= make()))(input, init));
