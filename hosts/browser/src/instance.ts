/**
 * A running core module and its memory.
 *
 * @module
 */

/** An instance, and what it exports. */
export interface Instance {
  /** Its memory, which never grows. */
  readonly view: DataView;
  readonly realloc: (old: number, oldSize: number, align: number, size: number) => number;
  readonly describe: () => number;
  readonly parse: (at: number, length: number, hasWall: number, wall: bigint) => number;
  readonly start: (at: number) => number;
  readonly handle: (at: number) => number;
}

const INTERFACE = "refrain:policy/policy@1.0.0#";

/** Longest value of a field that is handed over; the policy refuses one that is this long. */
export const FIELD_MAX = 1024;

/** Makes an instance. */
export function instantiate(module: WebAssembly.Module): Instance {
  const exports = new WebAssembly.Instance(module).exports as Record<string, never>;
  const exported = (name: string): never => exports[INTERFACE + name]!;
  return {
    view: new DataView((exports["memory"]! as WebAssembly.Memory).buffer),
    realloc: exports["cabi_realloc"]!,
    describe: exported("describe"),
    parse: exported("parse"),
    start: exported("start"),
    handle: exported("handle"),
  };
}

/** Memory for the parameters of one call. An address outside is the module's way to refuse them. */
export function place({ realloc, view }: Instance, size: number): number {
  const at = realloc(0, 0, 8, size) >>> 0;
  if (at + size > view.byteLength) throw new RangeError(`no memory for ${size} bytes of parameters`);
  return at;
}

/** Puts the characters of a value, each of which is a byte; one that is none becomes a byte that no value may have. */
export function putBytes(view: DataView, at: number, value: string, length: number): void {
  for (let i = 0; i < length; i++) view.setUint8(at + i, Math.min(value.charCodeAt(i), 255));
}

export function getU32(view: DataView, at: number): number {
  return view.getUint32(at, true);
}

/** A number of 64 bits in two halves; exact up to 2^53 − 1, and nothing that is read this way is larger. */
export function getU64(view: DataView, at: number): number {
  return getU32(view, at) + getU32(view, at + 4) * 2 ** 32;
}

/** An optional number of 64 bits. */
export function getOption(view: DataView, at: number): number | null {
  return view.getUint8(at) ? getU64(view, at + 8) : null;
}
