/** Runs scenarios in a page, or asks its worker or service worker to. */

import { run } from "./all.js";
import type { Origins } from "./place.js";

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
