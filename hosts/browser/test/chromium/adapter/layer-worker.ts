/** A service worker that retries what its pages send, which may retry too. */

import { retriedAbove } from "../../../src/announce.js";
import { createFetch, type Fetch } from "../../../src/fetch.js";
import { pinnedEngine } from "../../../src/pinned.js";

interface FetchEvent extends Event {
  readonly request: Request;
  waitUntil(ended: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

const scope = globalThis as unknown as { skipWaiting(): Promise<void>; clients: { claim(): Promise<void> } };
let made: Promise<Fetch> | undefined;

async function make(): Promise<Fetch> {
  const module = await fetch(`/module?${encodeURIComponent(JSON.stringify({ base: 0 }))}`);
  return createFetch({ engine: pinnedEngine(new WebAssembly.Module(await module.arrayBuffer())) });
}

async function answer(request: Request): Promise<Response> {
  return (await (made ??= make()))(request, retriedAbove(request.headers));
}

addEventListener("install", (event) => (event as FetchEvent).waitUntil(scope.skipWaiting()));
addEventListener("activate", (event) => (event as FetchEvent).waitUntil(scope.clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event as FetchEvent;
  if (new URL(request.url).pathname.startsWith("/run/")) (event as FetchEvent).respondWith(answer(request));
});
