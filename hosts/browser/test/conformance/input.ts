/** What a vector says, as an engine takes it. */

import {
  FAILURE,
  NETWORK_UNKNOWN,
  RESPONSE,
  type Attempt,
  type Engine,
  type FailureEvent,
  type Now,
  type Request,
  type ResponseEvent,
} from "../../src/engine.js";
import { FAILURES, METHODS } from "../../src/names.js";
import type { AttemptSpec, FailureSpec, RequestSpec, ResponseSpec } from "./vector.js";

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Before the first call. */
export function firstNow(tokens: number): Mutable<Now> {
  return {
    mark: 0,
    wall: null,
    session: 1,
    cancelled: false,
    network: NETWORK_UNKNOWN,
    sample: 0,
    tokens,
    hold: null,
  };
}

export function request(spec: RequestSpec = {}): Request {
  return {
    method: METHODS.indexOf((spec.method ?? "GET") as (typeof METHODS)[number]),
    key: (["absent", "sent", "honoured"] as const).indexOf(spec.key ?? "absent") as Request["key"],
    replayable: spec.replayable ?? true,
    maxAttempts: spec.max_attempts ?? null,
    deadline: spec.deadline ?? null,
    maxWait: spec.max_wait ?? null,
    attemptsUsed: spec.attempts_used ?? 0,
    notBefore: spec.not_before ?? null,
  };
}

export function responseEvent(engine: Engine, spec: ResponseSpec, attempt: number): ResponseEvent {
  const values = new Map(Object.entries(spec.fields ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const fields = engine.description.fields.map((name) => values.get(name) ?? null);
  return { event: RESPONSE, ...attemptOf(spec, attempt), status: spec.status, fields };
}

export function failureEvent(spec: FailureSpec, attempt: number): FailureEvent {
  const kind = FAILURES.indexOf(spec.kind as (typeof FAILURES)[number]);
  if (kind < 0) throw new Error(`expected a kind of failure, found \`${spec.kind}\``);
  return {
    event: FAILURE,
    ...attemptOf(spec, attempt),
    kind: kind as FailureEvent["kind"],
    timedOut: spec.timed_out ?? false,
  };
}

function attemptOf(spec: AttemptSpec, attempt: number): Attempt {
  return { attempt: spec.attempt ?? attempt, sends: spec.sends ?? 1, exhausted: spec.exhausted ?? false };
}

export function unhex(hex: string): Uint8Array {
  const pairs = hex.match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
