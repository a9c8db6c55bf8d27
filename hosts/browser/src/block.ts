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

/** Where the command stands in a result. */
export const COMMAND = 72;

/** Where the parts of a command stand in a result. */
export const PARTS = 80;

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

/** A number that was put is none. */
let isBad: boolean;

/** Begins to put the numbers of a call, of which the mark comes last. */
export function begin(): void {
  isBad = false;
}

/** Puts a number of 32 bits, or one of 64 in two halves, of which each is cut to its bits. */
export function put(block: DataView, at: number, value: number, size: 4 | 8 = 4): void {
  isBad ||= !(value >= 0 && value < 256 ** size && value % 1 === 0);
  block.setUint32(at, value, true);
  if (size > 4) block.setUint32(at + 4, value / 2 ** 32, true);
}

/** Puts whether there is a number of 64 bits, and the number behind it. */
export function putOption(block: DataView, at: number, value: number | null | undefined): void {
  block.setUint8(at, +(value != null));
  put(block, at + 8, value ?? 0, 8);
}

/** Puts the mark. If a number was none, it is one that the policy refuses, so that none is taken for another. */
export function putMark(block: DataView, at: number, mark: number): void {
  put(block, at, mark, 8);
  if (isBad) put(block, at, 2 ** 63, 8);
}

export function getU16(block: DataView, at: number): number {
  return block.getUint16(at, true);
}

export function getU32(block: DataView, at: number): number {
  return block.getUint32(at, true);
}

/** A number of 64 bits in two halves; exact up to 2^53 − 1, and nothing that is read this way is larger. */
export function getU64(block: DataView, at: number): number {
  return getU32(block, at) + getU32(block, at + 4) * 2 ** 32;
}

/** A number, if there is one. */
export function getOption(block: DataView, at: number): number | null {
  return block.getUint8(at) ? getU64(block, at + 8) : null;
}

/** What is needed to go on later, of a result that ends a request, if it is there. */
export function getResume(block: DataView): Resume | null {
  return block.getUint8(104)
    ? { delay: getU64(block, 112), notBefore: getOption(block, 120), attemptsUsed: getU32(block, 136) }
    : null;
}
