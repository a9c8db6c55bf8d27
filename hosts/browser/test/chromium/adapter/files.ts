/** What the page's own server serves. */

import { build } from "esbuild";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { bakedCore } from "../../policy.js";

const HTML = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>';

/** Scripts by their path, bundled. */
export async function scripts(): Promise<Map<string, string>> {
  const bundled = async (name: string): Promise<string> => {
    const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
    const bundle = { bundle: true, format: "esm", target: "es2022", write: false } as const;
    const { outputFiles } = await build({ entryPoints: [entry], ...bundle });
    return outputFiles[0]!.text;
  };
  const worker = await bundled("worker");
  return new Map([
    ["/page.js", await bundled("page")],
    ["/worker.js", worker],
    ["/service-worker.js", worker],
    ["/sync-worker.js", await bundled("sync-worker")],
    ["/layer-worker.js", await bundled("layer-worker")],
  ]);
}

/** Serves pages, one of them with a strict policy that lets it reach the servers alone, scripts and modules. */
export function files(sources: ReadonlyMap<string, string>, origins: () => readonly string[]) {
  return (url: string, response: ServerResponse): boolean => {
    const [path, query = ""] = url.split("?") as [string, string?];
    const source = sources.get(path);
    if (source !== undefined) return end(response, "text/javascript", source);
    if (path === "/page") return end(response, "text/html", HTML);
    if (path === "/strict") {
      const reach = `connect-src 'self' ${origins().join(" ")}; worker-src 'self'`;
      const csp = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ${reach}`;
      response.setHeader("content-security-policy", csp);
      return end(response, "text/html", HTML);
    }
    if (path !== "/module") return false;
    return end(response, "application/wasm", bakedCore(JSON.parse(decodeURIComponent(query))));
  };
}

function end(response: ServerResponse, type: string, body: string | Uint8Array): true {
  response.setHeader("content-type", type);
  response.end(body);
  return true;
}
