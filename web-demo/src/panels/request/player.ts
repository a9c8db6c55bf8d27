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

/** What plays a request. */
export interface Player {
  /** The request under way or ended; `null` before it is begun. */
  readonly run: Run | null;
  /** Its time runs by itself. */
  readonly isPlaying: boolean;
  /** Nothing happens any more until a person acts. */
  readonly isStuck: boolean;
  /** How far it was followed, for a link. */
  readonly followed: Followed;
  /** Takes another setup; `null` for a policy that is refused. A request under way is given up. */
  load(setup: Setup, policy: Compiled | null): void;
  /** Goes to where a link led. */
  follow(followed: Followed): Promise<void>;
  /** Goes to what happens next. */
  step(): Promise<void>;
  /** Goes to the end, or to where nothing happens any more. */
  toEnd(): Promise<void>;
  /** Lets the time run, so many times as fast as it does; begins a request that runs for real. */
  play(speed: () => number): void;
  pause(): void;
  press(action: Press["action"]): void;
}

/** More steps than any policy takes that a person would follow. */
const MOST_STEPS = 100_000;

/**
 * Makes one.
 *
 * @param changed is called when there is something else to be seen
 * @param signal ends everything
 */
export function player(changed: () => void, signal: AbortSignal): Player {
  let setup: Setup | null = null;
  let policy: Compiled | null = null;
  let run: Run | VirtualRun | null = null;
  let presses: readonly Press[] = [];
  let isPlaying = false;
  let count = 0;
  const isVirtual = (run: Run | VirtualRun | null): run is VirtualRun => run !== null && "runTo" in run;
  const begin = (again: readonly Press[] = []): void => {
    if (!setup || !policy) return;
    presses = again;
    const mine = ++count;
    // What is told of a request that was given up is nobody's business.
    const told = (): void => {
      if (mine === count) changed();
    };
    run = setup.mode === "virtual" ? virtualRun(setup, policy, again, told) : realRun(setup, policy, told);
  };
  const giveUp = (): void => {
    isPlaying = false;
    count++;
    if (run && !isVirtual(run) && !run.result) run.press("cancel");
    run = null;
    presses = [];
  };
  const runTo = async (mark: number): Promise<void> => {
    if (isVirtual(run)) await run.runTo(mark);
    changed();
  };
  const frames = (speed: () => number): void => {
    let last = performance.now();
    const frame = async (): Promise<void> => {
      const now = performance.now();
      // A page that was hidden does not make up for it.
      const elapsed = Math.min(now - last, 100) * speed();
      if (!isPlaying || !run || run.result || signal.aborted) return stop();
      if (isVirtual(run) && elapsed >= 1) {
        last = now;
        await runTo(Math.floor(run.now + elapsed));
        if (run.next === null) return stop();
      }
      changed();
      requestAnimationFrame(frame);
    };
    const stop = (): void => {
      isPlaying = false;
      changed();
    };
    requestAnimationFrame(frame);
  };
  signal.addEventListener("abort", giveUp);
  return {
    get run() {
      return run;
    },
    get isPlaying() {
      return isPlaying;
    },
    get isStuck() {
      return isVirtual(run) && !run.result && run.next === null;
    },
    get followed() {
      return { presses, until: isVirtual(run) ? run.now : null };
    },
    load(next, compiled) {
      giveUp();
      [setup, policy] = [next, compiled];
      changed();
    },
    async follow({ presses, until }) {
      if (until === null || setup?.mode !== "virtual") return;
      begin(presses);
      await runTo(until);
    },
    async step() {
      isPlaying = false;
      const before = run?.entries.length ?? 0;
      if (!run) begin();
      await runTo(0);
      // What is due may come to nothing: the answer to an attempt that was lost.
      while (isVirtual(run) && run.entries.length === before && run.next !== null) await runTo(run.next);
    },
    async toEnd() {
      isPlaying = false;
      if (!run) begin();
      await runTo(0);
      for (let step = 0; isVirtual(run) && run.next !== null && step < MOST_STEPS; step++) await run.runTo(run.next);
      changed();
    },
    play(speed) {
      if (!run || run.result) begin();
      isPlaying = run !== null;
      void runTo(0).then(() => frames(speed));
    },
    pause() {
      isPlaying = false;
      changed();
    },
    press(action) {
      if (!run || run.result) return;
      presses = [...presses, { action, at: run.now }];
      run.press(action);
      void runTo(run.now);
    },
  };
}
