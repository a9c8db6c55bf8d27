/**
 * The pinned engine, over the core module of an artifact.
 *
 * @module
 */

import { get } from "./block.js";
import { bundledEngine, type Core } from "./bundled.js";
import type { Description, Engine } from "./engine.js";

export { bundledEngine } from "./bundled.js";
export { fetchModule, sha256 } from "./load.js";
export { pinnedParser } from "./pinned-parser.js";

/** Where the most sends stand in a compiled policy. */
const MAX_ATTEMPTS = 4;

/**
 * An engine over a compiled core module, which is asked who it is. It is ready at once.
 *
 * @throws if the module is no core module of this interface, or the policy in it is damaged
 */
export function pinnedEngine(module: WebAssembly.Module): Engine {
  return bundledEngine(module, describe(new WebAssembly.Instance(module).exports as Core));
}

function describe(core: Core): Description {
  const at = core["refrain:policy/policy@1.0.0#describe"]() >>> 0;
  const bytes = new Uint8Array(core.memory.buffer);
  // All that names, versions and fields are made of is ASCII.
  const text = (at: number): string =>
    String.fromCharCode(...new Uint8Array(bytes.buffer, get(bytes, at), get(bytes, at + 4)));
  return {
    name: text(at),
    version: text(at + 8),
    fields: Array.from({ length: get(bytes, at + 20) }, (_, i) => text(get(bytes, at + 16) + 8 * i)),
    budget: bytes[at + 24] ? get(bytes, at + 28) : null,
    maxAttempts: get(bytes, get(bytes, at + 32) + MAX_ATTEMPTS),
  };
}
