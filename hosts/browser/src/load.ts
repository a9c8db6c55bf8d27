/**
 * Core modules that are files of their own, and their digests.
 *
 * @module
 */

/**
 * Downloads a module.
 *
 * @param integrity as of `fetch`: the browser refuses other bytes than these
 * @throws TypeError if it cannot be downloaded, or is another
 */
export async function fetchModule(url: URL, integrity: string): Promise<Uint8Array<ArrayBuffer>> {
  // Where a bundler turned the file into a URL, `connect-src` of a Content-Security-Policy would keep `fetch` from it.
  if (url.protocol === "data:") {
    return Uint8Array.from(atob(url.href.slice(url.href.indexOf(",") + 1)), (byte) => byte.charCodeAt(0));
  }
  const response = await fetch(url, { integrity });
  if (!response.ok) throw new TypeError(`cannot download the policy: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** SHA-256 of bytes, in hexadecimal digits: what `refrain pin` and `refrain bundle` print, computed where it runs. */
export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
