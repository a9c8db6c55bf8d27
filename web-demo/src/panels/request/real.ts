/**
 * A request for real: the browser's own `fetch`, clock and network.
 *
 * @module
 */

import { browserNetwork, systemTime } from "@refrain/fetch";
import type { Compiled } from "@refrain/fetch/dynamic";
import { begin, type Run } from "./run.js";
import type { Press, Setup } from "./setup.js";

/** Begins one. Of what was pressed only that counts which came before the begin. */
export function realRun(setup: Setup, policy: Compiled, presses: readonly Press[], told: () => void): Run {
  let isCutOff = false;
  let listeners: readonly (() => void)[] = [];
  let cut = new AbortController();
  const network = {
    get online() {
      return isCutOff ? false : browserNetwork.online;
    },
    subscribe(listener: () => void) {
      listeners = [...listeners, listener];
      const unsubscribe = browserNetwork.subscribe(listener);
      return () => {
        listeners = listeners.filter((other) => other !== listener);
        unsubscribe();
      };
    },
  };
  return begin(
    setup,
    policy,
    {
      time: systemTime,
      network,
      url: setup.url || location.href,
      async fetch(input, init) {
        expectWeb(String(input));
        const lost = cut.signal;
        const signal = init?.signal ? AbortSignal.any([init.signal, lost]) : lost;
        // Past every cache, this page's own too: the server itself is asked each time.
        return fetch(input, { ...init, signal, cache: "no-store" });
      },
      setOnline(online) {
        isCutOff = !online;
        if (isCutOff) cut.abort(new TypeError("the network is gone"));
        else cut = new AbortController();
        for (const listener of listeners) listener();
      },
    },
    presses,
    told,
  );
}

/** Throws where the page may not go: its Content-Security-Policy would refuse that, as a fault of the page. */
function expectWeb(url: string): void {
  const { protocol } = new URL(url, location.href);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`expected an address of \`http:\` or \`https:\`, found \`${protocol}\``);
}
