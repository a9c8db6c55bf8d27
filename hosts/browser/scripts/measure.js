// Runs `measure/main.ts`, which Node cannot read as it is, in the folder of the package.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const outfile = `${folder}/node_modules/.refrain/measure.mjs`;
await build({
  entryPoints: [`${folder}/measure/main.ts`],
  bundle: true,
  format: "esm",
  packages: "external",
  platform: "node",
  outfile,
});
await import(outfile);
