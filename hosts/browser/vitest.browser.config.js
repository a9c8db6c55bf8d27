import { defineConfig } from "vitest/config";

// What needs a browser: Debian's Chromium, or the one that REFRAIN_CHROMIUM names.
export default defineConfig({ test: { include: ["test/**/*.browser.ts"], hookTimeout: 60_000 } });
