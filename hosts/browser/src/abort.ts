/**
 * Listening to signals that many requests share: Node warns of a leak when a signal has more than ten listeners, so each
 * has one, which tells the rest.
 *
 * @module
 */

/** Those who listen to one signal. */
class Heard {
  readonly listeners = new Set<() => void>();

  handleEvent(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

const signals = new WeakMap<AbortSignal, Heard>();

/**
 * Calls `listener` when the signal is aborted.
 *
 * @returns what ends that
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let heard = signals.get(signal);
  if (!heard) signals.set(signal, (heard = new Heard()));
  const { listeners } = heard;
  // Who is there is not added again.
  signal.addEventListener("abort", heard);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (!listeners.size) signal.removeEventListener("abort", heard);
  };
}
