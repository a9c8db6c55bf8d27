/**
 * Turns a document: how random its backoff is, and how many sends it allows.
 *
 * @module
 */

/**
 * Changes a document in canonical JSON.
 *
 * @param jitter which share of a backoff is random, in percent; `null` as it is written
 * @param sends all sends of a request, the first included; `null` as it is written
 */
export function adjusted(canonical: string, jitter: number | null, sends: number | null): string {
  const document = JSON.parse(canonical) as Canonical;
  if (jitter !== null) {
    const scaled = jitter === 0 ? "none" : jitter === 100 ? "full" : { low: (100 - jitter) / 100, high: 1 };
    for (const backoff of [document.backoff, document.backoff.transient, document.backoff.throttled]) {
      if (backoff) backoff.jitter = scaled;
    }
  }
  if (sends !== null) document.limits.max_attempts = sends;
  return JSON.stringify(document);
}

/** What of a document is turned. */
interface Canonical {
  readonly limits: { max_attempts: number };
  readonly backoff: Backoff & { readonly transient?: Backoff; readonly throttled?: Backoff };
}

interface Backoff {
  jitter: unknown;
}
