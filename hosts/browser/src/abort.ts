/**
 * Listening to signals that many requests share: Node warns of a leak when a signal has more than ten listeners, so each
 * has one, which tells the rest. (`AbortSignal.any` would do, but in Node 20 a signal remembers all that were made of it.)
 *
 * @module
 */

/** Who listens to a signal. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

function hear(this: AbortSignal): void {
  listeners.get(this)!.forEach((listener) => listener());
}

/**
 * Calls `listener` when the signal is aborted.
 *
 * @returns what ends that
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const all = listeners.get(signal) ?? new Set();
  listeners.set(signal, all.add(listener));
  // Who is there is not added again.
  signal.addEventListener("abort", hear);
  return () => {
    all.delete(listener);
    if (!all.size) signal.removeEventListener("abort", hear);
  };
}
