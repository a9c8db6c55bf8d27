/**
 * Controlled time.
 *
 * @module
 */

import type { Time } from "../time.js";
import { Channel } from "./channel.js";

/** Time that stands still until a test moves it. It begins at mark 0, without a wall clock. */
export class TestTime implements Time {
  #now = 0;
  #wall: number | null = null;
  readonly #timers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #entered = new Channel<number>();

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves the wait clock on by so many milliseconds, which may be a fraction, and the wall clock with it. */
  advance(span: number): void {
    if (this.#wall !== null) this.#wall += span;
    this.setMark(this.#now + span);
  }

  /** Moves the wait clock to a mark, and the wall clock nowhere: as after a correction of the system time. */
  setMark(mark: number): void {
    this.#now = mark;
    this.#wake(({ until }) => until <= Math.floor(mark));
  }

  /** Sets the wall clock, or takes it away, and moves the wait clock nowhere. */
  setWall(wall: number | null): void {
    this.#wall = wall;
  }

  /** Ends every wait under way, however early, as a timer that fires too soon does. */
  wakeEarly(): void {
    this.#wake(() => true);
  }

  /**
   * When a wait is entered, until when it is to last. Each is told once, in order; one that is entered again after an
   * early wake is told again, and an attempt with a timeout enters a wait too.
   */
  waitEntered(): Promise<number> {
    return this.#entered.receive();
  }

  /** See `Time`; exact. */
  mark(up: boolean): number {
    return up ? Math.ceil(this.#now) : Math.floor(this.#now);
  }

  /** See `Time`. */
  wall(): number | null {
    return this.#wall === null ? null : Math.floor(this.#wall);
  }

  /** See `Time`; a wait that is over by then ends at once. */
  sleep(until: number, wake: () => void): () => void {
    const timer = { until, wake };
    this.#timers.add(timer);
    this.#entered.send(until);
    if (until <= this.mark(false)) this.#wake((other) => other === timer);
    return () => this.#timers.delete(timer);
  }

  #wake(isDue: (timer: { readonly until: number; readonly wake: () => void }) => boolean): void {
    for (const timer of [...this.#timers].filter(isDue)) {
      this.#timers.delete(timer);
      timer.wake();
    }
  }
}
