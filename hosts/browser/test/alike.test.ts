import { expect, it } from "vitest";
import { bake } from "./conformance/engines.js";
import { unhex } from "./conformance/input.js";
import { compilerOf } from "../src/dynamic.js";
import {
  FAILURE,
  RESPONSE,
  SEND,
  WAKE,
  decider,
  stepBuffer,
  type Attempt,
  type Decider,
  type Event,
  type FailureEvent,
  type Now,
  type Request,
} from "../src/engine.js";
import { pinnedEngine } from "../src/pinned.js";
import { coreModule, dynamicModule, readyMade, slots } from "./core.js";

const compiler = compilerOf(dynamicModule());
const SEED = Number(process.env["REFRAIN_SEED"] ?? 20_260_101);

it.each(readyMade())("both engines answer random calls alike under %s", (name, _, vector) => {
  const baked = slots()[vector]!;
  const slot = "slot" in baked ? unhex(baked.slot) : new Uint8Array();
  const pinned = pinnedEngine(new WebAssembly.Module(bake(coreModule(), slot)));
  const dynamic = compiler.fromSlot(slot);
  expect(pinned.description).toEqual(dynamic.description);
  const [ones, others] = [decider(pinned), decider(dynamic)];
  const random = new Random(SEED);
  for (let request = 0; request < 300; request++) {
    const calls = callsOf(random, pinned.description.fields.length);
    expect(answers(ones, calls), `${name}, request ${request}, REFRAIN_SEED=${SEED}`).toEqual(answers(others, calls));
  }
});

interface Calls {
  readonly request: Request;
  readonly nows: readonly Now[];
  /** The attempt is the last that was commanded, unless it has one. */
  readonly events: readonly Event[];
}

function answers(engine: Decider, { request, nows, events }: Calls): unknown[] {
  const buffer = stepBuffer();
  let attempt = 0;
  return nows.map((now, call) => {
    const event = events[call]!;
    const current = event.event === WAKE || event.attempt > 0 ? event : { ...event, attempt };
    const step = call === 0 ? engine.start(request, now, buffer) : engine.handle(buffer.execution, current, now, buffer);
    if (step.command === SEND) attempt = step.attempt;
    return { ...buffer, execution: [...buffer.execution] };
  });
}

function callsOf(random: Random, fields: number): Calls {
  const request: Request = {
    method: random.below(12) - 1,
    key: random.of([0, 1, 2]),
    replayable: random.often(),
    maxAttempts: random.perhaps(() => random.below(6)),
    deadline: random.perhaps(() => random.number()),
    maxWait: random.perhaps(() => random.number()),
    attemptsUsed: random.of([0, 0, 0, random.below(5)]),
    notBefore: random.perhaps(() => random.number()),
  };
  let mark = random.below(2 ** 32);
  const nows = Array.from({ length: 8 }, (): Now => {
    mark += random.of([0, random.below(1_000), random.below(100_000)]);
    return {
      mark: random.seldom() ? random.number() : mark,
      wall: random.perhaps(() => 784_111_777_000 + random.below(2 ** 32)),
      session: random.seldom() ? random.number() : 7,
      cancelled: random.seldom(),
      network: random.of([0, 0, 1, 2]),
      sample: random.below(2 ** 32),
      tokens: random.below(1_000_000),
      hold: random.perhaps(() => mark + random.below(10_000)),
    };
  });
  return { request, nows, events: nows.map(() => eventOf(random, fields)) };
}

function eventOf(random: Random, fields: number): Event {
  const attempt: Attempt = {
    attempt: random.seldom() ? 1 + random.below(9) : 0,
    sends: random.of([1, 1, 1, random.below(4)]),
    exhausted: random.seldom(),
  };
  const status = random.of([200, 404, 408, 409, 429, 500, 503, random.below(65_536)]);
  const failure = { ...attempt, kind: random.below(7) as FailureEvent["kind"], timedOut: random.seldom() };
  return random.of<Event>([
    { event: RESPONSE, ...attempt, status, fields: Array.from({ length: fields }, () => random.of(VALUES)) },
    { event: FAILURE, ...failure },
    { event: WAKE },
    { event: WAKE },
  ]);
}

const VALUES = [
  null, "", "0", "1", "120", " 7\t", "120, 120", "1, 2", "-5", "1.5", "true", "false", "99999999999999999999",
  "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "\u00e9", "\u0661",
  "1".repeat(1_024),
];

/** Xorshift. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * limit);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }

  often(): boolean {
    return this.below(8) > 0;
  }

  seldom(): boolean {
    return this.below(16) === 0;
  }

  perhaps<T>(make: () => T): T | null {
    return this.below(3) === 0 ? make() : null;
  }

  /** Mostly one that can be meant. */
  number(): number {
    return this.of([this.below(100_000), this.below(2 ** 53), 2 ** 53 - 1, 2 ** 53, this.seldom() ? Number.NaN : 0]);
  }
}
