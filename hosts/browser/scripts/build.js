// Writes `dist`: the compiled sources, and what `cargo xtask browser` generated beside them. And the licences, which a package
// carries in its own folder.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));

if (!existsSync(`${folder}/src/generated/dynamic.wasm`)) {
  console.error("error: there is no `src/generated/dynamic.wasm`; `cargo xtask browser` builds it and this package");
  process.exit(1);
}
rmSync(`${folder}/dist`, { recursive: true, force: true });
execFileSync(`${folder}/node_modules/.bin/tsc`, ["--project", "tsconfig.build.json"], { cwd: folder, stdio: "inherit" });
cpSync(`${folder}/src/generated`, `${folder}/dist/generated`, { recursive: true });
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(`${folder}/../../${licence}`, `${folder}/${licence}`);
