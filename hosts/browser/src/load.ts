/**
 * Core modules that are files of their own, and their digests.
 *
 * @module
 */

/**
 * Downloads a module.
 *
 * @param integrity as of `fetch`: other bytes than these are refused, those of an error page among them
 * @throws TypeError if it cannot be downloaded, or is another
 */
export async function fetchModule(url: URL, integrity: string): Promise<BufferSource> {
  // A bundler may have turned the file into a `data:` URL, from which `connect-src` of a Content-Security-Policy would
  // keep `fetch`.
  const [, data] = url.href.split(";base64,");
  return data
    ? Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0))
    : (await fetch(url, { integrity })).arrayBuffer();
}

/** SHA-256 of bytes, in hexadecimal digits: what `refrain pin` and `refrain bundle` print, computed where it runs. */
export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
