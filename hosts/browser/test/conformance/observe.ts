/** What an engine answered: the members that a vector's `expect` may name. */

import {
  ABORT,
  AWAIT_NETWORK,
  FINISH,
  KEEP,
  SEND,
  THIS,
  WAIT,
  type Finish,
  type RetryAfter,
  type Step,
} from "../../src/engine.js";
import { BOUNDS, ENDS, HINTS } from "../../src/names.js";
import type { Members } from "./vector.js";

export function parsed(read: RetryAfter): Members {
  if ("refused" in read) return { refused: named(HINTS, read.refused) };
  return "at" in read ? { at: Number(read.at) } : { delay_seconds: String(read.delaySeconds) };
}

export function observed(step: Step): Members {
  return { ...command(step), tokens: step.tokens };
}

function command(step: Step): Members {
  switch (step.command) {
    case KEEP:
      return { command: "keep" };
    case SEND:
      return { command: "send", attempt: step.attempt, timeout: step.timeout };
    case WAIT:
      return {
        command: "wait",
        until: step.until,
        delay: step.delay,
        retry_index: step.retryIndex,
        bound: named(BOUNDS, step.bound),
        hint: named(HINTS, step.hint),
      };
    case AWAIT_NETWORK:
      return { command: "await-network", until: step.until };
    case FINISH:
      return { command: "finish", ...ended(step) };
  }
}

export function ended({ end, bound, hint, attempts, maybeApplied, handOver, lastStatus, resume }: Finish): Members {
  return {
    end: named(ENDS, end),
    bound: named(BOUNDS, bound),
    hint: named(HINTS, hint),
    attempts,
    maybe_applied: maybeApplied,
    hand_over: handOver === THIS ? "this" : handOver === ABORT ? "abort" : lastStatus,
    resume: resume && {
      delay: resume.delay,
      not_before: resume.notBefore,
      attempts_used: resume.attemptsUsed,
    },
  };
}

function named(names: { readonly [code: number]: string }, code: number): string {
  return names[code] ?? `the unknown number ${code}`;
}
