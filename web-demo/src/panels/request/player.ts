/**
 * Plays a request: begins it, lets its time run, and remembers what a person did to it.
 *
 * @module
 */

import type { Compiled } from "@refrain/fetch/dynamic";
import { realRun } from "./real.js";
import type { Run } from "./run.js";
import type { Followed, Press, Setup } from "./setup.js";
import { virtualRun, type VirtualRun } from "./virtual.js";

/** More steps than any policy takes that a person would follow. */
const MOST_STEPS = 100_000;

/** Longest that a page may have been hidden, in milliseconds, for its time to go on: it does not make up for more. */
const LONGEST_FRAME = 100;

/** What plays a request. */
export class Player {
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  #setup: Setup | null = null;
  #policy: Compiled | null = null;
  #run: Run | VirtualRun | null = null;
  #presses: readonly Press[] = [];
  #isPlaying = false;
  /** How many requests were begun or given up: tells them apart. */
  #count = 0;

  /**
   * @param changed is called when there is something else to be seen
   * @param signal ends everything
   */
  constructor(changed: () => void, signal: AbortSignal) {
    this.#changed = changed;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#giveUp());
  }

  /** The request under way or ended; `null` before it is begun. */
  get run(): Run | null {
    return this.#run;
  }

  /** Its time runs by itself. */
  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  /** Nothing happens any more until a person acts. */
  get isStuck(): boolean {
    const { run } = this;
    return isVirtual(run) && !run.result && run.next === null;
  }

  /** How far it was followed, for a link. */
  get followed(): Followed {
    return { presses: this.#presses, until: isVirtual(this.run) ? this.run.now : null };
  }

  /** Takes another setup; `null` for a policy that is refused. A request under way is given up. */
  load(setup: Setup, policy: Compiled | null): void {
    this.#giveUp();
    [this.#setup, this.#policy] = [setup, policy];
    this.#changed();
  }

  /** Goes to where a link led. */
  async follow({ presses, until }: Followed): Promise<void> {
    if (until === null || this.#setup?.mode !== "virtual") return;
    this.#begin(presses);
    await this.#runTo(until);
  }

  /** Goes to what happens next. */
  async step(): Promise<void> {
    this.#isPlaying = false;
    const before = this.run?.entries.length ?? 0;
    await this.#ensureBegun();
    const run = this.#run;
    // What is due may come to nothing: the answer to an attempt that was lost.
    while (isVirtual(run) && run.entries.length === before && run.next !== null) await this.#runTo(run.next);
  }

  /** Goes to the end, or to where nothing happens any more. */
  async toEnd(): Promise<void> {
    this.#isPlaying = false;
    await this.#ensureBegun();
    const run = this.#run;
    for (let step = 0; isVirtual(run) && run.next !== null && step < MOST_STEPS; step++) await run.runTo(run.next);
    this.#changed();
  }

  /** Lets the time run, so many times as fast as it does; begins a request that runs for real. */
  async play(speed: () => number): Promise<void> {
    this.#isPlaying = true;
    await this.#ensureBegun();
    let last = performance.now();
    while (this.#goesOn()) {
      const now = await frame();
      const elapsed = Math.min(now - last, LONGEST_FRAME) * speed();
      const run = this.#run;
      if (isVirtual(run) && elapsed >= 1 && this.#goesOn()) {
        last = now;
        await this.#runTo(Math.floor(run.now + elapsed));
      } else {
        this.#changed();
      }
    }
    this.pause();
  }

  /** Lets it stand still. A request that runs for real cannot. */
  pause(): void {
    this.#isPlaying = false;
    this.#changed();
  }

  /** Does something to the request at this moment; one that is not begun begins so. */
  press(action: Press["action"]): void {
    const run = this.#run;
    if (!run) return this.#begin([{ action, at: -1 }]);
    if (run.result) return;
    this.#presses = [...this.#presses, { action, at: run.now }];
    run.press(action);
    void this.#runTo(run.now);
  }

  #goesOn(): boolean {
    return this.#isPlaying && !!this.run && !this.run.result && !this.isStuck && !this.#signal.aborted;
  }

  async #ensureBegun(): Promise<void> {
    if (!this.#run) this.#begin([]);
    await this.#runTo(0);
  }

  #begin(presses: readonly Press[]): void {
    const [setup, policy] = [this.#setup, this.#policy];
    if (!setup || !policy) return;
    const mine = ++this.#count;
    // What is told of a request that was given up is nobody's business.
    const told = (): void => {
      if (mine === this.#count) this.#changed();
    };
    this.#presses = presses;
    this.#run = setup.mode === "virtual" ? virtualRun(setup, policy, presses) : realRun(setup, policy, presses, told);
    // It may be long until the clock stands at 0: retries that wait for nothing.
    this.#changed();
    void this.#runTo(0);
  }

  #giveUp(): void {
    const run = this.#run;
    this.#count++;
    this.#isPlaying = false;
    this.#run = null;
    this.#presses = [];
    if (isVirtual(run)) run.giveUp();
    else if (run && !run.result) run.press("cancel");
  }

  async #runTo(mark: number): Promise<void> {
    const run = this.#run;
    if (isVirtual(run)) await run.runTo(mark);
    this.#changed();
  }
}

function isVirtual(run: Run | VirtualRun | null): run is VirtualRun {
  return run !== null && "runTo" in run;
}

/** Ends when the browser draws next, and tells the time. */
function frame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
