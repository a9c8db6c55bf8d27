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

/** Makes an instance of a core module. */
export function instantiate(module: WebAssembly.Module): Core {
  return new WebAssembly.Instance(module).exports as Core;
}

/**
 * An engine over a compiled core module whose description is known, as `refrain bundle` writes it. It is ready at once.
 *
 * An instance whose call did not come to its end is thrown away, and the next call gets a new one. A page cannot limit how
 * long a call takes: the module is the one whose digest was checked when it was bundled.
 */
export function bundledEngine(module: WebAssembly.Module, description: Description): Engine {
  let core: Core;
  let memory: DataView;
  // Clamped: a character that is no byte becomes one that no hint is written with.
  let bytes: Uint8ClampedArray;
  let isIdle = false;
  return {
    description,
    call(name, block, headers) {
      // Read before the call, which nobody may interrupt.
      const values = headers && description.fields.map((field) => headers.get(field));
      if (!isIdle) {
        core = instantiate(module);
        memory = new DataView(core.memory.buffer);
        bytes = new Uint8ClampedArray(core.memory.buffer);
      }
      isIdle = false;
      const at = core.cabi_realloc(0, 0, 8, CALL_SIZE) >>> 0;
      // A module refuses by an address outside its memory, where nothing can be set.
      bytes.set(block, at);
      if (values) {
        let list = at + BLOCK_SIZE;
        let end = at + VALUES;
        put(memory, at + LIST, list);
        values.forEach((value, index) => {
          if (value == null) return;
          const begin = end;
          for (let i = 0; i < value.length && i < FIELD_MAX; i++) bytes[end++] = value.charCodeAt(i);
          put(memory, list, index);
          put(memory, list + 4, begin);
          put(memory, list + 8, end - begin);
          list += FIELD_SIZE;
        });
        put(memory, at + LIST + 4, (list - at - BLOCK_SIZE) / FIELD_SIZE);
      }
      const result = core[`refrain:policy/policy@1.0.0#${name}`](at) >>> 0;
      block.set(new Uint8Array(memory.buffer, result, RESULT_SIZE));
      isIdle = true;
    },
  };
}
