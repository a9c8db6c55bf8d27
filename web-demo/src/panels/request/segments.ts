/**
 * What a timeline is made of.
 *
 * @module
 */

import { BOUNDS } from "@refrain/fetch/names";
import { texts } from "../../texts.js";
import type { Entry } from "./run.js";
import { isRefused } from "./sentences.js";

const timeline = texts.request.onTimeline;

/** A stretch of time: an attempt, or a wait. Times are milliseconds from the begin. */
export interface Segment {
  readonly lane: "send" | "wait";
  readonly from: number;
  /** When it ended; `null` if it goes on. */
  readonly to: number | null;
  /** When it is planned to end; `null` if nobody can tell. */
  readonly planned: number | null;
  /** An attempt's number, or what fixed a wait. */
  readonly label: string;
  /** What came of an attempt: a status, or why there is none. */
  readonly came: "success" | "other" | "failed" | "none";
  readonly status: number | null;
}

/** A moment at which a person did something, or the request ended. */
export interface Mark {
  readonly at: number;
  readonly what: "cancel" | "session" | "offline" | "online" | "ended";
}

/** What happened, as stretches of time and moments. */
export function segments(entries: readonly Entry[]): { readonly segments: Segment[]; readonly marks: Mark[] } {
  const segments: Segment[] = [];
  const marks: Mark[] = [];
  const close = (at: number, came?: Partial<Segment>): void => {
    const last = segments.at(-1);
    if (last && last.to === null) segments[segments.length - 1] = { ...last, to: at, ...came };
  };
  for (const entry of entries) {
    const { at } = entry;
    if (entry.by === "person") marks.push({ at, what: entry.action });
    else if (entry.type === "sent") segments.push(sent(at, entry.attempt));
    else if (entry.type === "answered") close(at, came(entry.status));
    else if (entry.type === "failed") close(at, { came: "failed" });
    else if (entry.type === "wait") segments.push(waiting(at, entry.until, boundOf(entry)));
    else if (entry.type === "await-network") segments.push(waiting(at, null, timeline.network));
    else close(at);
    if (entry.by === "policy" && entry.type === "ended") marks.push({ at, what: "ended" });
  }
  return { segments, marks };
}

function sent(from: number, attempt: number): Segment {
  return { lane: "send", from, to: null, planned: null, label: String(attempt), came: "none", status: null };
}

function waiting(from: number, planned: number | null, label: string): Segment {
  return { lane: "wait", from, to: null, planned, label, came: "none", status: null };
}

function boundOf({ bound, hint }: { readonly bound: number; readonly hint: number }): string {
  const name = BOUNDS[bound] as keyof typeof timeline.bounds;
  return `${timeline.bounds[name] ?? name}${isRefused(hint) ? timeline.refused : ""}`;
}

function came(status: number): Partial<Segment> {
  return { came: status >= 200 && status < 300 ? "success" : "other", status };
}

/** Round times for an axis, from 0 to the end, at most so many steps apart. */
export function ticks(end: number, most: number): readonly number[] {
  const least = Math.max(end, 1) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least)!);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, at) => at * step);
}
