/**
 * What a person filled in, as a link holds it.
 *
 * @module
 */

import type { State } from "../../panel.js";
import type { Encoding } from "./bytes.js";
import type { Rules } from "./reading.js";

/** What a person filled in. */
export interface Given {
  readonly value: string;
  /** Milliseconds since 1970, whole seconds; `null` for no wall clock. */
  readonly now: number | null;
  readonly date: string;
  readonly rules: Rules;
  readonly encoding: Encoding;
}

/** Reads the state of a link. */
export function given({ value = "120", now, date = "", rules, as }: State): Given {
  return {
    value,
    now: now === "none" ? null : momentOf(now),
    date,
    rules: rules === "strict" ? rules : "rfc-9110",
    encoding: as === "latin-1" ? as : "utf-8",
  };
}

/** Writes it. */
export function stateOf({ value, now, date, rules, encoding }: Given): State {
  return {
    value,
    now: now === null ? "none" : new Date(now).toISOString(),
    ...(date && { date }),
    ...(rules === "strict" && { rules }),
    ...(encoding === "latin-1" && { as: encoding }),
  };
}

/** The first moment of the year 1: a field for a date takes none before it. */
const FIRST = -62_135_596_800_000;

function momentOf(text = ""): number {
  const milliseconds = Date.parse(text);
  return Math.floor((milliseconds >= FIRST ? milliseconds : Date.now()) / 1_000) * 1_000;
}
