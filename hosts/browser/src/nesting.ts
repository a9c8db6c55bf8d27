/**
 * Layers that retry on top of one another: their sends are one count, and what one gave up on no other begins again.
 *
 * @module
 */

/**
 * What a layer puts into the `init` of an attempt, for a layer below. It survives `{ ...init }`, but no `new Request`.
 */
export const NESTING = Symbol.for("@refrain/fetch");

/** One layer of a logical request. */
export interface Layer {
  /** All sends, of all layers. */
  readonly count: { sends: number };
  /** The most sends that this layer and those above allow. */
  readonly max: number;
}

/** One attempt of a layer, as those below see it. */
export interface Nesting extends Partial<Layer> {
  /** What a caller in another process said of its own attempts; it retries what fails here. See `retriedAbove`. */
  readonly told?: string | undefined;
  /** A layer below counts the sends of this attempt. */
  joined?: boolean;
  /** A layer below gave up. */
  gaveUp?: boolean;
}

/** The layer of a request that had `used` sends before, below the attempt of another layer if there is one. */
export function join(above: Nesting | undefined, used: number, max: number, limit = max): Layer {
  const count = above?.count ?? { sends: 0 };
  if (above?.count && !above.joined) {
    above.joined = true;
    // The layer above counted its attempt as a send; those below it are the sends.
    count.sends--;
  }
  count.sends = Math.max(count.sends, used);
  return { count, max: Math.min(max, limit, above?.max ?? max) };
}
