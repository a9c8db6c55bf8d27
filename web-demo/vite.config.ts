import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { WORKER, offline } from "./build/offline.js";
import { page } from "./build/page.js";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Works in any folder of any server.
  base: "./",
  plugins: [page(), offline()],
  build: {
    target: "es2022",
    // A `data:` URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: at("index.html"), sw: at("src/offline/worker.ts") },
      output: { entryFileNames: ({ name }) => (name === "sw" ? WORKER : "assets/[name]-[hash].js") },
    },
  },
  worker: { format: "es" },
  server: { fs: { allow: [at("."), at("../hosts/browser"), at("../policy-core/document/policies")] } },
  // A test waits for Chromium most of its time, so two files at once are faster, also on two cores.
  test: { include: ["e2e/**/*.test.ts"], maxWorkers: 2, testTimeout: 30_000, hookTimeout: 120_000 },
});
