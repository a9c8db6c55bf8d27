/**
 * The core module of an artifact, byte for byte, called as `wit/LAYOUT.md` says.
 *
 * @module
 */

import { BLOCK_SIZE, CALL_SIZE, FIELD_MAX, FIELD_SIZE, LIST, RESULT_SIZE, VALUES, put } from "./block.js";
import type { Description, Engine } from "./engine.js";

/** What a core module exports. */
export interface Core extends WebAssembly.Exports {
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

/**
 * An engine over a compiled core module whose description is known, as `refrain bundle` writes it. It is ready at once.
 *
 * An instance whose call did not come to its end is thrown away, and the next call gets a new one. A page cannot limit how
 * long a call takes: the module is the one whose digest was checked when it was bundled.
 */
export function bundledEngine(module: WebAssembly.Module, description: Description): Engine {
  let core: Core;
  let memory: Uint8Array;
  let isIdle = false;
  return {
    description,
    call(name, block, headers) {
      // Read before the call, which nobody may interrupt.
      const values = description.fields.map((field) => headers?.get(field));
      if (!isIdle) {
        core = new WebAssembly.Instance(module).exports as Core;
        memory = new Uint8Array(core.memory.buffer);
      }
      isIdle = false;
      const at = core.cabi_realloc(0, 0, 8, CALL_SIZE);
      // A module refuses by an address outside its memory, where nothing can be set.
      memory.set(block, at);
      if (name === "handle") putFields(memory, at, values);
      const result = core[`refrain:policy/policy@1.0.0#${name}`](at);
      block.set(new Uint8Array(core.memory.buffer, result, RESULT_SIZE));
      isIdle = true;
    },
  };
}

/** Puts the list of fields, and behind it their values. */
function putFields(memory: Uint8Array, at: number, values: readonly (string | null | undefined)[]): void {
  let count = 0;
  let end = at + VALUES;
  values.forEach((value, index) => {
    if (value == null) return;
    const field = at + BLOCK_SIZE + FIELD_SIZE * count++;
    const length = Math.min(value.length, FIELD_MAX);
    put(memory, field, index);
    put(memory, field + 4, end);
    put(memory, field + 8, length);
    // A character that is no byte becomes one that no hint is written with.
    for (let i = 0; i < length; i++) memory[end++] = Math.min(value.charCodeAt(i), 255);
  });
  put(memory, at + LIST, at + BLOCK_SIZE);
  put(memory, at + LIST + 4, count);
}
