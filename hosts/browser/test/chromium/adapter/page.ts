/** Runs scenarios in a page, or asks its worker or service worker to. */

import { announced } from "../../../src/announce.js";
import type { Engine } from "../../../src/engine.js";
import { createFetch } from "../../../src/fetch.js";
import { pinnedEngine } from "../../../src/pinned.js";
import { openQueue } from "../../../src/queue.js";
import { run } from "./all.js";
import { placeOf, type Origins } from "./place.js";

type Runner = (name: string, origins: Origins) => Promise<string | null>;

let worker: Worker | undefined;

const inWorker: Runner = (name, origins) =>
  new Promise((resolve) => {
    worker ??= new Worker("/worker.js", { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => resolve(message);
    worker.postMessage([name, origins]);
  });

const inServiceWorker: Runner = async (name, origins) => {
  await navigator.serviceWorker.register("/service-worker.js", { type: "module" });
  const { active } = await navigator.serviceWorker.ready;
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    active!.postMessage([name, origins], [port2]);
  });
};

Object.assign(globalThis, { run: { page: run, worker: inWorker, "service worker": inServiceWorker } });

let engine: Engine | undefined;
let ended: Promise<number> | undefined;

/** For what a test does to the browser in between. */
const tools = {
  async load(): Promise<void> {
    engine = pinnedEngine(await placeOf({ own: "" } as Origins).module({ base: 0 }));
  },
  /** Makes a request, which is on its way, or waits, when this returns. */
  begin(url: string): void {
    ended = createFetch({ engine: engine! })(url).then(({ status }) => status);
  },
  ended: () => ended,
  /** Sends through a service worker that retries too. */
  async layered(url: string, announces: boolean): Promise<void> {
    await navigator.serviceWorker.register("/layer-worker.js", { type: "module" });
    await new Promise<void>((resolve) => {
      navigator.serviceWorker.oncontrollerchange = () => resolve();
      if (navigator.serviceWorker.controller) resolve();
    });
    await createFetch({ engine: engine!, ...(announces ? { fetch: announced() } : {}) })(url);
  },
  async push(url: string): Promise<number> {
    const queue = await openQueue();
    return queue.push({ delay: 0, notBefore: 0, attemptsUsed: 1 }, url);
  },
  async left(): Promise<number> {
    const queue = await openQueue();
    return (await queue.entries()).length;
  },
};
Object.assign(globalThis, { tools });
