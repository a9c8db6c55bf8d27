/**
 * What is told once, in order, to whoever asks.
 *
 * @module
 */

/** A queue whose reader waits. */
export class Channel<T> {
  readonly #told: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  /** Tells it. */
  send(value: T): void {
    const reader = this.#waiting.shift();
    if (reader) reader(value);
    else this.#told.push(value);
  }

  /** The next. */
  async receive(): Promise<T> {
    if (this.#told.length) return this.#told.shift()!;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
