/**
 * A bounded queue of requests that are to go on later. It holds no retry rule.
 *
 * @module
 */

import type { Resume } from "../engine.js";
import type { Fetch } from "../fetch.js";
import type { FetchInit } from "../options.js";
import { RefrainError, outcomeOf } from "../outcome.js";
import { resumed, type Resumed } from "../resume.js";
import type { Session } from "../session.js";
import { systemTime, type Time } from "../time.js";
import { entryOf, initOf, keptNames, type Entry } from "./entry.js";
import { QueueFullError, type DeferralQueue, type Drained, type Hear, type QueueOptions } from "./interface.js";
import { openStore, type Store } from "./store.js";
import { requestSync } from "./sync.js";

/**
 * Opens a queue.
 *
 * @throws CredentialError if a header that must not be kept is named
 */
export async function openQueue(options: QueueOptions = {}): Promise<DeferralQueue> {
  const names = keptNames(options.headers ?? []);
  return new Queue(options, names, await openStore(options.name ?? NAME));
}

const NAME = "@refrain/fetch";
const PURGED = "purged";
const PUSHED = "pushed";

/**
 * What is due so soon is sent: the `fetch` waits for the rest, since it is told the moment. A clock is rounded up when
 * an entry is loaded, so one that is overdue would else never be due in a worker that lives for one event.
 */
const SOON = 100;

/** How long an entry rests at least that was tried and stays, in milliseconds: the network may be gone for long. */
const PAUSE = 15_000;

class Queue implements DeferralQueue {
  readonly #name: string;
  readonly #capacity: number;
  readonly #names: ReadonlySet<string>;
  readonly #time: Time;
  readonly #store: Store;
  readonly #session: Session | undefined;
  /** Tells of a purge, to all tabs and workers. */
  readonly #channel: BroadcastChannel;
  /** When entries are due, by the continuous clock, once they were loaded. */
  readonly #due = new Map<number, Resumed>();
  /** Of what is being sent. */
  #sending = new AbortController();
  #isDraining = false;
  /** Something may be due that was not. */
  #isStirred = false;
  /** Ends a rest. */
  #wake = (): void => {};

  constructor(options: QueueOptions, names: ReadonlySet<string>, store: Store) {
    const { name = NAME, capacity = 100, session, time = systemTime } = options;
    this.#name = name;
    this.#capacity = capacity;
    this.#names = names;
    this.#time = time;
    this.#store = store;
    this.#session = session;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => (data === PURGED ? this.#abort() : this.#stir());
    session?.signal.addEventListener("abort", this.#signedIn);
  }

  async push(resume: Resume, input: RequestInfo | URL, init: FetchInit = {}): Promise<number> {
    // The continuous clock goes on here, so no wall clock is asked.
    const due = resumed({ ...resume, notBefore: null }, this.#time);
    const session = this.#session?.current;
    const entry = await entryOf(resume, input, init, this.#names);
    if (this.#session?.current !== session) throw new DOMException("another session is signed in", "AbortError");
    const id = await this.#store.add(entry, this.#capacity);
    if (id === undefined) throw new QueueFullError(this.#capacity);
    this.#due.set(id, due);
    this.#stir();
    this.#channel.postMessage(PUSHED);
    await requestSync();
    return id;
  }

  async drain(fetch: Fetch, each?: Hear): Promise<number | undefined> {
    const drain = (): Promise<number | undefined> => this.#drain(fetch, each);
    const { locks } = globalThis.navigator ?? {};
    if (!locks) return drain();
    return locks.request(this.#name, { ifAvailable: true }, (lock) => (lock ? drain() : this.#left()));
  }

  async run(fetch: Fetch, signal: AbortSignal, each?: Hear): Promise<void> {
    const stir = (): void => this.#stir();
    signal.addEventListener("abort", stir);
    try {
      while (!signal.aborted) {
        this.#isStirred = false;
        await this.#rest(await this.drain(fetch, each));
      }
    } finally {
      signal.removeEventListener("abort", stir);
    }
  }

  async sync(fetch: Fetch, each?: Hear): Promise<void> {
    if ((await this.drain(fetch, each)) === undefined) return;
    throw new Error("some deferred requests are not due yet; the browser is to ask again later");
  }

  entries(): Promise<readonly Entry[]> {
    return this.#store.all();
  }

  async cancel(id: number): Promise<void> {
    this.#due.delete(id);
    await this.#store.remove(id);
  }

  async purge(): Promise<void> {
    this.#abort();
    this.#channel.postMessage(PURGED);
    await this.#store.clear();
  }

  close(): void {
    this.#session?.signal.removeEventListener("abort", this.#signedIn);
    this.#channel.close();
    this.#store.close();
  }

  readonly #signedIn = (): void => {
    this.#session!.signal.addEventListener("abort", this.#signedIn);
    void this.purge();
  };

  #abort(): void {
    this.#due.clear();
    this.#sending.abort(new DOMException("the deferred requests were removed", "AbortError"));
    this.#sending = new AbortController();
  }

  #stir(): void {
    this.#isStirred = true;
    this.#wake();
  }

  #rest(left: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const stop = left === undefined ? undefined : this.#time.sleep(this.#time.mark(true) + left, resolve);
      this.#wake = () => {
        stop?.();
        resolve();
      };
      if (this.#isStirred) this.#wake();
    });
  }

  async #drain(fetch: Fetch, each: Hear | undefined): Promise<number | undefined> {
    if (this.#isDraining) return this.#left();
    this.#isDraining = true;
    try {
      for (;;) {
        const [entry] = await this.#loaded();
        if (!entry || this.#due.get(entry.id)!.notBefore > this.#time.mark(false) + SOON) return await this.#left();
        const drained = await this.#send(entry, fetch);
        if (drained) await each?.(drained);
      }
    } finally {
      this.#isDraining = false;
    }
  }

  /** In how many milliseconds the next is due. */
  async #left(): Promise<number | undefined> {
    const [entry] = await this.#loaded();
    return entry && Math.max(0, this.#due.get(entry.id)!.notBefore - this.#time.mark(false));
  }

  /** The entries, the earliest first. When each is due is asked of the wall clock once. */
  async #loaded(): Promise<Entry[]> {
    const entries = await this.#store.all();
    for (const { id, resume } of entries) {
      if (!this.#due.has(id)) this.#due.set(id, resumed(resume, this.#time));
    }
    const dueAt = ({ id }: Entry): number => this.#due.get(id)!.notBefore;
    return entries.sort((one, other) => dueAt(one) - dueAt(other));
  }

  /** Sends an entry; nothing if it was removed meanwhile. */
  async #send(entry: Entry, fetch: Fetch): Promise<Drained | undefined> {
    const { signal } = this.#sending;
    const resume = this.#due.get(entry.id)!;
    const ended = await fetch(entry.url, { ...initOf(entry), resume, signal }).then(
      (response) => ({ entry, response, again: outcomeOf(response)?.resume }),
      (error: unknown) => ({ entry, error, again: error instanceof RefrainError ? error.resume : undefined }),
    );
    if (signal.aborted) return undefined;
    const { again, ...drained } = ended;
    if (again) await this.#keep(entry, again);
    else await this.cancel(entry.id);
    return drained;
  }

  async #keep(entry: Entry, resume: Resume): Promise<void> {
    const { notBefore, attemptsUsed } = resumed({ ...resume, notBefore: null }, this.#time);
    const rested = this.#time.mark(true) + PAUSE;
    this.#due.set(entry.id, { notBefore: Math.max(notBefore, rested), attemptsUsed });
    await this.#store.replace({ ...entry, resume });
  }
}
