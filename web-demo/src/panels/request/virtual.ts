/**
 * A request on virtual time: the clock goes where it is told, from one thing that happens to the next.
 *
 * @module
 */

import type { Time } from "@refrain/fetch";
import type { Compiled } from "@refrain/fetch/dynamic";
import { ScriptedFetch, TestNetwork, TestTime, type Later } from "@refrain/fetch/testing";
import { utf8 } from "../../wire.js";
import { begin, type Place, type Run } from "./run.js";
import type { Answer, Press, Setup } from "./setup.js";

/** A request on virtual time. */
export interface VirtualRun extends Run {
  /** When something happens next; `null` if nothing does until a person acts. */
  readonly next: number | null;
  /** Moves the clock on to a mark, and does all that is due until then. Calls follow one another. */
  runTo(mark: number): Promise<void>;
  /** Lets nothing happen any more. */
  giveUp(): void;
}

/** What the wall clock says at the begin: 1 January 2026, 00:00:00 UTC. */
export const WALL = 1_767_225_600_000;

/** Something that is to happen. */
interface Due {
  readonly at: number;
  /** Done by a person, who saw all else that happened at that time. */
  readonly isPress?: boolean;
  readonly happen: () => void;
}

/**
 * Begins a request.
 *
 * @param presses what a person did to it when it was run before; done again at the same times
 */
export function virtualRun(setup: Setup, policy: Compiled, presses: readonly Press[]): VirtualRun {
  const clock = new TestTime();
  clock.setWall(WALL);
  const due = new Set<Due>();
  let isGivenUp = false;
  // Who moves the clock looks afterwards.
  const run = begin(setup, policy, placeOf(setup, clock, due), presses, () => {});
  for (const { action, at } of presses) {
    if (at >= 0) due.add({ at, isPress: true, happen: () => run.press(action) });
  }
  const next = (): Due | null => (run.result || isGivenUp ? null : first(due));
  let running: Promise<void> = Promise.resolve();
  const moveTo = async (mark: number): Promise<void> => {
    // What was begun or pressed before.
    await settled();
    for (let one = next(); one && one.at <= mark; one = next()) {
      due.delete(one);
      clock.advance(Math.max(0, one.at - clock.mark(false)));
      one.happen();
      await settled();
    }
    if (!run.result) clock.advance(Math.max(0, mark - clock.mark(false)));
  };
  return {
    get entries() {
      return run.entries;
    },
    get now() {
      return run.now;
    },
    get result() {
      return run.result;
    },
    get next() {
      return next()?.at ?? null;
    },
    press: run.press,
    runTo: (mark) => (running = running.then(() => moveTo(mark))),
    giveUp: () => (isGivenUp = true),
  };
}

function first(due: ReadonlySet<Due>): Due | null {
  let found: Due | null = null;
  for (const one of due) {
    if (!found || one.at < found.at || (one.at === found.at && found.isPress && !one.isPress)) found = one;
  }
  return found;
}

function placeOf(setup: Setup, clock: TestTime, due: Set<Due>): Place {
  const network = new TestNetwork();
  network.set(true);
  const server = new ScriptedFetch(clock);
  const inFlight = new Set<Later>();
  let sends = 0;
  return {
    time: timed(clock, due),
    network,
    entropy: random(setup.seed),
    url: "https://server.example/orders",
    fetch(input, init) {
      const answer = setup.script[Math.min(sends++, setup.script.length - 1)]!;
      const later = server.later();
      inFlight.add(later);
      if (network.online === false) later.fail();
      else if (answer.type !== "silent") due.add(arrival(answer, later, clock));
      return server.fetch(input, init).finally(() => inFlight.delete(later));
    },
    setOnline(online) {
      // What is under way without a network is lost.
      if (!online) for (const later of inFlight) later.fail();
      network.set(online);
    },
  };
}

function arrival({ type, status, retryAfter, after }: Answer, later: Later, clock: TestTime): Due {
  const happen = (): void => {
    if (type === "lost") return later.fail();
    const date = new Date(clock.wall()!).toUTCString();
    later.respond(status, { date, ...(retryAfter && { "retry-after": headerOf(retryAfter) }) });
  };
  return { at: clock.mark(false) + after, happen };
}

/** A text as the bytes of a field, without those that no field can have. */
function headerOf(text: string): string {
  return utf8(text).replace(/[\0\r\n]/g, " ");
}

/** The clock, which tells when its timers end. */
function timed(clock: TestTime, due: Set<Due>): Time {
  return {
    mark: (up) => clock.mark(up),
    wall: () => clock.wall(),
    sleep(until, wake) {
      // The clock wakes whoever waits; here it is only said when.
      const timer = { at: until, happen: () => {} };
      due.add(timer);
      const stop = clock.sleep(until, () => {
        due.delete(timer);
        wake();
      });
      return () => {
        due.delete(timer);
        stop();
      };
    },
  };
}

/** Uniform random numbers of 32 bits, the same from the same seed on every machine (Mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Ends when everything that follows without a wait has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
