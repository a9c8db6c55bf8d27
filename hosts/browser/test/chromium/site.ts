/** A loopback site with a strict Content-Security-Policy, and Chromium to look at it. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { env } from "node:process";
import { chromium, type Browser } from "playwright-core";

/** Scripts and wasm of the site's own, and nothing else. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Bytes or text by path, without the slash. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
};

/** Serves files, each with `headers` too; `url` ends with a slash. */
export async function site(files: Files, headers: Readonly<Record<string, string>> = {}): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname.slice(1) || "index.html";
    const body = files[name];
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain";
    const own = { "content-type": type, "content-security-policy": POLICY };
    response.writeHead(body === undefined ? 404 : 200, { ...own, ...headers });
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

/** Starts the Chromium that `REFRAIN_CHROMIUM` names, else Debian's. */
export async function browser(): Promise<Browser> {
  const executablePath = env["REFRAIN_CHROMIUM"] ?? "/usr/bin/chromium";
  try {
    return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  } catch (error) {
    throw new Error(`cannot start Chromium as \`${executablePath}\`; on Debian: \`apt-get install chromium\``, { cause: error });
  }
}
