/**
 * What happened to a request and why, in words, by the fields that a log may hold.
 *
 * @module
 */

import type { FetchEvent } from "@refrain/fetch";
import { BOUNDS, ENDS, FAILURES, HINTS } from "@refrain/fetch/names";
import { clock, span } from "../../format.js";
import { texts } from "../../texts.js";
import type { Entry } from "./run.js";

const { happened, ends, otherEnd } = texts.request;

/** What happened, and why. */
export interface Sentence {
  readonly what: string;
  readonly why: string;
}

/** Puts it in words. */
export function sentence(entry: Entry): Sentence {
  if (entry.by === "person") return { what: happened[entry.action], why: "" };
  switch (entry.type) {
    case "sent":
      return { what: happened.sent(entry.attempt), why: limit(entry.timeout) };
    case "answered":
      return { what: happened.answered(entry.status), why: "" };
    case "failed":
      return failure(entry);
    case "wait":
      return { what: happened.wait(span(entry.delay), entry.retryIndex), why: `${bound(entry)}.` };
    case "await-network":
      return { what: happened.awaitNetwork, why: `${happened.awaitNetworkWhy}${until(entry.until)}` };
    case "wait-over":
      return { what: happened.over(span(entry.waited)), why: "" };
    case "ended":
      return { what: happened.ended(entry.attempts), why: `${endOf(entry.end)}${refused(entry)}` };
    case "engine-failed":
      return { what: happened.engineFailed, why: "" };
  }
}

function endOf(end: number): string {
  const name = ENDS[end as keyof typeof ENDS];
  return ends[name as keyof typeof ends] ?? otherEnd;
}

/** Whether a server's hint was refused, by its report, a key of `HINTS`. */
export function isRefused(hint: number): boolean {
  return hint >= FIRST_REFUSAL;
}

type Of<T extends FetchEvent["type"]> = Extract<Entry, { type: T }>;

function limit(timeout: number | null): string {
  return timeout === null ? happened.noTimeout : happened.timeout(span(timeout));
}

function failure({ kind, timedOut }: Of<"failed">): Sentence {
  if (timedOut) return { what: happened.timedOut, why: happened.timedOutWhy };
  const name = FAILURES[kind] as keyof typeof happened.failedWhy;
  return { what: happened.failed, why: happened.failedWhy[name] ?? happened.otherFailure };
}

function bound({ bound, hint }: Of<"wait">): string {
  const name = BOUNDS[bound] as keyof typeof happened.waitBounds;
  const fixed = happened.waitBounds[name] ?? happened.otherBound;
  const report = HINTS[hint as keyof typeof HINTS];
  if (isRefused(hint)) return `${fixed}; ${(name === "hint" ? happened.provesHint : happened.refusedHint)(refusal(report))}`;
  return name === "backoff" ? `${fixed}; ${happened.hints[report as keyof typeof happened.hints]}` : fixed;
}

/** The first key of `HINTS` that says why one was refused. */
const FIRST_REFUSAL = 16;

function refused({ hint }: Of<"ended">): string {
  const report = HINTS[hint as keyof typeof HINTS];
  return isRefused(hint) ? ` ${happened.refusedAtEnd(refusal(report))}` : "";
}

function refusal(report: string): string {
  const { reasons, otherReason } = texts.header;
  return (reasons[report as keyof typeof reasons] ?? otherReason)[0];
}

function until(mark: number): string {
  return mark < Number.MAX_SAFE_INTEGER ? ` ${happened.awaitUntil(clock(mark))}` : "";
}
