/**
 * Texts as servers send them.
 *
 * @module
 */

/** A text as the bytes in which a server sends it, each of them a character of the same number. */
export function utf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
