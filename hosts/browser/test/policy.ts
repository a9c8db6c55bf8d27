/**
 * Policies for tests of the adapter: the default one, with some of its numbers replaced (the table of `policy-core`'s
 * `Policy`).
 */

import type { Engine } from "../src/engine.js";
import { pinnedEngine } from "../src/pinned.js";
import { coreModule } from "./core.js";

/** What a test replaces; spans in milliseconds. */
export interface Rules {
  readonly maxAttempts?: number;
  readonly deadline?: number;
  readonly attemptTimeout?: number;
  readonly maxWait?: number;
  /** Base of the backoff, which doubles. */
  readonly base?: number;
  readonly deadlineBoundsAttempts?: boolean;
}

const MAGIC = "refrain.policy\0\x01";
const SLOT = 640;
const CHECKED_FROM = 24;
const POLICY = 88;
const NONE = Number.MAX_SAFE_INTEGER;

/** Backoff of 1 s, 2 s, 4 s where the sample is the largest; no deadline, and hints are not spread. */
export function engineOf(rules: Rules = {}): Engine {
  return pinnedEngine(moduleOf(rules));
}

/** The module of such an engine. */
export function moduleOf(rules: Rules = {}): WebAssembly.Module {
  return new WebAssembly.Module(bakedCore(rules));
}

/** Its bytes. */
export function bakedCore(rules: Rules): Uint8Array<ArrayBuffer> {
  const core = coreModule();
  const at = Buffer.from(core.buffer).indexOf(MAGIC, 0, "latin1");
  replace(core.subarray(at, at + SLOT), rules);
  return core;
}

function replace(slot: Uint8Array, rules: Rules): void {
  const policy = new DataView(slot.buffer, slot.byteOffset + POLICY, SLOT - POLICY);
  const { maxAttempts = 4, deadline = NONE, attemptTimeout = NONE, maxWait = 60_000, base = 1_000 } = rules;
  policy.setUint32(4, maxAttempts, true);
  [deadline, attemptTimeout, maxWait].forEach((limit, i) => policy.setBigUint64(8 + 8 * i, BigInt(limit), true));
  for (const series of [224, 264]) policy.setBigUint64(series, BigInt(base), true);
  policy.setUint32(348, 0, true);
  if (rules.deadlineBoundsAttempts) policy.setUint16(358, policy.getUint16(358, true) | 1, true);
  policy.setUint32(0, fnv1a(slot.subarray(POLICY + 4)), true);
  new DataView(slot.buffer, slot.byteOffset).setUint32(20, fnv1a(slot.subarray(CHECKED_FROM)), true);
}

function fnv1a(bytes: Uint8Array): number {
  return bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x0100_0193) >>> 0, 0x811c_9dc5);
}
