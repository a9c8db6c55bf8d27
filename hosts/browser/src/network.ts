/**
 * What is known about the network.
 *
 * @module
 */

/** What is known about the network. */
export interface Connectivity {
  /** Whether there is one; `undefined` if nobody can tell, which counts as there. */
  readonly online: boolean | undefined;

  /**
   * Calls `listener` when there is one again. Too often does no harm.
   *
   * @returns what ends that
   */
  subscribe(listener: () => void): () => void;
}

/**
 * `navigator.onLine` and the event `online`, in pages and workers; unknown where there is no such thing, as in Node.
 *
 * A browser says offline when there is no network at all. Online proves nothing about a server.
 */
export const browserNetwork: Connectivity = {
  get online() {
    return globalThis.navigator?.onLine;
  },
  subscribe(listener) {
    addEventListener("online", listener);
    return () => removeEventListener("online", listener);
  },
};
