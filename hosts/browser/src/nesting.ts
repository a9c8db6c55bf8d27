/**
 * Layers that retry on top of one another: their sends are one count, none comes back before one that waits as the server
 * asked, and what one gave up on no other begins again.
 *
 * @module
 */

/** Where it stands in a `Nesting`, and in a `Layer`. */
export const SHARED = 0;
/** See `SHARED`. */
export const MAX = 1;
/** See `SHARED`. */
export const TOLD = 2;
/** Where it stands in a `Nesting`. */
export const EARLY = 3;
/** See `EARLY`. */
export const GAVE_UP = 4;

/**
 * What a layer puts into the `init` of an attempt, for a layer below. It survives `{ ...init }`, but no `new Request`.
 */
export const NESTING = Symbol.for("refrain");

/** One layer of a logical request. */
export type Layer = [
  shared: {
    /** All sends, of all layers. */
    sends: number;
    /**
     * The mark before which no layer sends: the end of the longest wait of one that the server asked to stay away. Layers
     * have one clock.
     */
    held: number;
  },
  /** The most sends that this layer and those above allow. */
  max: number,
  /** What a caller in another process said of its own attempts; it retries what fails here. See `retriedAbove`. */
  told: string | undefined,
];

/** One attempt of a layer, as those below see it. */
export type Nesting = [
  ...Partial<Layer>,
  /** Sends that were counted in advance: that of the attempt, until a layer below counts those that it makes. */
  early?: number,
  /** A layer below gave up. */
  gaveUp?: boolean,
];

/** The layer of a request that had `used` sends before, below the attempt of another layer if there is one. */
export function join(above: Nesting, used: number, most: number, limit = most): Layer {
  const [shared = { sends: 0, held: 0 }, max = limit, told, early = 0] = above;
  above[EARLY] = 0;
  shared.sends = Math.max(shared.sends - early, used);
  return [shared, Math.min(max, limit, most), told];
}
