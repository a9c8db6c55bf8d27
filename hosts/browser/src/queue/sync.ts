/**
 * Background Sync, where it exists: the browser wakes the service worker when there is a network.
 *
 * @module
 */

/** The tag of the `sync` event. */
export const SYNC_TAG = "@refrain/fetch";

interface SyncManager {
  register(tag: string): Promise<void>;
}

/** Asks for a `sync` event, where there is a service worker that can have one. It may come before anything is due. */
export async function requestSync(): Promise<void> {
  const scope = globalThis as { registration?: { sync?: SyncManager }; navigator?: Navigator };
  const registration = scope.registration ?? (await scope.navigator?.serviceWorker?.getRegistration());
  try {
    await (registration as { sync?: SyncManager } | undefined)?.sync?.register(SYNC_TAG);
  } catch {
    // The user or the browser does not want it; whoever drains from a page still does.
  }
}
