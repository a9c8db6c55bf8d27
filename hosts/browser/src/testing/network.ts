/**
 * A network that is told.
 *
 * @module
 */

import type { Connectivity } from "../network.js";

/** Connectivity as a test tells it; unknown at first. */
export class TestNetwork implements Connectivity {
  #online: boolean | undefined;
  readonly #listeners = new Set<() => void>();

  /** See `Connectivity`. */
  get online(): boolean | undefined {
    return this.#online;
  }

  /** How many requests listen. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Tells what is known, and wakes the requests that wait. */
  set(online: boolean | undefined): void {
    this.#online = online;
    for (const listener of [...this.#listeners]) listener();
  }

  /** See `Connectivity`. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
