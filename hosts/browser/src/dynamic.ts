/**
 * The dynamic engine: the same core, with what compiles policy documents at run time. For tools, tests and pages that are
 * configured while they run; every other page has the pinned engine, which is a fraction of its size.
 *
 * @module
 */

import type { Engine, HostSettings, Parser, Problem } from "./engine.js";
import init, { Compiled as Core, initSync } from "./generated/dynamic.js";

/** Compiles policies. */
export interface Compiler {
  /**
   * Compiles a policy document.
   *
   * @param format `toml` where it is left out
   * @throws DocumentError with every problem of a document that is refused
   */
  compile(text: string, format?: "toml" | "json"): Compiled;

  /**
   * Takes a policy as it stands in the slot of an artifact.
   *
   * @throws Error if it is no slot
   */
  fromSlot(slot: Uint8Array): Compiled;
}

/** A policy that was compiled, ready to decide. */
export interface Compiled extends Engine, Parser {
  /** The compiled policy, byte for byte as in an artifact's slot. */
  readonly policy: Uint8Array;
  /** What the document says to hosts; `null` for the policy of a slot. */
  readonly host: HostSettings | null;
  /** What was accepted but is probably not meant. */
  readonly warnings: readonly Problem[];
  /** The document in canonical JSON: two documents have the same if and only if they are equal; `null` for a slot's. */
  readonly json: string | null;
}

/** A document is refused. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  /** All that is wrong, warnings among it, in the order of their places. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const line = ({ line, column, severity, message }: Problem): string => `${line}:${column}: ${severity}: ${message}`;
    super(problems.map(line).join("\n"));
    this.problems = problems;
  }
}

/**
 * Downloads the module of this package and makes a compiler of it. Where `fetch` reads no files, as in Node, hand over its
 * bytes with `compilerOf`.
 */
export async function loadCompiler(): Promise<Compiler> {
  await init({ module_or_path: new URL("./generated/dynamic.wasm", import.meta.url) });
  return compiler;
}

/** Makes a compiler of the module of this package, `@refrain/fetch/dynamic.wasm`, at once. */
export function compilerOf(module: WebAssembly.Module | BufferSource): Compiler {
  initSync({ module });
  return compiler;
}

const compiler: Compiler = {
  compile(text, format = "toml") {
    try {
      return compiled(Core.compile(text, format === "json"));
    } catch (thrown) {
      throw Array.isArray(thrown) ? new DocumentError(thrown as Problem[]) : thrown;
    }
  },
  fromSlot: (slot) => compiled(Core.fromSlot(slot)),
};

function compiled(core: Core): Compiled {
  const { name, version, fields, policy, maxAttempts } = core;
  return {
    description: { name, version, fields, budget: core.budget ?? null, maxAttempts },
    policy,
    host: core.host ?? null,
    warnings: core.warnings,
    json: core.json ?? null,
    parse: (value, wall) => core.parse(value, wall),
    call(call, block, headers) {
      if (call === "start") core.start(block);
      else core.handle(block, headers ? fields.map((field) => headers.get(field)) : []);
    },
  };
}
