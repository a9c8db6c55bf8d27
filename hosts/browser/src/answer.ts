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
import { getBytes, getExecution, getOption, getU16, getU32, getU64, getU8 } from "./memory.js";

/** Reads who the policy is. */
export function readDescription(at: number): Description {
  return {
    name: text(at),
    version: text(at + 8),
    fields: Array.from({ length: getU32(at + 20) }, (_, i) => text(getU32(at + 16) + 8 * i)),
    budget: getU8(at + 24) ? getU32(at + 28) : null,
    policy: getBytes(at + 32).slice(),
  };
}

/** A string of ASCII, which is all that names, versions and fields are made of. */
function text(at: number): string {
  return String.fromCharCode(...getBytes(at));
}

/**
 * Reads a step.
 *
 * @throws RangeError for a command that is not known here
 */
export function readStep(at: number, into: StepBuffer): Step {
  getExecution(at, into.execution);
  into.tokens = getU32(at + 64);
  into.command = getU8(at + 72) as Step["command"];
  at += 80;
  switch (into.command) {
    case SEND:
      into.attempt = getU32(at);
      into.timeout = getOption(at + 8);
      break;
    case WAIT:
      into.delay = getU64(at + 8);
      into.retryIndex = getU32(at + 16);
      into.bound = getU16(at + 20);
      into.hint = getU16(at + 22);
      into.until = getU64(at);
      break;
    case AWAIT_NETWORK:
      into.until = getU64(at);
      break;
    case FINISH:
      readOutcome(at, into);
      break;
    case KEEP:
      break;
    default:
      throw new RangeError("the policy gave a command that is not known here");
  }
  return into as Step;
}

function readOutcome(at: number, into: StepBuffer): void {
  into.end = getU16(at);
  into.bound = getU16(at + 2);
  into.hint = getU16(at + 4);
  into.attempts = getU32(at + 8);
  into.maybeApplied = getU8(at + 12) > 0;
  into.handOver = getU8(at + 14) as Finish["handOver"];
  into.lastStatus = getU16(at + 16);
  into.resume = getU8(at + 24)
    ? { delay: getU64(at + 32), notBefore: getOption(at + 40), attemptsUsed: getU32(at + 56) }
    : null;
}
