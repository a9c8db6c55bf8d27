// Writes `src/panels/header/measured.json`: what well-known clients made of odd Retry-After values when they were run.
//
//   npm run measured -- RETRY_AFTER_JSON
//
// The file is `retry_after.json` of the case collection that `cargo xtask import-cases` reads too. In it, `peers_observed`
// holds what named versions of real programs answered; nothing here is computed from the values.

import { readFileSync, writeFileSync } from "node:fs";
import { argv, exit } from "node:process";
import { fileURLToPath } from "node:url";

/** The clients, in the order of their answers: their key in the collection, name, version, and the unit of their numbers. */
const CLIENTS = [
  { key: "urllib3-2.7.0(s)", unit: "s", name: "urllib3", version: "2.7.0", language: "Python" },
  { key: "ky-HEAD(ms)", unit: "ms", name: "ky", version: "development head", language: "JavaScript" },
  { key: "axios-retry-4(ms)", unit: "ms", name: "axios-retry", version: "4", language: "JavaScript" },
  { key: "undici-rule(ms)", unit: "ms", name: "undici", version: "its rule, run alone", language: "JavaScript" },
  { key: "headers-0.4.2", unit: "s", name: "headers", version: "0.4.2", language: "Rust" },
];

const [, , path] = argv;
if (!path) {
  console.error("error: expected the path of the case collection's `retry_after.json`");
  exit(2);
}
const cases = JSON.parse(readFileSync(path, "utf8"))
  .filter(({ peers_observed }) => peers_observed && CLIENTS.every(({ key }) => key in peers_observed))
  .map(({ source, published, input, peers_observed }) => ({
    source,
    // What the source's own tests say of it: `accept`, seconds or `false`; or `policy`, in words.
    published: published ?? {},
    // Lines of one name are joined as `fetch` does it: by a comma and a space.
    bytes: input.field_lines_hex.join("2c20"),
    now: input.now_unix,
    date: input.date_header,
    answers: CLIENTS.map(({ key }) => peers_observed[key]),
  }));
const clients = CLIENTS.map(({ name, version, language, unit }) => ({ name, version, language, unit }));
const lines = [`{"clients": ${JSON.stringify(clients)},`, `"cases": [`, cases.map((one) => JSON.stringify(one)).join(",\n"), "]}", ""];
writeFileSync(fileURLToPath(new URL("../src/panels/header/measured.json", import.meta.url)), lines.join("\n"));
console.log(`wrote ${cases.length} values and what ${clients.length} clients made of them`);
