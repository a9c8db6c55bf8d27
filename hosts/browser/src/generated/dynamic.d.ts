/* tslint:disable */
/* eslint-disable */
import type { HostSettings, Problem, RetryAfter } from "../engine.js";



/**
 * A policy, ready to decide.
 */
export class Compiled {
    private constructor();
    free(): void;
    /**
     * Compiles a document.
     *
     * # Errors
     * All its problems, as a list.
     */
    static compile(text: string, is_json: boolean): Compiled;
    /**
     * Takes the policy of an artifact's slot.
     *
     * # Errors
     * What of it is no slot.
     */
    static fromSlot(bytes: Uint8Array | number[]): Compiled;
    /**
     * Goes on. `values` are those of the fields, at their positions.
     */
    handle(block: Uint8Array, values: Array<any>): void;
    /**
     * Reads a Retry-After value.
     */
    parse(value: string, wall?: number | null): RetryAfter;
    /**
     * Begins, joins or resumes a logical request.
     */
    start(block: Uint8Array): void;
    /**
     * Tokens that a new budget begins with, in thousandths.
     */
    readonly budget: number | undefined;
    /**
     * The response fields that a host hands over, in lower case.
     */
    readonly fields: string[];
    /**
     * What only hosts need to know; absent for the policy of a slot.
     */
    readonly host: HostSettings | undefined;
    /**
     * The document in canonical JSON; absent for the policy of a slot.
     */
    readonly json: string | undefined;
    /**
     * The most sends of one logical request.
     */
    readonly maxAttempts: number;
    /**
     * Name of the policy.
     */
    readonly name: string;
    /**
     * The compiled policy.
     */
    readonly policy: Uint8Array;
    /**
     * Version of the policy.
     */
    readonly version: string;
    /**
     * What is accepted but probably not meant.
     */
    readonly warnings: Problem[];
}

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_compiled_free: (a: number, b: number) => void;
    readonly compiled_budget: (a: number) => number;
    readonly compiled_compile: (a: number, b: number, c: number) => [number, number, number];
    readonly compiled_fields: (a: number) => [number, number];
    readonly compiled_fromSlot: (a: number, b: number) => [number, number, number];
    readonly compiled_handle: (a: number, b: number, c: number, d: any, e: any) => void;
    readonly compiled_host: (a: number) => any;
    readonly compiled_json: (a: number) => [number, number];
    readonly compiled_maxAttempts: (a: number) => number;
    readonly compiled_name: (a: number) => [number, number];
    readonly compiled_parse: (a: number, b: number, c: number, d: number, e: number) => any;
    readonly compiled_policy: (a: number) => [number, number];
    readonly compiled_start: (a: number, b: number, c: number, d: any) => void;
    readonly compiled_version: (a: number) => [number, number];
    readonly compiled_warnings: (a: number) => [number, number];
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __externref_table_dealloc: (a: number) => void;
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
