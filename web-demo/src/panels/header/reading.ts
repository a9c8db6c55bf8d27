/**
 * What a value says. All of it comes from the policy core: how it is read, and how long is waited for it.
 *
 * @module
 */

import {
  FINISH,
  KEY_ABSENT,
  NETWORK_UP,
  RESPONSE,
  WAIT,
  decider,
  stepBuffer,
  type RetryAfter,
} from "@refrain/fetch/engine";
import type { Compiled, Compiler } from "@refrain/fetch/dynamic";
import { BOUNDS } from "@refrain/fetch/names";

/** A value, and what was true when it came. */
export interface Received {
  /** Each character is a byte. */
  readonly value: string;
  /** The wall clock in milliseconds since 1970; `null` for a device without one. */
  readonly now: number | null;
  /** The response's own Date; empty for none. */
  readonly date: string;
}

/** Which dates are accepted: all that RFC 9110 obliges recipients to, or only what a sender may write. */
export type Rules = "rfc-9110" | "strict";

/** What a value says, and what follows. */
export interface Reading {
  readonly says: RetryAfter;
  /** Measured by the wall clock. */
  readonly byWall: Consequence;
  /** Measured by the response's own Date, where it has one. */
  readonly byDate: Consequence | null;
}

/** What a client does that follows the server and has no backoff of its own. */
export interface Consequence {
  /** It waits so many milliseconds; or it may not retry in this process. */
  readonly type: "wait" | "deferred";
  /** 2^53 − 1 if it is that long or unknown. */
  readonly delay: number;
  /** Milliseconds since 1970; `null` if nobody can tell. */
  readonly notBefore: number | null;
  /** The hint fixed it; else it is the client's own backoff. */
  readonly isHint: boolean;
}

/** Reads a value. */
export type Reader = (received: Received, rules: Rules) => Reading;

/** The local backoff of the policy that values are looked at through, in milliseconds: as short as one can be. */
const BACKOFF = 1;

/** Makes what reads values. */
export function reader(compiler: Compiler): Reader {
  const lenses = new Map<string, Compiled>();
  const lens = (rules: Rules, clock: "wall" | "server-date"): Compiled => {
    const name = `${rules} ${clock}`;
    const known = lenses.get(name) ?? compiler.compile(document(rules, clock));
    lenses.set(name, known);
    return known;
  };
  return (received, rules) => {
    const byWall = lens(rules, "wall");
    return {
      says: byWall.parse(received.value, received.now),
      byWall: consequence(byWall, received),
      byDate: received.date ? consequence(lens(rules, "server-date"), received) : null,
    };
  };
}

/** A policy without limits that does what the server says, and as good as nothing of its own. */
function document(rules: Rules, clock: "wall" | "server-date"): string {
  return `
    schema = 1
    name = "lens"
    version = "1.0.0"
    budget = "none"
    limits = { max_attempts = 2, deadline = "none", max_wait = "none" }
    backoff = { base = "${BACKOFF}ms", multiplier = 1, cap = "${BACKOFF}ms", jitter = "none" }
    retry = { statuses = [503], throttled = [] }
    [hints]
    mode = "instead"
    zero = "at-once"
    spread = 0
    clock = "${clock}"
    obsolete_dates = ${rules === "rfc-9110"}
    strict_dates = ${rules === "strict"}
  `;
}

function consequence(lens: Compiled, { value, now, date }: Received): Consequence {
  const fields: Readonly<Record<string, string>> = { "retry-after": value, ...(date && { date }) };
  const at = { mark: 0, wall: now, session: 0, cancelled: false, network: NETWORK_UP, sample: 0, tokens: 0, hold: null } as const;
  const { start, handle } = decider(lens);
  const into = stepBuffer();
  start({ method: 0, key: KEY_ABSENT, replayable: true, attemptsUsed: 0 }, at, into);
  const answer = {
    event: RESPONSE,
    attempt: 1,
    sends: 1,
    exhausted: false,
    status: 503,
    fields: lens.description.fields.map((name) => fields[name] ?? null),
  } as const;
  const step = handle(into.execution, answer, at, into);
  if (step.command === WAIT) {
    const { delay, bound } = step;
    return { type: "wait", delay, notBefore: now === null ? null : now + delay, isHint: BOUNDS[bound] === "hint" };
  }
  if (step.command === FINISH && step.resume) {
    const { delay, notBefore } = step.resume;
    return { type: "deferred", delay, notBefore, isHint: true };
  }
  throw new Error(`expected a wait or a deferral from the policy, found the command ${step.command}`);
}
