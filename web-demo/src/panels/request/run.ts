/**
 * A request under way, whatever time it runs on.
 *
 * @module
 */

import { createFetch, createSession, idempotencyKey, outcomeOf, RefrainError, watched } from "@refrain/fetch";
import type { Connectivity, Fetch, FetchEvent, FetchInit, Outcome, Session, Time } from "@refrain/fetch";
import type { Compiled } from "@refrain/fetch/dynamic";
import type { Press, Setup } from "./setup.js";

/** Something that happened: to the request, or by a person's hand. */
export type Entry =
  | (FetchEvent & { readonly by: "policy" })
  | { readonly by: "person"; readonly action: Press["action"]; readonly at: number };

/** What the caller of `fetch` gets. */
export type Result =
  | { readonly type: "response"; readonly status: number; readonly outcome: Outcome }
  | { readonly type: "error"; readonly error: RefrainError }
  /** The caller's own cancel. */
  | { readonly type: "cancelled" };

/** A request under way. */
export interface Run {
  /** What happened so far; times are milliseconds from its begin. */
  readonly entries: readonly Entry[];
  /** The clock, in milliseconds from its begin. Stands still when the request has ended. */
  readonly now: number;
  /** What the caller gets; `null` as long as it waits. */
  readonly result: Result | null;
  /** Does something to the request at this moment. */
  press(action: Press["action"]): void;
}

/** Where a request runs: its clock, its network, and who answers. */
export interface Place {
  readonly time: Time;
  readonly network: Connectivity;
  readonly fetch: typeof fetch;
  readonly entropy?: () => number;
  readonly url: string;
  /** Takes the network away, or gives it back. */
  setOnline(online: boolean): void;
}

/**
 * Begins a request.
 *
 * @param presses those that come before the begin are done; who calls does the others
 * @param told is called after everything that happens
 */
export function begin(setup: Setup, policy: Compiled, place: Place, presses: readonly Press[], told: () => void): Run {
  const { time, network, entropy } = place;
  const start = time.mark(false);
  const entries: Entry[] = [];
  const session = createSession();
  const controller = new AbortController();
  let end: { readonly result: Result; readonly at: number } | null = null;
  const clock = (): number => time.mark(false) - start;
  const happened = (entry: Entry): void => {
    entries.push(entry);
    told();
  };
  const engine = watched(policy, (event) => happened(fromBegin(event, start)));
  const press = (action: Press["action"]): void => {
    happened({ by: "person", action, at: clock() });
    act(action, controller, session, place);
  };
  for (const { action, at } of presses) if (at < 0) press(action);
  const host = { engine, host: policy.host, fetch: place.fetch, time, network, session, ...(entropy && { entropy }) };
  void send(createFetch(host), place.url, initOf(setup, controller.signal)).then((result) => {
    end = { result, at: clock() };
    told();
  });
  return {
    entries,
    get now() {
      return end?.at ?? clock();
    },
    get result() {
      return end?.result ?? null;
    },
    press,
  };
}

/** What happened, with its times counted from the begin of the request. */
function fromBegin(event: FetchEvent, start: number): Entry {
  const told = { ...event, at: event.at - start, by: "policy" } as const;
  return "until" in told && told.until < Number.MAX_SAFE_INTEGER ? { ...told, until: told.until - start } : told;
}

function act(action: Press["action"], controller: AbortController, session: Session, place: Place): void {
  if (action === "cancel") controller.abort();
  else if (action === "session") session.raise();
  else place.setOnline(action === "online");
}

function initOf({ method, hasKey, body }: Setup, signal: AbortSignal): FetchInit {
  const key = hasKey ? { key: idempotencyKey("order-4711") } : {};
  if (method === "GET" || method === "HEAD") return { method, signal, ...key };
  return { method, signal, ...key, body: body === "text" ? "order=1" : new Blob(["order=1"]).stream() };
}

async function send(fetch: Fetch, url: string, init: FetchInit): Promise<Result> {
  try {
    const response = await fetch(url, init);
    await response.body?.cancel();
    return { type: "response", status: response.status, outcome: outcomeOf(response)! };
  } catch (error) {
    if (error instanceof RefrainError) return { type: "error", error };
    if (init.signal!.aborted) return { type: "cancelled" };
    throw error;
  }
}
