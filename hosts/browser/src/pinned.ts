/**
 * The pinned engine: the core module of an artifact, byte for byte, called as `wit/LAYOUT.md` says.
 *
 * @module
 */

import { describe, readStep } from "./answer.js";
import {
  FAILURE,
  RESPONSE,
  WAKE,
  type Engine,
  type Event,
  type Execution,
  type Now,
  type Request,
  type Step,
  type StepBuffer,
} from "./engine.js";
import { FIELD_MAX, instantiate, place, putBytes, type Instance } from "./instance.js";

/** Sizes of the blocks of parameters, and where *now* stands in them. */
const START_SIZE = 136;
const START_NOW = 72;
const HANDLE_SIZE = 160;
const HANDLE_NOW = 96;
/** Size of an element in the list of fields. */
const FIELD_SIZE = 12;
const OTHER_METHOD = 10;

const NO_FIELDS: readonly null[] = [];

/**
 * An engine over a compiled core module. It is ready at once.
 *
 * An instance that trapped is thrown away, and the next call gets a new one. A page cannot limit how long a call takes: the
 * module is the one whose digest was checked when it was bundled.
 *
 * @throws if the module is no core module of this interface, or the policy in it is damaged
 */
export function pinnedEngine(module: WebAssembly.Module): Engine {
  let instance: Instance | undefined;
  let view: DataView;
  /** A number of this call is none. */
  let bad: boolean;

  const begin = (size: number): number => {
    instance ??= instantiate(module);
    view = instance.view;
    bad = false;
    return place(instance, size);
  };
  const u8 = (at: number, value: number | boolean): void => view.setUint8(at, +value);
  const u32 = (at: number, value: number): void => {
    bad ||= value >>> 0 !== value;
    view.setUint32(at, value, true);
  };
  const u64 = (at: number, value: number): void => {
    bad ||= !(value >= 0 && value < 2 ** 64 && value % 1 === 0);
    view.setUint32(at, value, true);
    view.setUint32(at + 4, value / 2 ** 32, true);
  };
  /** Whether there is a value, which is to follow then. */
  const isSome = (at: number, value: number | null | undefined): value is number => {
    const some = value != null;
    u8(at, some);
    return some;
  };
  const option = (at: number, value: number | null | undefined): void => {
    if (isSome(at, value)) u64(at + 8, value);
  };
  const putNow = (at: number, now: Now): void => {
    u64(at, now.mark);
    option(at + 8, now.wall);
    u64(at + 24, now.session);
    u8(at + 32, now.cancelled);
    u8(at + 33, now.network);
    u32(at + 36, now.sample);
    u32(at + 40, now.tokens);
    option(at + 48, now.hold);
    // A mark above 2^53 - 1 is what the policy refuses, so a number that is none is not taken for another.
    if (bad) view.setUint32(at + 4, -1);
  };
  const putFields = (at: number, fields: readonly (string | null)[], count: number): void => {
    let to = at + count * FIELD_SIZE;
    for (let index = 0; index < fields.length; index++) {
      const value = fields[index];
      if (value == null) continue;
      const length = cut(value);
      u8(at, index);
      u32(at + 4, to);
      u32(at + 8, length);
      putBytes(view, to, value, length);
      at += FIELD_SIZE;
      to += length;
    }
  };
  const call = (run: (at: number) => number, at: number, into: StepBuffer): Step => {
    try {
      return readStep(view, run(at) >>> 0, into);
    } catch (error) {
      instance = undefined;
      throw error;
    }
  };

  begin(0);
  return {
    description: describe(instance!),

    start(request: Request, now: Now, into: StepBuffer): Step {
      const at = begin(START_SIZE);
      u8(at, Math.min(request.method >>> 0, OTHER_METHOD));
      u8(at + 1, request.key);
      u8(at + 2, request.replayable);
      if (isSome(at + 8, request.maxAttempts)) u32(at + 12, request.maxAttempts);
      option(at + 16, request.deadline);
      option(at + 32, request.maxWait);
      u32(at + 48, request.attemptsUsed);
      option(at + 56, request.notBefore);
      putNow(at + START_NOW, now);
      return call(instance!.start, at, into);
    },

    handle(execution: Execution, event: Event, now: Now, into: StepBuffer): Step {
      const fields = event.event === RESPONSE ? event.fields : NO_FIELDS;
      let count = 0;
      let size = HANDLE_SIZE;
      for (const value of fields) {
        if (value == null) continue;
        count++;
        size += FIELD_SIZE + cut(value);
      }
      const at = begin(size);
      for (let i = 0; i < 16; i++) view.setInt32(at + 4 * i, execution[i]!, true);
      u8(at + 64, event.event);
      if (event.event !== WAKE) {
        u32(at + 68, event.attempt);
        u32(at + 72, event.sends);
        u8(at + 76, event.exhausted);
      }
      if (event.event === RESPONSE) {
        view.setUint16(at + 80, event.status, true);
        u32(at + 84, at + HANDLE_SIZE);
        u32(at + 88, count);
        putFields(at + HANDLE_SIZE, fields, count);
      }
      if (event.event === FAILURE) {
        u8(at + 80, event.kind);
        u8(at + 81, event.timedOut);
      }
      putNow(at + HANDLE_NOW, now);
      return call(instance!.handle, at, into);
    },
  };
}

function cut(value: string): number {
  return Math.min(value.length, FIELD_MAX);
}
