/**
 * Times in words, in English and in UTC, whatever the browser speaks.
 *
 * @module
 */

/** From the largest; the last has fractions. */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

const YEAR = 365.25 * 86_400_000;

/** A span in milliseconds, not negative, in at most two units: `73 ms`, `1.975 s`, `2 min 5 s`, `6 h`, `11 574 d`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${round(milliseconds)} ms`;
  if (milliseconds >= 2 * YEAR) return `about ${group(Math.round(milliseconds / YEAR))} years`;
  const at = UNITS.findIndex(([, length]) => milliseconds >= length);
  const [unit, length] = UNITS[at]!;
  if (unit === "s") return `${round(milliseconds / length)} s`;
  const [smaller, part] = UNITS[at + 1]!;
  const rest = round((milliseconds % length) / part, smaller === "s" ? 3 : 0);
  return `${group(Math.floor(milliseconds / length))} ${unit}${rest === "0" ? "" : ` ${rest} ${smaller}`}`;
}

/** A span on a clock that began at 0: `0.000 s`, `12.345 s`, `1:02:03.000`. */
export function clock(milliseconds: number): string {
  const seconds = (milliseconds / 1_000).toFixed(3);
  if (milliseconds < 60_000) return `${seconds} s`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const rest = ((milliseconds % 60_000) / 1_000).toFixed(3).padStart(6, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A moment, in seconds since 1970, as an IMF-fixdate is written. */
export function moment(seconds: number): string {
  return new Date(seconds * 1_000).toUTCString();
}

/** Whether a moment, in milliseconds since 1970, is known, and can be written as a date. */
export function isMoment(milliseconds: number | null): milliseconds is number {
  return milliseconds !== null && !Number.isNaN(new Date(milliseconds).valueOf());
}

/** A whole number with its thousands apart. */
export function group(number: number | bigint): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function round(number: number, digits = 3): string {
  return String(Number(number.toFixed(digits)));
}
