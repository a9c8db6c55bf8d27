/**
 * What `web-demo/lab` computes, with names for what it hands over as JSON.
 *
 * @module
 */

import init, * as lab from "./generated/lab.js";

/** Points of a line: where, and how much. */
export type Points = readonly [readonly number[], readonly number[]];

/** A run in lines. */
export interface Series {
  readonly policy: string;
  /** Attempts that reach the server, in each second. */
  readonly offered: Points;
  /** Attempts that the server answers with success, in each second. */
  readonly served: Points;
  /** Requests that end with success, in percent of all, by seconds since they began; empty before the end. */
  readonly within: Points;
}

/** What runs have come to. */
export interface SoFar {
  /** Of all logical requests, those that have ended, from 0 to 1. */
  readonly share: number;
  /** Virtual time of the run that is furthest, in milliseconds. */
  readonly now_ms: number;
  /** Attempts that all runs have sent. */
  readonly sends: number;
  readonly series: readonly Series[];
}

/** What came of a scenario. */
export interface Results {
  /** The names of the columns of `refrain simulate`, and then a line for each run. */
  readonly cells: readonly (readonly string[])[];
  readonly series: readonly Series[];
  /** Of the clients that came back, the largest share in the same 100 ms, in thousandths. */
  readonly peaks: readonly number[];
}

/** A scenario that ships with the simulator. */
export interface Shipped {
  readonly name: string;
  /** The documents that it brings, by name. */
  readonly policies: readonly (readonly [string, string])[];
}

/** A document explained. */
export interface Explained {
  /** The document in canonical JSON. */
  readonly canonical: string;
  readonly sentences: readonly string[];
  /** The columns and lines of the table of its longest waits; empty if nothing is retried. */
  readonly cells: readonly (readonly string[])[];
  /** What a mark in the cells means. */
  readonly note: string | null;
  readonly summary: string;
}

/** What the schema says of a key. */
export interface Help {
  /** With its tables; empty for the document itself. */
  readonly key: string;
  readonly description: string;
  /** What its values are, values in backticks. */
  readonly values: readonly string[];
  /** In TOML. */
  readonly default: string | null;
  /** Of a table. */
  readonly keys: readonly string[];
}

/** What `web-demo/lab` computes. */
export interface Lab {
  readonly Simulation: typeof lab.Simulation;
  readonly scenarios: () => readonly Shipped[];
  /** A scenario with changes and policies, as a text that `refrain simulate` takes. */
  readonly written: typeof lab.written;
  /** @throws Error with what is wrong with the document */
  readonly explain: (document: string) => Explained;
  /** Of the key at a place of a TOML text, which may be half written. */
  readonly help: (text: string, at: number) => Help;
  /**
   * Bakes a document into the policy component: what `refrain pin` writes, byte for byte.
   *
   * @throws Error with what is wrong with the document
   */
  readonly bake: (document: string) => Promise<lab.Pinned>;
}

let loading: Promise<Lab> | undefined;

/** Downloads it, once. */
export function loadLab(): Promise<Lab> {
  loading ??= load().catch((error: unknown) => {
    // Whoever asks next tries again.
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Lab> {
  await init({ module_or_path: new URL("./generated/lab.wasm", import.meta.url) });
  return {
    Simulation: lab.Simulation,
    written: lab.written,
    scenarios: () => JSON.parse(lab.scenarios()) as readonly Shipped[],
    explain: (document) => JSON.parse(lab.explain(document)) as Explained,
    help: (text, at) => JSON.parse(lab.help(text, at)) as Help,
    bake: async (document) => lab.Pinned.bake(await template(), document),
  };
}

/** The policy component that documents are baked into. */
async function template(): Promise<Uint8Array> {
  const response = await fetch(new URL("./generated/component.wasm", import.meta.url));
  if (!response.ok) throw new Error(`expected the policy component, found status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
