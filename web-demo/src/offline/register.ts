/**
 * Makes the page work offline.
 *
 * @module
 */

/** Starts the service worker. Gives true once every file is kept, and false where there can be none. */
export async function workOffline(): Promise<boolean> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return false;
  try {
    await navigator.serviceWorker.register("sw.js");
    await navigator.serviceWorker.ready;
    return true;
  } catch {
    // Storage that is full or forbidden: the page works as long as there is a network.
    return false;
  }
}
