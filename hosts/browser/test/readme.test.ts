import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const package_ = fileURLToPath(new URL("..", import.meta.url));
const compiler = join(package_, "node_modules/.bin/tsc");
/** Within the package, so that its own name is found. */
const folder = mkdtempSync(join(package_, "test/readme-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the examples take for known. */
const KNOWN = `
declare const createFetch: typeof import("@refrain/fetch").createFetch;
declare const watched: typeof import("@refrain/fetch").watched;
declare const made: import("@refrain/fetch/engine").Engine;
declare const engine: typeof made;
declare const policy: import("@refrain/fetch/engine").BundledPolicy<Promise<typeof made>>;
declare const session: import("@refrain/fetch").Session;
declare const key: import("@refrain/fetch").IdempotencyKey;
declare const order: { id: string };
declare const body: string;
declare const text: string;
declare const show: (data: unknown) => void;
declare const expect: typeof import("vitest").expect;
declare module "*/my-client.inline.js" {
  export const policy: import("@refrain/fetch/engine").BundledPolicy<import("@refrain/fetch/engine").Engine>;
  export const bytes: () => Uint8Array<ArrayBuffer>;
  export const coreSha256: string;
}
`;
/** What a page has made before, where an example does not make it. */
const MADE = "const fetch = createFetch({ engine: made, host: policy.host });";

it("each example in the readme is sound", () => {
  const examples = [...readFileSync(join(package_, "README.md"), "utf8").matchAll(/^```ts\n(.*?)^```/gms)];
  expect(examples.length).toBeGreaterThan(8);
  writeFileSync(join(folder, "known.d.ts"), KNOWN);
  examples.forEach(([, text], i) => {
    const made = text!.includes("const fetch =") ? "" : MADE;
    writeFileSync(join(folder, `example-${i}.ts`), `${made}\n${text}\nexport {};\n`);
  });
  const compilerOptions = { noUnusedLocals: false };
  const config = { extends: "../../tsconfig.json", compilerOptions, include: ["."] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = (): Buffer => execFileSync(compiler, ["--project", folder], { stdio: "pipe" });
  try {
    tsc();
  } catch (error) {
    expect.fail((error as { stdout: Buffer }).stdout.toString());
  }
}, 60_000);
