/**
 * Where decisions come from: one interface over the artifact's own core module (`pinned`) or over a core that also compiles
 * documents (`dynamic`). `decider` asks one in the words of `wit/policy.wit`.
 *
 * @module
 */

export { decider, type Decider } from "./decider.js";
export * from "./numbers.js";
export * from "./step.js";

/** Something that decides. All calls are pure: the same input gives the same answer. */
export interface Engine {
  /** Who the policy is, and what it wants to be handed. */
  readonly description: Description;

  /**
   * Asks the policy: `start` begins, joins or resumes a logical request, `handle` goes on with it.
   *
   * @param block 160 bytes, in which the parameters stand as `wit/LAYOUT.md` says, but for the list of fields. The result
   * is written over them, from the first byte on. One request after another may use a block: each begins with `start`
   * @param headers with `handle`: the fields of the response; without it there are none
   * @throws when no decision was made: nothing more may be sent then
   */
  call(name: "start" | "handle", block: Uint8Array, headers?: Fields): void;
}

/** The fields of a response: a `Headers` is such a thing. */
export interface Fields {
  /**
   * The value of a field; nothing if it is absent or unreadable. Lines of one name are joined by a comma and a space, and
   * each character is one byte.
   */
  get(name: string): string | null | undefined;
}

/** Reads a Retry-After value under the policy's date rules, for people and tests. */
export interface Parser {
  /**
   * @param value each character is one byte, as `Headers.get` gives them
   * @param wall the wall clock, for two-digit years; `null` for none
   */
  parse(value: string, wall: number | null): RetryAfter;
}

/** What a value says, exactly as sent: seconds, a date in seconds since 1970, or the hint code of its refusal. */
export type RetryAfter =
  { readonly delaySeconds: bigint } | { readonly at: bigint } | { readonly refused: number };

/** Who a policy is. */
export interface Description {
  readonly name: string;
  /** Semver. */
  readonly version: string;
  /** The response fields that the host hands over, in lower case. */
  readonly fields: readonly string[];
  /** Tokens that a new retry budget begins with, in thousandths; `null` if the policy has no budget. */
  readonly budget: number | null;
  /** The most sends of one logical request, the first included. */
  readonly maxAttempts: number;
}

/** What a policy document says to hosts alone: none of it is a retry rule. */
export interface HostSettings {
  /** The request field that carries the idempotency key, in lower case; `null` if keys are not sent. */
  readonly key: {
    readonly name: string;
    /** The key is written as a string of a structured field, in double quotes. */
    readonly quoted?: boolean;
  } | null;
  /** Who shares the tokens of the retry budget: all requests, those to one host and port, or those of one key. */
  readonly budget: "policy" | "host" | "key";
  /** A host without a session handle refuses to start. */
  readonly sessionRequired?: boolean;
}

/** A policy as `refrain bundle` writes it: its engine is there at once, or once its module was downloaded. */
export interface BundledPolicy<E extends Engine | Promise<Engine> = Engine | Promise<Engine>> {
  /** What its document says to hosts. */
  readonly host: HostSettings;
  /** Makes an engine. */
  readonly engine: () => E;
}

/** One thing that is wrong with a policy document. */
export interface Problem {
  /** An error refuses the document; with a warning, it probably does not do what was meant. */
  readonly severity: "error" | "warning";
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  readonly message: string;
  /** What to do; `null` if nobody can tell. */
  readonly help: string | null;
}
