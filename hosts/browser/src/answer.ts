/**
 * What a core module answers, read from its memory.
 *
 * @module
 */

import {
  AWAIT_NETWORK,
  FINISH,
  KEEP,
  SEND,
  WAIT,
  type Description,
  type Finish,
  type Step,
  type StepBuffer,
} from "./engine.js";
import { getOption, getU32, getU64, type Instance } from "./instance.js";

/** Asks who the policy is. */
export function describe(instance: Instance): Description {
  const { view } = instance;
  const at = instance.describe() >>> 0;
  return {
    name: text(view, at),
    version: text(view, at + 8),
    fields: Array.from({ length: getU32(view, at + 20) }, (_, i) => text(view, getU32(view, at + 16) + 8 * i)),
    budget: view.getUint8(at + 24) ? getU32(view, at + 28) : null,
    policy: new Uint8Array(view.buffer, getU32(view, at + 32), getU32(view, at + 36)).slice(),
  };
}

/** A string of ASCII, which is all that names, versions and fields are made of. */
function text(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, getU32(view, at), getU32(view, at + 4)));
}

/** Reads a step. */
export function readStep(view: DataView, at: number, into: StepBuffer): Step {
  for (let i = 0; i < 16; i++) into.execution[i] = view.getInt32(at + 4 * i, true);
  into.tokens = getU32(view, at + 64);
  into.command = view.getUint8(at + 72) as Step["command"];
  readCommand(view, at + 80, into);
  return into as Step;
}

function readCommand(view: DataView, at: number, into: StepBuffer): void {
  switch (into.command) {
    case KEEP:
      return;
    case SEND:
      into.attempt = getU32(view, at);
      into.timeout = getOption(view, at + 8);
      return;
    case WAIT:
      into.until = getU64(view, at);
      into.delay = getU64(view, at + 8);
      into.retryIndex = getU32(view, at + 16);
      into.bound = getU16(view, at + 20);
      into.hint = getU16(view, at + 22);
      return;
    case AWAIT_NETWORK:
      into.until = getU64(view, at);
      return;
    case FINISH:
      into.end = getU16(view, at);
      into.bound = getU16(view, at + 2);
      into.hint = getU16(view, at + 4);
      into.attempts = getU32(view, at + 8);
      into.maybeApplied = view.getUint8(at + 12) > 0;
      into.handOver = view.getUint8(at + 14) as Finish["handOver"];
      into.lastStatus = getU16(view, at + 16);
      into.resume = view.getUint8(at + 24)
        ? {
            delay: getU64(view, at + 32),
            notBefore: getOption(view, at + 40),
            attemptsUsed: getU32(view, at + 56),
          }
        : null;
      return;
    default:
      throw new RangeError(`expected a command from 0 to ${FINISH}, found ${into.command satisfies never}`);
  }
}

function getU16(view: DataView, at: number): number {
  return view.getUint16(at, true);
}
