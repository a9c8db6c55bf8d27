/* tslint:disable */
/* eslint-disable */

/**
 * What came of a scenario.
 */
export class Finished {
    private constructor();
    free(): void;
    /**
     * The report as `refrain simulate --json` writes it, byte for byte.
     *
     * # Errors
     * None.
     */
    report(): string;
    /**
     * What of it is shown: JSON of a `Results` in `lab.ts`.
     *
     * # Errors
     * None.
     */
    results(): string;
}

/**
 * A policy baked into the policy component: what `refrain pin` writes, byte for byte.
 */
export class Pinned {
    private constructor();
    free(): void;
    /**
     * Bakes a document into a template, the bytes that `cargo xtask guest` builds.
     *
     * # Errors
     * What is wrong with the document, or with the template.
     */
    static bake(template: Uint8Array | number[], document: string): Pinned;
    /**
     * The file.
     */
    readonly bytes: Uint8Array;
    /**
     * SHA-256 of the core module in it, in hexadecimal digits.
     */
    readonly coreDigest: string;
    /**
     * SHA-256 of the file, in hexadecimal digits.
     */
    readonly digest: string;
    /**
     * Name of the policy.
     */
    readonly name: string;
    /**
     * Version of the policy.
     */
    readonly version: string;
}

/**
 * A scenario under way. It goes on when it is told to, and who frees it stops it.
 */
export class Simulation {
    private constructor();
    free(): void;
    /**
     * Lets about this many events happen. Whether there are more.
     */
    advance(events: number): boolean;
    /**
     * Nothing has happened yet.
     *
     * `scenario` is the name of one that ships, or a text; `changes` are as `Scenario::parse_with` takes them. Without
     * `policies`, documents, the scenario's own are compared.
     *
     * # Errors
     * What is wrong with the scenario, the changes or a document.
     */
    static begin(scenario: string, changes: string, policies: string[], seed: number): Simulation;
    /**
     * Lets all that is left happen, and reports.
     */
    finish(): Finished;
    /**
     * What the runs have come to: JSON of a `SoFar` in `lab.ts`.
     *
     * # Errors
     * None.
     */
    soFar(): string;
}

/**
 * A document explained: JSON of an `Explained` in `lab.ts`.
 *
 * # Errors
 * What is wrong with the document.
 */
export function explain(text: string): string;

/**
 * What the schema says of the key at a place of a TOML text, counted in UTF-16 units as JavaScript does: JSON of a `Help` in
 * `lab.ts`.
 *
 * # Errors
 * None that a text could cause.
 */
export function help(text: string, at: number): string;

/**
 * The document of a ready-made policy, in TOML.
 */
export function ready(name: string): string | undefined;

/**
 * The names of the ready-made policies.
 */
export function readyNames(): string[];

/**
 * The scenarios that there are: JSON of a list of `Shipped` in `lab.ts`.
 *
 * # Errors
 * None: every scenario is tested.
 */
export function scenarios(): string;

/**
 * A scenario with changes and policies, as a text that `refrain simulate` takes: see `Simulation::begin`.
 *
 * # Errors
 * What is wrong with the scenario, the changes or a document.
 */
export function written(scenario: string, changes: string, policies: string[]): string;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_finished_free: (a: number, b: number) => void;
    readonly __wbg_pinned_free: (a: number, b: number) => void;
    readonly __wbg_simulation_free: (a: number, b: number) => void;
    readonly explain: (a: number, b: number) => [number, number, number, number];
    readonly finished_report: (a: number) => [number, number, number, number];
    readonly finished_results: (a: number) => [number, number, number, number];
    readonly help: (a: number, b: number, c: number) => [number, number, number, number];
    readonly pinned_bake: (a: number, b: number, c: number, d: number) => [number, number, number];
    readonly pinned_bytes: (a: number) => [number, number];
    readonly pinned_coreDigest: (a: number) => [number, number];
    readonly pinned_digest: (a: number) => [number, number];
    readonly pinned_name: (a: number) => [number, number];
    readonly pinned_version: (a: number) => [number, number];
    readonly ready: (a: number, b: number) => [number, number];
    readonly readyNames: () => [number, number];
    readonly scenarios: () => [number, number, number, number];
    readonly simulation_advance: (a: number, b: number) => number;
    readonly simulation_begin: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number, number];
    readonly simulation_finish: (a: number) => number;
    readonly simulation_soFar: (a: number) => [number, number, number, number];
    readonly written: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number, number];
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
