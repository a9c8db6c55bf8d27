/** Runs scenarios in a worker or a service worker. */

import { run } from "./all.js";

interface Asked extends Event {
  readonly data: Parameters<typeof run>;
  readonly ports: readonly MessagePort[];
  waitUntil?(until: Promise<unknown>): void;
}

addEventListener("message", (event) => {
  const { data, ports } = event as Asked;
  const ended = run(...data).then((result) => {
    if (ports[0]) ports[0].postMessage(result);
    else (globalThis as unknown as { postMessage(result: unknown): void }).postMessage(result);
  });
  (event as Asked).waitUntil?.(ended);
});
