import { describe, expect, it } from "vitest";
import { BLOCK_SIZE, get, put } from "../src/block.js";

const AT = 16;

/** Where `put` marks what is none. */
const MARKS = [79, 103];

const put_ = (value: number, size: 2 | 4 | 8): Uint8Array => {
  const bytes = new Uint8Array(BLOCK_SIZE);
  put(bytes, AT, value, size);
  return bytes;
};

describe.each([
  [2, [0, 1, 255, 256, 2 ** 16 - 1], [2 ** 16]],
  [4, [0, 1, 255, 2 ** 16, 2 ** 31, 2 ** 32 - 1], [2 ** 32]],
  [8, [0, 1, 2 ** 32 - 1, 2 ** 32, 1_700_000_000_000, Number.MAX_SAFE_INTEGER, 2 ** 63], [2 ** 64]],
] as const)("a number of %i bytes", (size, numbers, tooLarge) => {
  it.each(numbers)("%d stands there little end first, is read again, and touches nothing else", (number) => {
    const bytes = put_(number, size);
    const expected = new DataView(new ArrayBuffer(BLOCK_SIZE));
    expected.setBigUint64(AT, BigInt(number), true);
    expect(bytes).toEqual(new Uint8Array(expected.buffer));
    expect(get(bytes, AT, size)).toBe(number);
  });

  it.each([...tooLarge, -1, 0.5, 1.5, Number.NaN, Infinity, -Infinity])("is none if it is %d, which spoils the mark", (number) => {
    const bytes = put_(number, size);
    expect(MARKS.map((at) => bytes[at])).toEqual([255, 255]);
  });
});
