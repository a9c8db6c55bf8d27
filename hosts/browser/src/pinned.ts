/**
 * The pinned engine, over the core module of an artifact.
 *
 * @module
 */

import { getU32 } from "./block.js";
import { bundledEngine, instantiate, type Core } from "./bundled.js";
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
  return bundledEngine(module, describe(instantiate(module)));
}

function describe(core: Core): Description {
  const at = core["refrain:policy/policy@1.0.0#describe"]() >>> 0;
  const view = new DataView(core.memory.buffer);
  // All that names, versions and fields are made of is ASCII.
  const text = (at: number): string =>
    String.fromCharCode(...new Uint8Array(view.buffer, getU32(view, at), getU32(view, at + 4)));
  return {
    name: text(at),
    version: text(at + 8),
    fields: Array.from({ length: getU32(view, at + 20) }, (_, i) => text(getU32(view, at + 16) + 8 * i)),
    budget: view.getUint8(at + 24) ? getU32(view, at + 28) : null,
    maxAttempts: getU32(view, getU32(view, at + 32) + MAX_ATTEMPTS),
  };
}
