/**
 * What a person sets up: a policy, a request, and what the server answers; as a link holds it.
 *
 * @module
 */

import { METHODS } from "@refrain/fetch/names";
import type { PolicyState } from "../../editor/policy.js";
import type { State } from "../../panel.js";

/** What the server does with one attempt. */
export interface Answer {
  /** It answers; the connection is lost; or nothing comes, ever. */
  readonly type: "status" | "lost" | "silent";
  /** Where it answers: 200 to 599. */
  readonly status: number;
  /** Its Retry-After; empty for none. */
  readonly retryAfter: string;
  /** How many milliseconds after the send. */
  readonly after: number;
}

/** How the request is run. */
export type Mode = "virtual" | "real";

/** The body of a request that has one. */
export type Body = "text" | "stream";

/** A request, and what it meets. */
export interface Setup {
  readonly mode: Mode;
  readonly policy: PolicyState;
  readonly method: string;
  readonly hasKey: boolean;
  readonly body: Body;
  /** Of each attempt; the last stands for all that follow. Never empty. */
  readonly script: readonly Answer[];
  /** What the random numbers come from, on virtual time. */
  readonly seed: number;
  /** Where a real request goes; empty for the page's own address. */
  readonly url: string;
}

/** What a person does while a request is under way. */
export const ACTIONS = ["cancel", "session", "offline", "online"] as const;

/** One of them. */
export interface Press {
  readonly action: (typeof ACTIONS)[number];
  /** When, in milliseconds from the begin; below 0 for one that comes before the begin. */
  readonly at: number;
}

/** How far a request was followed on virtual time. */
export interface Followed {
  readonly presses: readonly Press[];
  /** In milliseconds; `null` if it was not begun. */
  readonly until: number | null;
}

/** The policy that a link without one stands for. */
export const DEFAULT_POLICY = "browser-interactive";

/** When a press was that came before the begin. */
const BEFORE = "first";

/** One whose first waits are of a length that can be seen. */
const SEED = 32;

const LONGEST = 86_400_000;
const SCRIPT = "503,150;429,120,3;200,180";

/** Reads the state of a link. */
export function setupOf(state: State): Setup {
  const script = answers(state["script"] ?? SCRIPT);
  return {
    mode: state["mode"] === "real" ? "real" : "virtual",
    policy: { policy: state["policy"], document: state["document"] },
    method: METHODS.find((method) => method === state["method"]) ?? "GET",
    hasKey: state["key"] === "yes",
    body: state["body"] === "stream" ? "stream" : "text",
    script: script.length ? script : answers(SCRIPT),
    seed: whole(state["seed"], 2 ** 32 - 1) ?? SEED,
    url: state["url"] ?? "",
  };
}

/** Reads how far it was followed. */
export function followedOf(state: State): Followed {
  const presses = (state["presses"] ?? "").split(";").flatMap((text) => {
    const [name, at] = text.split("@");
    const action = ACTIONS.find((known) => known === name);
    const mark = at === BEFORE ? -1 : whole(at, Number.MAX_SAFE_INTEGER);
    return action && mark !== null ? [{ action, at: mark }] : [];
  });
  return { presses, until: whole(state["until"], Number.MAX_SAFE_INTEGER) };
}

/** Writes both. */
export function stateOf(setup: Setup, { presses, until }: Followed): State {
  const { mode, policy, method, hasKey, body, script, seed, url } = setup;
  return {
    ...(mode === "real" && { mode }),
    ...(policy.document === undefined ? { policy: policy.policy ?? DEFAULT_POLICY } : { document: policy.document }),
    method,
    ...(hasKey && { key: "yes" }),
    ...(body === "stream" && { body }),
    ...(mode === "real" ? url && { url } : { script: script.map(written).join(";"), seed: String(seed) }),
    ...(presses.length && { presses: presses.map(({ action, at }) => `${action}@${at < 0 ? BEFORE : at}`).join(";") }),
    ...(until !== null && { until: String(until) }),
  };
}

/** An answer as its kind or status, its milliseconds, and its Retry-After, in which no semicolon is left. */
function written({ type, status, retryAfter, after }: Answer): string {
  const parts = [type === "status" ? status : type, after, encodeURIComponent(retryAfter)];
  return (retryAfter ? parts : parts.slice(0, 2)).join(",");
}

function answers(text: string): readonly Answer[] {
  return text.split(";").flatMap((one) => {
    const [kind, after, retryAfter = ""] = one.split(",");
    const type = kind === "lost" || kind === "silent" ? kind : "status";
    const status = type === "status" ? whole(kind, 599) : 503;
    if (status === null || status < 200) return [];
    return [{ type, status, retryAfter: decoded(retryAfter), after: whole(after, LONGEST) ?? 0 }];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function whole(text: string | undefined, most: number): number | null {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return null;
  return Math.min(Number(text), most);
}
