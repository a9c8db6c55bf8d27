/**
 * A field value as the policy sees it: bytes, each of which stands as a character of the same number, as `Headers.get`
 * gives them.
 *
 * @module
 */

import { utf8 } from "../../wire.js";

/** How a text is made bytes. */
export type Encoding = "utf-8" | "latin-1";

/** What a server would send for a text. A text that has no Latin-1 is sent as UTF-8. */
export function encode(text: string, encoding: Encoding): string {
  if (encoding === "latin-1" && !/[^\0-\xff]/.test(text)) return text;
  return utf8(text);
}

/** The same in hexadecimal digits, two a byte. */
export function hex(bytes: string): string {
  return [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** The text of bytes in hexadecimal digits, which are UTF-8. */
export function textOf(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, (byte) => parseInt(byte, 16)));
}

/** Bytes for people: what is no printable ASCII as `\xa0`. */
export function visible(bytes: string): string {
  return [...bytes].map((byte) => (/[ -~]/.test(byte) ? byte : `\\x${hex(byte)}`)).join("");
}

/** A text for people, in which what cannot be seen, or not at its end, stands as `\u{200b}`. */
export function shown(text: string): string {
  const code = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return text.replace(/\p{C}|(?! )\p{Z}|^ | $/gu, code);
}
