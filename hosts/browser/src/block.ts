/**
 * Numbers in a block: the 160 bytes that a call into a policy is made with. Its parameters stand there as
 * `wit/LAYOUT.md` says, and after the call its result; both begin with the state of the request, so a call goes on where
 * the last one ended.
 *
 * @module
 */

import type { Resume } from "./step.js";

/** Bytes of a block: the parameters of `handle`. */
export const BLOCK_SIZE = 160;

/** Bytes of a result. */
export const RESULT_SIZE = 144;

/** Where *now* stands among the parameters of `start`, and of `handle`. */
export const NOW_OF_START = 72;
/** See `NOW_OF_START`. */
export const NOW_OF_HANDLE = 96;

/** Where the event stands among the parameters of `handle`. */
export const EVENT = 64;

/** Where the tokens of the retry budget stand in a result. */
export const TOKENS = 64;

/** Where the command stands in a result. */
export const COMMAND = 72;

/** Where the parts of a command stand in a result. */
export const PARTS = 80;

/** Where the delay stands in a command to wait. */
export const DELAY = 88;

/** Where it stands in a command to wait what became of the hint. */
export const HINT = 102;

/** Where it stands in a result that ends a request what became of the hint. */
export const LAST_HINT = 84;

/** Where the delay stands in such a result if there is something to go on with, which the byte at `RESUME` says. */
export const RESUME = 104;
/** See `RESUME`. */
export const RESUME_DELAY = 112;

/** Where the count of sends stands in a result that ends a request. */
export const ATTEMPTS = 88;

/** Where it stands in such a result whether an attempt may have been applied. */
export const MAYBE_APPLIED = 92;

/** Where it stands in such a result what the caller gets. */
export const HAND_OVER = 94;

/** Where the status of the last response stands, with `LAST_STATUS`. */
export const LAST = 96;

/** Longest value of a field that is handed over; the policy refuses one that is this long. */
export const FIELD_MAX = 1024;

/** Bytes of an element in the list of fields. */
export const FIELD_SIZE = 12;

/** Where the place of the list of fields stands in a block, and behind it how many there are. */
export const LIST = 84;

/** Where the values stand that are put behind a block and a list of the 16 fields that a policy names at most. */
export const VALUES = 352;

/** Memory for any call: the block, and the most fields with the longest values. */
export const CALL_SIZE = 16_736;

/** Where the mark ends among the parameters of `start`, and of `handle`; there, the other has its session, or padding. */
const MARK_END_OF_START = 79;
const MARK_END_OF_HANDLE = 103;

/**
 * Puts a whole number of `size` bytes. If it is none (negative, a fraction, NaN, too large), the mark becomes one that the
 * policy refuses, so that none is taken for another; the mark is therefore put first.
 */
export function put(bytes: Uint8Array, at: number, value: number, size: 2 | 4 | 8 = 4): void {
  for (let left = value, i = 0; i < size; left /= 256) bytes[at + i++] = left;
  if (get(bytes, at, size) !== value) bytes[MARK_END_OF_START] = bytes[MARK_END_OF_HANDLE] = 255;
}

/** Puts whether there is a number of 64 bits, and the number behind it. */
export function putOption(bytes: Uint8Array, at: number, value: number | null | undefined): void {
  bytes[at] = +(value != null);
  put(bytes, at + 8, value ?? 0, 8);
}

/** A number of `size` bytes; exact up to 2^53 − 1, and nothing that is read this way is larger. */
export function get(bytes: Uint8Array, at: number, size = 4): number {
  let value = 0;
  while (size--) value = value * 256 + bytes[at + size]!;
  return value;
}

/** A number of 64 bits, if there is one. */
export function getOption(bytes: Uint8Array, at: number): number | null {
  return bytes[at] ? get(bytes, at + 8, 8) : null;
}

/** What is needed to go on later, of a result that ends a request, if it is there. */
export function getResume(bytes: Uint8Array): Resume | null {
  return bytes[RESUME]
    ? { delay: get(bytes, RESUME_DELAY, 8), notBefore: getOption(bytes, 120), attemptsUsed: get(bytes, 136) }
    : null;
}
