/**
 * Request bodies, by the one thing that matters to a retry: whether they can be sent again.
 *
 * @module
 */

/** A body, or none: `undefined` leaves it to the `Request` that was given. */
export type Sendable = BodyInit | null | undefined;

/** Makes a body anew for each attempt, such as a stream. Each must carry the same bytes. */
export type BodyFactory = () => BodyInit | Promise<BodyInit>;

/** Gives the body of the next attempt; `undefined` if it can be sent only once. */
export type Replay = (() => Sendable | Promise<Sendable>) | undefined;

/**
 * Takes a body as it is at this moment, as `fetch` does.
 *
 * @param headers gets the type of a `FormData`, whose boundary must stay the same, unless it has one
 */
export function replayOf(body: Sendable | BodyFactory, headers: Headers): Replay {
  if (typeof body === "function") {
    let made: Replay;
    // What can be sent again is: under one key no other payload may be sent.
    return async () => {
      if (made) return made();
      const first = await body();
      made = replayOf(first, headers);
      return made ? made() : first;
    };
  }
  if (body instanceof FormData) {
    const form = new Response(body);
    form.headers.forEach((value, name) => headers.has(name) || headers.set(name, value));
    let whole: Promise<Blob> | undefined;
    return () => (whole ??= form.blob());
  }
  // Those that the caller could change before the next attempt are copied.
  const copy =
    body instanceof URLSearchParams ? new URLSearchParams(body)
    : body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? new Blob([body as BlobPart])
    : body;
  // What is neither copied nor immutable is a stream, or nobody knows what.
  return copy !== body || Object(body) !== body || body instanceof Blob ? () => copy : undefined;
}
