/** Runs the calls of a vector, one after the other. */

import {
  NETWORK_DOWN,
  NETWORK_UNKNOWN,
  NETWORK_UP,
  SEND,
  WAKE,
  decider,
  stepBuffer,
  type Decider,
  type Engine,
  type Now,
  type Request,
  type Step,
} from "../../src/engine.js";
import { failureEvent, firstNow, request, responseEvent, unhex, type Mutable } from "./input.js";
import { observed } from "./observe.js";
import type { Members, NowSpec, StepSpec, Vector } from "./vector.js";

/** What each call gave. */
export function runSteps(engine: Engine, steps: NonNullable<Vector["steps"]>): Members[] {
  const asked = request(steps.request);
  const deciding = decider(engine);
  const now = firstNow(engine.description.budget ?? 0);
  const buffer = stepBuffer();
  let attempt = 0;
  return steps.calls.map((spec) => {
    if (spec.execution !== undefined) new Uint8Array(buffer.execution.buffer).set(unhex(spec.execution));
    apply(now, spec.now ?? {});
    const step = call(engine, deciding, asked, spec.call, attempt, now, buffer);
    if (step.command === SEND) attempt = step.attempt;
    now.tokens = step.tokens;
    return observed(step);
  });
}

function call(
  engine: Engine,
  deciding: Decider,
  asked: Request,
  spec: StepSpec["call"],
  attempt: number,
  now: Now,
  buffer: ReturnType<typeof stepBuffer>,
): Step {
  if (spec === "start") return deciding.start(asked, now, buffer);
  const event =
    spec === "wake" ? { event: WAKE } as const
    : "failure" in spec ? failureEvent(spec.failure, attempt)
    : responseEvent(engine, spec.response, attempt);
  return deciding.handle(buffer.execution, event, now, buffer);
}

/**
 * What no host can mean is handed over as it is: that is how an engine of this host is told of a number that is none, which
 * it has to refuse.
 */
function apply(now: Mutable<Now>, spec: NowSpec): void {
  const number = (value: number | string): number => (typeof value === "number" ? value : Number.NaN);
  if (spec.mark !== undefined) now.mark = number(spec.mark);
  if (spec.wall !== undefined) now.wall = spec.wall === -1 ? null : number(spec.wall);
  if (spec.sample !== undefined) now.sample = number(spec.sample);
  now.session = spec.session ?? now.session;
  now.cancelled = spec.cancelled ?? now.cancelled;
  now.tokens = spec.tokens ?? now.tokens;
  now.hold = spec.hold ?? now.hold;
  if (spec.network !== undefined) {
    now.network = { unknown: NETWORK_UNKNOWN, up: NETWORK_UP, down: NETWORK_DOWN }[spec.network] as Now["network"];
  }
}
