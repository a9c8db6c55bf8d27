/**
 * What well-known clients made of values when they were run. Nothing here guesses at what they would make of another.
 *
 * @module
 */

import { distance } from "fastest-levenshtein";
import { moment, span } from "../../format.js";
import { texts } from "../../texts.js";
import { textOf } from "./bytes.js";
import data from "./measured.json";

/** A client that was run. */
export interface Client {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  /** What its numbers count: seconds or milliseconds. */
  readonly unit: string;
}

/** A value that the clients were run with. */
export interface Measured {
  /** Who sent it, or who tests it: a repository and an issue or a path, or a section of a specification. */
  readonly source: string;
  /** What that source's own tests say of it: seconds, a refusal, or in words; nothing if they say nothing. */
  readonly published: { readonly accept?: number | boolean | string; readonly policy?: string };
  /** In hexadecimal digits. */
  readonly bytes: string;
  /** What their clock said, in seconds since 1970. */
  readonly now: number;
  /** The Date of the response that it came with. */
  readonly date: string | null;
  /** Of each client, in their order. */
  readonly answers: readonly string[];
}

/** The clients, in the order of their answers. */
export const CLIENTS: readonly Client[] = data.clients;

const VALUES: readonly Measured[] = data.cases;

/** The measurement of a value, in hexadecimal digits; of several the one whose clock and Date were these. */
export function measuredOf(bytes: string, now: number | null, date: string): Measured | undefined {
  const same = VALUES.filter((one) => one.bytes === bytes);
  return same.find((one) => one.now === now && (one.date ?? "") === date) ?? same[0];
}

/** The measured texts that are most like one, at most so many. */
export function nearest(text: string, count: number): readonly string[] {
  const apart = (other: string): number => distance(text, other) / Math.max(text.length, other.length, 1);
  return TEXTS.map((other) => [other, apart(other)] as const)
    .sort(([, one], [, other]) => one - other)
    .slice(0, count)
    .map(([other]) => other);
}

/** Values that a person can type, once each. */
const TEXTS = [...new Set(VALUES.map(({ bytes }) => textOf(bytes)))].filter((text) => /^\P{Cc}+$/u.test(text));

/** A measured answer in words. */
export function inWords(answer: string, { unit }: Client): string {
  const { header } = texts;
  const [, error] = /^raise:(\w+)$/.exec(answer) ?? [];
  if (error) return header.raises(error);
  const [, seconds] = /^RetryAfter\(Delay\((\d+)s\)\)$/.exec(answer) ?? [];
  if (seconds) return wait(Number(seconds) * 1_000);
  const [, date] = /^RetryAfter\(DateTime\((.+)\)\)$/.exec(answer) ?? [];
  if (date) return header.takesDate(date);
  return FIXED[answer as keyof typeof FIXED] ?? wait(Number(answer) * (unit === "s" ? 1_000 : 1));
}

const FIXED = {
  fallback: texts.header.ignores,
  null: texts.header.ignores,
  reject: texts.header.rejects,
  "not-a-header-value": texts.header.notAHeader,
} as const;

function wait(milliseconds: number): string {
  const { header } = texts;
  if (milliseconds === Infinity) return header.infinite;
  if (milliseconds < 0) return header.negative(span(-milliseconds));
  return milliseconds === 0 ? header.atOnce : header.waits(span(milliseconds));
}

/** Where a value comes from, and what its tests say of it there. */
export function sourceOf({ source, published: { accept, policy } }: Measured): string {
  const { header } = texts;
  const said = header.source(source);
  if (accept === false) return `${said} ${header.testsRefuse}`;
  if (typeof accept === "number") return `${said} ${header.testsTake(accept ? span(accept * 1_000) : header.zeroSpan)}`;
  return policy === undefined ? said : `${said} ${header.testsSay(policy)}`;
}

/** When a value was measured. */
export function measuredAt({ now, date }: Measured): string {
  const { measuredAt, measuredDate } = texts.header;
  return `${measuredAt(moment(now))}${date === null ? "" : measuredDate(date)}.`;
}
