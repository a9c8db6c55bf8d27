/**
 * The idempotency key of one logical request: made or brought once, the same on every attempt.
 *
 * @module
 */

declare const checked: unique symbol;

/** A key that goes onto the wire the same way in every form. Made by `idempotencyKey`. */
export type IdempotencyKey = string & { readonly [checked]: true };

/**
 * A key under which a server does a thing once, however often it is asked. Make one for each thing that is to happen
 * once, and use it again when the same thing is tried later.
 *
 * @param key that of the business operation, such as `order-4711`; a random UUID without it, which needs a secure
 * context
 * @throws TypeError for one that is no key. It is not repeated: a key is nobody else's business
 */
export function idempotencyKey(key: string = random()): IdempotencyKey {
  if (/^[!#-[\]-~]{1,255}$/.test(key)) return key as IdempotencyKey;
  throw new TypeError("expected a key of 1 to 255 visible ASCII characters, without blanks, quotes and backslashes");
}

function random(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  throw new TypeError("expected a key, since a random one can be had in a secure context (HTTPS) alone");
}
