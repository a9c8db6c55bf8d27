/**
 * Draining in a service worker, when the browser says so.
 *
 * @module
 */

import type { Fetch } from "../fetch.js";
import type { Hear, QueueOptions } from "./interface.js";
import { openQueue } from "./queue.js";
import { SYNC_TAG } from "./sync.js";

interface SyncEvent extends Event {
  readonly tag: string;
  waitUntil(ended: Promise<unknown>): void;
}

/**
 * Drains the queue at each `sync` event of `SYNC_TAG`. To be called while the script of a service worker runs for the
 * first time, as is asked of every listener there.
 *
 * The browser stops a worker that waits for long: give its `createFetch` a low `maxWait`.
 */
export function drainAtSync(fetch: Fetch, options?: QueueOptions, each?: Hear): void {
  addEventListener("sync", (event) => {
    const sync = event as SyncEvent;
    if (sync.tag === SYNC_TAG) sync.waitUntil(drainOnce(fetch, options, each));
  });
}

async function drainOnce(fetch: Fetch, options?: QueueOptions, each?: Hear): Promise<void> {
  const queue = await openQueue(options);
  try {
    await queue.sync(fetch, each);
  } finally {
    queue.close();
  }
}
