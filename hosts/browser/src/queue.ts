/**
 * Requests that were deferred, kept in IndexedDB until they may be sent: by a page, or by a service worker when the
 * page is closed.
 *
 * ```ts
 * const queue = await openQueue({ headers: ["accept"] });
 * const fetch = queued(createFetch({ engine }), queue);
 * await fetch("/orders", { method: "POST", body: "order=1", key }); // deferred, it rejects, and is in the queue
 * await queue.drain(createFetch({ engine }));
 * ```
 *
 * In a service worker, with Background Sync, `drainAtSync(createFetch({ engine }))`.
 *
 * @module
 */

export { drainAtSync } from "./queue/drain-at-sync.js";
export { CredentialError, type Entry } from "./queue/entry.js";
export { QueueFullError, type DeferralQueue, type Drained, type Hear, type QueueOptions } from "./queue/interface.js";
export { openQueue } from "./queue/queue.js";
export { SYNC_TAG } from "./queue/sync.js";
export { queued } from "./queue/queued.js";
