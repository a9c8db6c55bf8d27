/**
 * The built page on a local server, and Chromium to open it.
 *
 * @module
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium, type Browser } from "playwright-core";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A served page. */
export interface Site {
  /** Ends with a slash. Its host is a name, by which a loopback server is a secure context. */
  readonly url: string;
  readonly close: () => void;
}

/**
 * Serves the build, each file compressed by gzip, as a server on the web would.
 *
 * @param answer is asked first, and says whether it answered: for requests that a panel sends
 */
export async function site(answer: (...call: Parameters<RequestListener>) => boolean = () => false): Promise<Site> {
  if (!existsSync(DIST)) throw new Error("expected the built page in `web-demo/dist`; `cargo xtask web --build-only` makes it");
  const server = createServer((request, response) => {
    if (answer(request, response)) return;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(DIST, normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    response.end(compressed(path));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function compressed(path: string): Buffer {
  const known = made.get(path) ?? gzipSync(readFileSync(path));
  made.set(path, known);
  return known;
}

const made = new Map<string, Buffer>();

/** Starts the Chromium that `REFRAIN_CHROMIUM` names, else Debian's. */
export async function browser(): Promise<Browser> {
  const executablePath = env["REFRAIN_CHROMIUM"] ?? "/usr/bin/chromium";
  try {
    return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  } catch (error) {
    throw new Error(`cannot start Chromium as \`${executablePath}\`; on Debian: \`apt-get install chromium\``, { cause: error });
  }
}
