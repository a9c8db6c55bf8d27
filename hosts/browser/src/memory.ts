/**
 * A core module that runs, and its memory: one call at a time, so what is read and written is that of the call under way.
 *
 * @module
 */

/** An instance: its memory, which never grows, and what it exports. */
export interface Instance {
  readonly view: DataView;
  readonly exports: Exports;
}

interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  readonly cabi_realloc: (old: number, oldSize: number, align: number, size: number) => number;
  readonly "refrain:policy/policy@1.0.0#describe": () => number;
  readonly "refrain:policy/policy@1.0.0#parse": (
    at: number,
    length: number,
    hasWall: number,
    wall: bigint,
  ) => number;
  readonly "refrain:policy/policy@1.0.0#start": (at: number) => number;
  readonly "refrain:policy/policy@1.0.0#handle": (at: number) => number;
}

/** Most fields that a policy names. */
export const FIELDS_MAX = 16;

/** Bytes of an element in a list of fields. */
export const FIELD_SIZE = 12;

/** Longest value of a field that is handed over; the policy refuses one that is this long. */
const FIELD_MAX = 1024;

/** Memory for any call: the largest block of parameters, and the most fields with the longest values. */
const CALL_SIZE = 160 + FIELDS_MAX * (FIELD_SIZE + FIELD_MAX);

let view: DataView;
/** A number that was put is none. */
let bad: boolean;

/** Makes an instance. */
export function instantiate(module: WebAssembly.Module): Instance {
  const exports = new WebAssembly.Instance(module).exports as Exports;
  return { view: new DataView(exports.memory.buffer), exports };
}

/**
 * Begins a call: where its parameters go.
 *
 * @throws RangeError if the module refuses them, which it does by an address outside its memory
 */
export function begin({ exports, view: memory }: Instance): number {
  view = memory;
  bad = false;
  const at = exports.cabi_realloc(0, 0, 8, CALL_SIZE) >>> 0;
  if (at + CALL_SIZE > memory.byteLength) throw new RangeError("the policy has no memory for a call");
  return at;
}

/** Whether a number that was put since the call began is none. */
export function isBad(): boolean {
  return bad;
}

export function putU8(at: number, value: number | boolean): void {
  view.setUint8(at, +value);
}

export function putU16(at: number, value: number): void {
  bad ||= (value & 0xffff) !== value;
  view.setUint16(at, value, true);
}

export function putU32(at: number, value: number): void {
  bad ||= value >>> 0 !== value;
  view.setUint32(at, value, true);
}

/** Puts a number of 64 bits in two halves, of which each is cut to its bits. */
export function putU64(at: number, value: number): void {
  bad ||= !(value >= 0 && value < 2 ** 64 && value % 1 === 0);
  view.setUint32(at, value, true);
  view.setUint32(at + 4, value / 2 ** 32, true);
}

/** Puts whether there is a number, and the number behind it. */
export function putOption(at: number, value: number | null | undefined, put = putU64, size = 8): void {
  const some = value != null;
  putU8(at, some);
  if (some) put(at + size, value);
}

/**
 * Puts the characters of a value, each of which is a byte, cut to what is handed over; one that is none becomes a byte that
 * no hint is written with. Returns how many there are.
 */
export function putBytes(at: number, value: string): number {
  const length = Math.min(value.length, FIELD_MAX);
  for (let i = 0; i < length; i++) putU8(at + i, Math.min(value.charCodeAt(i), 255));
  return length;
}

export function getU8(at: number): number {
  return view.getUint8(at);
}

export function getU16(at: number): number {
  return view.getUint16(at, true);
}

export function getU32(at: number): number {
  return view.getUint32(at, true);
}

/** A number of 64 bits in two halves; exact up to 2^53 − 1, and nothing that is read this way is larger. */
export function getU64(at: number): number {
  return getU32(at) + getU32(at + 4) * 2 ** 32;
}

/** A number, if there is one. */
export function getOption(at: number): number | null {
  return getU8(at) ? getU64(at + 8) : null;
}

/** A list of bytes, which stay as long as the result. */
export function getBytes(at: number): Uint8Array {
  return new Uint8Array(view.buffer, getU32(at), getU32(at + 4));
}

/** Puts the state of a request. */
export function putExecution(at: number, execution: Int32Array): void {
  for (let i = 0; i < 16; i++) view.setInt32(at + 4 * i, execution[i]!, true);
}

/** Reads the state of a request. */
export function getExecution(at: number, execution: Int32Array): void {
  for (let i = 0; i < 16; i++) execution[i] = view.getInt32(at + 4 * i, true);
}
