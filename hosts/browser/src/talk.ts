/**
 * Talks to the policy about one logical request.
 *
 * All that may have changed outside is read right before each call into the engine, so an early or a needless wake is
 * harmless, and nothing has to be checked again after a wait.
 *
 * @module
 */

import {
  KEEP,
  NETWORK_DOWN,
  NETWORK_UNKNOWN,
  NETWORK_UP,
  SEND,
  WAKE,
  stepBuffer,
  type Event,
  type Execution,
  type Request,
  type StepBuffer,
} from "./engine.js";
import type { Call } from "./call.js";
import type { Host } from "./fetch.js";
import type { Reason } from "./outcome.js";

/** The last mark, which means never. */
export const MAX = Number.MAX_SAFE_INTEGER;

/** A talk with the policy. */
export interface Talk {
  readonly host: Host;
  readonly call: Call;
  /** What is to be done: always the same object. */
  readonly step: StepBuffer;
  /** The session that the request was made in. */
  readonly session: number | undefined;
  /** The clock as last told to the policy. */
  at: number;
  /** The execution from which the last send was commanded. */
  before: Execution;
  /** All sends so far, as far as they are reported. */
  attempts: number;
  /** Why the request ends if what is being done throws. */
  fault: Reason;
  /**
   * Calls into the engine with everything as it is at this moment.
   *
   * @param what why; that something may have changed, if it is left out
   */
  ask(what?: Event | Request): void;
  /** Tells the policy if something has changed, and says whether the attempt that it commanded last goes on. */
  goesOn(): boolean;
  /** Ends when something has changed, at the mark, or early. */
  rest(until: number): Promise<void>;
  /** The clock. */
  now(): number;
  /** Something outside has changed. */
  change(): void;
  /** Ends a rest without a change. */
  stir(): void;
}

const WOKEN = { event: WAKE } as const;

/** Begins to talk. */
export function talk(host: Host, call: Call): Talk {
  const step = stepBuffer();
  let changed = false;
  let wake = (): void => {};
  const self: Talk = {
    host,
    call,
    step,
    session: host.session?.current,
    at: 0,
    attempts: call.count.sends,
    before: step.execution,
    fault: "engine-failed",
    ask(what = WOKEN) {
      changed = false;
      const session = host.session?.current;
      const cancelled = !!call.signal?.aborted;
      self.fault = "no-entropy";
      // The policy ends a cancelled request, and one of an older session, before it draws: a lack of randomness must
      // not turn a cancel into a failure.
      const sample = cancelled || session !== self.session ? 0 : host.entropy();
      self.fault = "engine-failed";
      decide(self, what, cancelled, sample);
    },
    goesOn() {
      if (changed) self.ask();
      return step.command === SEND || step.command === KEEP;
    },
    rest: (until) =>
      new Promise((resolve) => {
        if (changed) return resolve();
        const stop = until < MAX ? host.time.sleep(until, resolve) : undefined;
        wake = () => {
          stop?.();
          resolve();
        };
      }),
    change() {
      changed = true;
      wake();
    },
    now: () => host.time.mark(false),
    stir: () => wake(),
  };
  return self;
}

/** Ends a request that the policy did not end, so that the token of a retry that is not sent goes back. */
export function close(talk: Talk): void {
  try {
    // The policy ends a cancelled request before it draws.
    decide(talk, WOKEN, true, 0);
  } catch {
    // There is nobody else to ask: the token is lost.
  }
}

function decide(talk: Talk, what: Event | Request, cancelled: boolean, sample: number): void {
  const { step, call, host } = talk;
  const { engine, time, session, network, budgets } = host;
  const full = engine.description.budget ?? 0;
  const { online } = network;
  // Read before the mark: a pause between the two makes a wait longer, not shorter.
  const wall = time.wall();
  talk.at = time.mark("event" in what && what.event !== WAKE);
  const now = {
    mark: talk.at,
    wall,
    session: session?.current ?? 0,
    cancelled,
    network: online ? NETWORK_UP : online === false ? NETWORK_DOWN : NETWORK_UNKNOWN,
    sample,
    tokens: budgets.size ? (budgets.get(call.budget()) ?? full) : full,
    hold: null,
  } as const;
  if ("event" in what) engine.handle(step.execution, what, now, step);
  else engine.start(what, now, step);
  // A full one says nothing, so that those of many servers do not add up.
  if (step.tokens < full) budgets.set(call.budget(), step.tokens);
  else if (budgets.size) budgets.delete(call.budget());
}
