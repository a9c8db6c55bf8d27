/** A service worker that drains the queue when the browser says that there is a network. */

import { createFetch } from "../../../src/fetch.js";
import { pinnedEngine } from "../../../src/pinned.js";
import { SYNC_TAG, openQueue } from "../../../src/queue.js";
import type { Rules } from "../../policy.js";

interface SyncEvent extends Event {
  readonly tag: string;
  waitUntil(until: Promise<unknown>): void;
}

async function drain(): Promise<void> {
  const rules: Rules = { maxAttempts: 2 };
  const module = await fetch(`/module?${encodeURIComponent(JSON.stringify(rules))}`);
  const engine = pinnedEngine(new WebAssembly.Module(await module.arrayBuffer()));
  const queue = await openQueue();
  await queue.sync(createFetch({ engine, limits: { maxWait: 5_000 } }));
}

addEventListener("sync", (event) => {
  const { tag, waitUntil } = event as SyncEvent;
  if (tag === SYNC_TAG) waitUntil.call(event, drain());
});
