// Prints what a page downloads for an engine, compressed: glue and module, in both forms.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = fileURLToPath(new URL("..", import.meta.url));
const NAME = "browser-interactive";
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

async function bundled(form, charset) {
  const contents = `import { policy } from "@refrain/fetch/policies/${NAME}${form}"; globalThis.policy = policy;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    charset,
    format: "esm",
    minify: true,
    target: "es2022",
    write: false,
  });
  return outputFiles[0].contents;
}

const core = gzip(readFileSync(`${folder}/dist/generated/policies/${NAME}.core.wasm`));
const glue = gzip(await bundled("", "utf8"));
console.log(`separate: ${glue + core} bytes: glue ${glue}, module ${core}`);
for (const charset of ["utf8", "ascii"]) {
  console.log(`inline, written as ${charset}: ${gzip(await bundled(".inline", charset))} bytes`);
}
