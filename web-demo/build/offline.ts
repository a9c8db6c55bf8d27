/**
 * Tells the service worker which files the build has.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/** The file that a browser is told to register. It stands beside the page, for a worker sees nothing above it. */
export const WORKER = "sw.js";

/** Writes the list of the build's files, and a digest of them, into the service worker. */
export function offline(): Plugin {
  return {
    name: "refrain-offline",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const worker = bundle[WORKER];
        if (worker?.type !== "chunk") throw new Error(`expected \`${WORKER}\` in the build, among its inputs`);
        const files = Object.values(bundle).filter((file) => file !== worker);
        const digest = createHash("sha256");
        for (const file of files) digest.update(file.fileName).update(file.type === "chunk" ? file.code : file.source);
        // The page is asked for by its folder, and by its name.
        const names = ["./", ...files.map((file) => file.fileName)];
        const known = { FILES: names, DIGEST: digest.digest("hex").slice(0, 16) };
        const lines = Object.entries(known).map(([name, value]) => `const ${name}=${JSON.stringify(value)};`);
        worker.code = `${lines.join("")}${worker.code}`;
      },
    },
  };
}
