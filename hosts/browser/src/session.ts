/**
 * Who is signed in.
 *
 * @module
 */

/** Who is signed in, for all requests that are made with it. */
export interface Session {
  /** The generation of whoever is signed in: 0 to 2^53 − 1. */
  readonly current: number;
  /** Is aborted when this generation ends. */
  readonly signal: AbortSignal;

  /**
   * Begins a new generation, and ends the requests of the old one.
   *
   * To be called at every sign-in, sign-out and switch of account, also when the same user signs in again, and never
   * for a token that is refreshed. Another tab has a session of its own: tell it, for example by a `BroadcastChannel`.
   *
   * @returns the new generation
   */
  raise(): number;
}

/**
 * Makes a session handle.
 *
 * @param first its first generation; without it a random one, so that none comes twice, also not after a reload
 */
export function createSession(first = randomGeneration()): Session {
  let current = first;
  let generation = new AbortController();
  return {
    get current() {
      return current;
    },
    get signal() {
      return generation.signal;
    },
    raise() {
      const ended = generation;
      const raised = (current = (current + 1) % 2 ** 53);
      generation = new AbortController();
      ended.abort(new DOMException("another session is signed in", "AbortError"));
      return raised;
    },
  };
}

function randomGeneration(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return (high >>> 11) * 2 ** 32 + low;
}
