/**
 * Clock and sleep in one object, so that a wait cannot be measured by one clock and slept by another.
 *
 * @module
 */

/** A clock that only goes forward, a wall clock, and waits on the former. All numbers are whole milliseconds. */
export interface Time {
  /**
   * The wait clock, from an origin that is fixed as long as the page lives.
   *
   * @param up whether to round to the millisecond that is not yet over: when a response or a failure is reported
   */
  mark(up: boolean): number;

  /** The wall clock since 1970, rounded down; `null` if there is none. */
  wall(): number | null;

  /**
   * Calls `wake` once, when the wait clock has reached `until`. It may do so early: the policy is asked again.
   *
   * @returns what calls it off
   */
  sleep(until: number, wake: () => void): () => void;
}

/**
 * Longest timer: a page that was frozen, or a machine that slept, is late by at most that. Above 2^31 − 1 it fires at
 * once.
 */
const PIECE = 15_000;

/**
 * How much later than the millisecond that has begun a reading is that is rounded up: one until that is over, and two by
 * which a browser's clock may be behind and, at another reading, ahead. Clocks are made coarse against fingerprinting:
 * 0.1 ms in Chromium, 1 ms in Firefox and Safari, each reading a step early or late.
 */
const UP = 3;

/**
 * `performance.now`, timers of at most 15 s, and `Date.now` as wall clock, which is asked for HTTP-dates only.
 *
 * | what happens | what a wait does |
 * |---|---|
 * | the system time is corrected | nothing |
 * | the tab is in the background | ends up to a second late, after five minutes up to a minute |
 * | the page is frozen, or in the back/forward cache | ends when it is thawed: the clock went on |
 * | the machine sleeps | goes on meanwhile on Windows; elsewhere browsers stop the clock, so it ends that much later |
 * | a service worker is stopped | is lost: give it a low `maxWait`, and keep what is deferred in a queue |
 *
 * It is late in each of these, and never early.
 */
export const systemTime: Time = {
  mark: (up) => Math.floor(performance.now()) + UP * +up,
  wall: () => Date.now(),
  sleep(until, wake) {
    const timer = setTimeout(wake, Math.max(0, Math.min(until - performance.now(), PIECE)));
    return () => clearTimeout(timer);
  },
};
