/** Runs the vectors where it is loaded: in a page, a worker or a service worker. */

import { makers, mismatches } from "../conformance/engines.js";
import type { Baked, VectorFile } from "../conformance/vector.js";

/** What came of it, engine by engine. */
export interface Verdict {
  readonly engine: string;
  readonly vectors: number;
  readonly mismatches: readonly string[];
  /** Where it ran. */
  readonly scope: string;
  readonly language: string;
  /** Minutes ahead of UTC, at the beginning of 2026. */
  readonly ahead: number;
}

async function verdicts(): Promise<Verdict[]> {
  const [core, dynamic] = await Promise.all([bytes("core.wasm"), bytes("dynamic.wasm")]);
  const files: VectorFile[] = JSON.parse(await text("vectors.json"));
  const slots: Record<string, Baked> = JSON.parse(await text("slots.json"));
  return Object.entries(makers(core, dynamic)).map(([engine, make]) => ({
    engine,
    vectors: files.reduce((sum, { vectors }) => sum + vectors.length, 0),
    mismatches: files.flatMap((file) => mismatches(make, file, slots)),
    scope: self.constructor.name,
    language: navigator.language,
    ahead: 0 - new Date(2026, 0).getTimezoneOffset(),
  }));
}

async function bytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetch(name)).arrayBuffer());
}

async function text(name: string): Promise<string> {
  return (await fetch(name)).text();
}

// A page asks itself, a worker is asked by the page.
Object.assign(self, { verdicts });
if (typeof document === "undefined") {
  addEventListener("message", (event: MessageEvent) => {
    const answer = (verdict: unknown): void => event.ports[0]?.postMessage(verdict);
    verdicts().then(answer, (error: unknown) => answer(String(error)));
  });
}
