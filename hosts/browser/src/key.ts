/**
 * The idempotency key of one logical request: made or brought once, the same on every attempt.
 *
 * @module
 */

/** A key, and the request field that carries it. Made by `idempotencyKey`. */
export interface IdempotencyKey {
  /** Name of the field. Across origins the server must allow it (`Access-Control-Allow-Headers`). */
  readonly field: string;
  /** The key as it stands there. */
  readonly value: string;
}

/** How a key is sent. */
export interface KeyForm {
  /** Name of the field; `Idempotency-Key` without it. */
  readonly field?: string;
  /** Whether the key stands in quotes there, as the IETF draft has it. */
  readonly quoted?: boolean;
}

/**
 * A key under which a server does a thing once, however often it is asked. Make one for each thing that is to happen once, and
 * use it again when the same thing is tried later.
 *
 * @param key that of the business operation, such as `order-4711`; a random UUID without it
 * @throws TypeError for a key that does not go onto the wire the same way in every form. It is not repeated
 */
export function idempotencyKey(key: string = crypto.randomUUID(), form: KeyForm = {}): IdempotencyKey {
  if (!/^[!#-[\]-~]{1,255}$/.test(key)) {
    throw new TypeError("expected a key of 1 to 255 visible ASCII characters, without blanks, quotes and backslashes");
  }
  return { field: form.field ?? "Idempotency-Key", value: form.quoted ? `"${key}"` : key };
}
