/**
 * The pinned engine: the core module of an artifact, byte for byte, called as `wit/LAYOUT.md` says.
 *
 * @module
 */

import { readDescription, readStep } from "./answer.js";
import {
  FAILURE,
  WAKE,
  type Engine,
  type Event,
  type Execution,
  type Now,
  type Request,
  type Step,
  type StepBuffer,
} from "./engine.js";
import {
  FIELDS_MAX,
  FIELD_SIZE,
  begin,
  instantiate,
  isBad,
  putBytes,
  putExecution,
  putOption,
  putU16,
  putU32,
  putU64,
  putU8,
  type Instance,
} from "./memory.js";

export { fetchModule, sha256 } from "./load.js";
export { pinnedParser } from "./pinned-parser.js";

/** A method without a number of its own. */
const OTHER_METHOD = 10;

/**
 * An engine over a compiled core module. It is ready at once.
 *
 * An instance whose call did not come to its end is thrown away, and the next call gets a new one. A page cannot limit how
 * long a call takes: the module is the one whose digest was checked when it was bundled.
 *
 * @throws if the module is no core module of this interface, or the policy in it is damaged
 */
export function pinnedEngine(module: WebAssembly.Module): Engine {
  let idle: Instance | undefined;
  let instance: Instance;

  const next = (): number => {
    instance = idle ?? instantiate(module);
    idle = undefined;
    return begin(instance);
  };

  const answer = (call: "start" | "handle", at: number, into: StepBuffer): Step => {
    const step = readStep(instance.exports[`refrain:policy/policy@1.0.0#${call}`](at) >>> 0, into);
    idle = instance;
    return step;
  };

  next();
  return {
    description: readDescription(instance!.exports["refrain:policy/policy@1.0.0#describe"]() >>> 0),

    start(request: Request, now: Now, into: StepBuffer): Step {
      const at = next();
      putRequest(at, request);
      putNow(at + 72, now);
      return answer("start", at, into);
    },

    handle(execution: Execution, event: Event, now: Now, into: StepBuffer): Step {
      const at = next();
      putExecution(at, execution);
      putEvent(at + 64, event, at + 160);
      putNow(at + 96, now);
      return answer("handle", at, into);
    },
  };
}

function putRequest(at: number, request: Request): void {
  // One that has no number becomes the last.
  putU8(at, Math.min(request.method >>> 0, OTHER_METHOD));
  putU8(at + 1, request.key);
  putU8(at + 2, request.replayable);
  putOption(at + 8, request.maxAttempts, putU32, 4);
  putOption(at + 16, request.deadline);
  putOption(at + 32, request.maxWait);
  putU32(at + 48, request.attemptsUsed);
  putOption(at + 56, request.notBefore);
}

function putNow(at: number, now: Now): void {
  putOption(at + 8, now.wall);
  putU64(at + 24, now.session);
  putU8(at + 32, now.cancelled);
  putU8(at + 33, now.network);
  putU32(at + 36, now.sample);
  putU32(at + 40, now.tokens);
  putOption(at + 48, now.hold);
  putU64(at, now.mark);
  // A mark above 2^53 - 1 is what the policy refuses, so that no number that is none is taken for another.
  if (isBad()) putU64(at, 2 ** 63);
}

/** Puts an event, and the values of its fields at `list`. */
function putEvent(at: number, event: Event, list: number): void {
  putU8(at, event.event);
  if (event.event === WAKE) return;
  putU32(at + 4, event.attempt);
  putU32(at + 8, event.sends);
  putU8(at + 12, event.exhausted);
  if (event.event === FAILURE) {
    putU8(at + 16, event.kind);
    putU8(at + 17, event.timedOut);
    return;
  }
  putU16(at + 16, event.status);
  putU32(at + 20, list);
  putU32(at + 24, putFields(list, event.fields));
}

/** Puts a list of fields, of which a policy names at most so many, and their values behind it. Returns how many are there. */
function putFields(list: number, fields: readonly (string | null)[]): number {
  let values = list + FIELDS_MAX * FIELD_SIZE;
  let count = 0;
  for (let index = 0; index < FIELDS_MAX; index++) {
    const value = fields[index];
    if (value == null) continue;
    const at = list + FIELD_SIZE * count++;
    const length = putBytes(values, value);
    putU8(at, index);
    putU32(at + 4, values);
    putU32(at + 8, length);
    values += length;
  }
  return count;
}
