/**
 * What a queue is given, and what it gives.
 *
 * @module
 */

import type { Resume } from "../engine.js";
import type { Fetch } from "../fetch.js";
import type { FetchInit } from "../options.js";
import type { Session } from "../session.js";
import type { Time } from "../time.js";
import type { Entry } from "./entry.js";

/** How a queue is opened. All of it is optional. */
export interface QueueOptions {
  /**
   * Name of its database, `@refrain/fetch` without it. A database belongs to one account: who is signed in when it is
   * opened is taken for the owner of all entries.
   */
  readonly name?: string;
  /** Most entries; 100 without it. */
  readonly capacity?: number;
  /** Names of the request headers that are kept beside `content-type`. None of them may be a credential. */
  readonly headers?: readonly string[];
  /** Who is signed in: when that changes, all entries are removed. */
  readonly session?: Session;
  /** Clock and timers; `systemTime` without it. */
  readonly time?: Time;
}

/** What became of an entry that was sent: it is no longer in the queue, unless it was deferred again. */
export interface Drained {
  readonly entry: Entry;
  /** Its body is unread. */
  readonly response?: Response;
  readonly error?: unknown;
}

/** Hears what became of an entry. */
export type Hear = (drained: Drained) => void | Promise<void>;

/** The queue holds as many as it may. */
export class QueueFullError extends Error {
  override readonly name = "QueueFullError";

  constructor(capacity: number) {
    super(`expected fewer than ${capacity} deferred requests in the queue`);
  }
}

/** Deferred requests, the earliest first. */
export interface DeferralQueue {
  /**
   * Keeps a request that was deferred, and asks for Background Sync where it exists.
   *
   * @param resume of the `RefrainError`'s outcome
   * @returns the number of its entry
   * @throws QueueFullError
   */
  push(resume: Resume, input: RequestInfo | URL, init?: FetchInit): Promise<number>;
  /**
   * Sends all that is due, one after the other, through a `fetch` of `createFetch`: with its count, its key, and not
   * before it may. An entry stays until its request has ended, so a page that is closed in between loses none. Does
   * nothing while another tab or worker drains (where there are Web Locks; elsewhere let only one drain).
   *
   * @param each hears what became of each. An entry that was deferred again, or went offline, stays
   * @returns in how many milliseconds the next is due; `undefined` if there is none
   */
  drain(fetch: Fetch, each?: Hear): Promise<number | undefined>;
  /** Drains until the signal is aborted, each entry when it is due. */
  run(fetch: Fetch, signal: AbortSignal, each?: Hear): Promise<void>;
  /** Drains, and rejects if something is left, so that the browser fires its `sync` event again later. */
  sync(fetch: Fetch, each?: Hear): Promise<void>;
  /** The entries, those that are being sent included. */
  entries(): Promise<readonly Entry[]>;
  /** Removes an entry. */
  cancel(id: number): Promise<void>;
  /** Removes all entries, as at a sign-out, and aborts what is being sent, also in other tabs and workers. */
  purge(): Promise<void>;
  /** Ends the use of it; the entries stay. */
  close(): void;
}
