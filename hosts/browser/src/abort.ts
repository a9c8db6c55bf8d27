/**
 * Listening to signals that many requests share: Node warns of a leak when a signal has more than ten listeners, so each
 * has one, which tells the rest. (`AbortSignal.any` would do, but in Node 20 a signal remembers all that were made of it.)
 *
 * @module
 */

/** Those who listen to one signal. */
class Heard extends Set<() => void> {
  handleEvent(): void {
    for (const listener of [...this]) listener();
  }
}

const signals = new WeakMap<AbortSignal, Heard>();

/**
 * Calls `listener` when the signal is aborted.
 *
 * @returns what ends that
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const heard = signals.get(signal) ?? new Heard();
  signals.set(signal, heard);
  // Who is there is not added again.
  signal.addEventListener("abort", heard);
  heard.add(listener);
  return () => {
    heard.delete(listener);
    if (!heard.size) signal.removeEventListener("abort", heard);
  };
}
