// Prints what a page downloads, compressed: for an engine, and for a `createFetch` over it, with its module in both forms.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = fileURLToPath(new URL("..", import.meta.url));
const NAME = "browser-interactive";
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

const USES = {
  engine: "globalThis.engine = policy.engine();",
  createFetch: `import { createFetch } from "@refrain/fetch";
    globalThis.fetch = createFetch({ engine: await policy.engine(), host: policy.host });`,
};

async function scripts(use, form, charset) {
  const contents = `import { policy } from "@refrain/fetch/policies/${NAME}${form}"; ${USES[use]}`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    charset,
    format: "esm",
    minify: true,
    target: "es2022",
    write: false,
  });
  return gzip(outputFiles[0].contents);
}

const core = gzip(readFileSync(`${folder}/dist/generated/policies/${NAME}.core.wasm`));
for (const use of Object.keys(USES)) {
  const separate = await scripts(use, "", "utf8");
  const [utf8, ascii] = [await scripts(use, ".inline", "utf8"), await scripts(use, ".inline", "ascii")];
  console.log(`${use}, separate: ${separate + core} bytes, scripts ${separate} and module ${core}`);
  console.log(`${use}, inline: ${utf8} bytes, with ASCII output ${ascii}`);
}
