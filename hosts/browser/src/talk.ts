/**
 * A talk with the policy about one logical request: what it is asked, and when it is asked again.
 *
 * @module
 */

import { onAbort } from "./abort.js";
import { asking, type Ask, type Asking } from "./ask.js";
import { COMMAND, PARTS, get } from "./block.js";
import type { Host } from "./fetch.js";
import type { Layer } from "./nesting.js";
import { AWAIT_NETWORK, WAIT } from "./numbers.js";

/** A talk, a function for each thing that a request does in it. What an attempt needs stands first. */
export type Talk = readonly [
  ask: Ask,
  refuse: Asking[1],
  /** Tells the policy if something has changed, and says whether the attempt that it commanded last goes on. */
  goesOn: () => boolean,
  /** Waits for a part of an attempt until a mark, or until the policy gives the attempt up. Says whether it is over. */
  within: (part: Promise<unknown>, limit: number) => Promise<boolean>,
  close: Asking[2],
  /** Waits as it is commanded, asks what comes next, and returns the mark that the policy was told. */
  pause: () => Promise<number>,
  /** Listens no longer. */
  end: () => void,
];

/**
 * Begins a talk.
 *
 * @param bytes a block of zeros: what the policy is asked, and what it answered last
 * @param budget who shares its retry budget
 * @param shared what layers of the request share
 */
export function talkOf(
  host: Host,
  bytes: Uint8Array,
  signal: AbortSignal | null | undefined,
  budget: () => string,
  shared: Layer[0],
): Talk {
  const { time, network } = host;
  const [ask, refuse, close] = asking(host, bytes, signal, budget, shared);
  // Something outside has changed of which the policy was not told.
  let hasChanged = false;
  let stir = (): void => {};
  const change = (): void => {
    hasChanged = true;
    stir();
  };
  const unheard = [signal, host.session?.signal].map((source) => source && onAbort(source, change));
  // Ends when something has changed, at the mark, or early.
  const rest = (until: number): Promise<void> =>
    new Promise((resolve) => {
      const stop = until < Infinity ? time.sleep(until, resolve) : undefined;
      stir = () => {
        stop?.();
        resolve();
      };
      if (hasChanged) stir();
    });
  const wake = (): number => {
    hasChanged = false;
    return ask();
  };
  const pause = async (): Promise<number> => {
    const command = bytes[COMMAND];
    if (command === AWAIT_NETWORK) unheard[2] ??= network.subscribe(change);
    // Outside an attempt there is nothing to keep doing, and of a command that is not known here nothing at all is done.
    else if (command !== WAIT) disobey();
    await rest(get(bytes, PARTS, 8));
    const at = wake();
    // What was waited for is over; another wait is one for something else.
    if (bytes[COMMAND] === command && get(bytes, PARTS, 8) <= at) disobey();
    return at;
  };
  const goesOn = (): boolean => {
    if (hasChanged) wake();
    return bytes[COMMAND]! < WAIT;
  };
  const within = async (part: Promise<unknown>, limit: number): Promise<boolean> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
      stir();
    };
    part.then(over, over);
    do await rest(limit);
    while (goesOn() && !isOver && time.mark(false) < limit);
    return isOver;
  };
  const end = (): void => unheard.forEach((unhear) => unhear?.());
  return [ask, refuse, goesOn, within, close, pause, end];
}

function disobey(): never {
  throw new RangeError("expected another command");
}
