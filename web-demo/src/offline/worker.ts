/**
 * The service worker: keeps every file of the build, so that the page works without a network once it was opened.
 *
 * @module
 */

/** The files of the build, and what differs when one of them does; written by `build/offline.ts`. */
declare const FILES: readonly string[];
declare const DIGEST: string;

const worker = self as unknown as ServiceWorkerGlobalScope;
const PREFIX = "refrain-";
const NAME = PREFIX + DIGEST;
const KEPT = new Set(FILES.map((file) => new URL(file, self.location.href).href));

worker.addEventListener("install", (event) => event.waitUntil(keep()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  url.hash = "";
  // Who asks for what is not stored wants the server's own answer: a request that a panel follows.
  if (event.request.method !== "GET" || event.request.cache === "no-store" || !KEPT.has(url.href)) return;
  event.respondWith(kept(event.request));
});

async function keep(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll([...KEPT].map((url) => new Request(url, { cache: "reload" })));
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(NAME);
  return (await cache.match(request, { ignoreVary: true })) ?? fetch(request);
}
