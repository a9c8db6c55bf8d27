/** Turns of contenders, and what is learnt from them: in Node and in Chromium alike. */

/** Someone who does a thing. */
export interface Contender {
  readonly name: string;
  /** Does it so many times. */
  readonly turn: (times: number) => Promise<void> | void;
}

/** How often each contender has its turn, and how often it does its thing in one. */
export interface Turns {
  readonly count: number;
  readonly times: number;
}

/** One measure, as `cargo xtask measure` reads it. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly compared_with: string | null;
}

/** Nanoseconds for each contender, one number a turn. */
export type Times = readonly (readonly number[])[];

/** Turns that do not count: the compiler has its time then, and what is made once is made. */
const WARMING = 200;

/** Lets contenders take turns within one run, so that a noisy machine disturbs all of them alike. */
export async function take({ count, times }: Turns, contenders: readonly Contender[]): Promise<Times> {
  const nanos = contenders.map((): number[] => []);
  for (let turn = -WARMING; turn < count; turn++) {
    for (const [i, contender] of contenders.entries()) {
      const begun = performance.now();
      await contender.turn(times);
      if (turn >= 0) nanos[i]!.push(((performance.now() - begun) * 1e6) / times);
    }
  }
  return nanos;
}

/** The one in the middle, or between the two there. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
