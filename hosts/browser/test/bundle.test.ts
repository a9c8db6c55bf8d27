import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KEY_ABSENT, NETWORK_UNKNOWN, SEND, decider, stepBuffer, type BundledPolicy, type Engine } from "../src/engine.js";
import { fetchModule, pinnedEngine, sha256 } from "../src/pinned.js";

/** The ready-made policies as `refrain bundle` wrote them. */
const folder = new URL("../src/generated/policies/", import.meta.url);
const names = readdirSync(fileURLToPath(folder)).flatMap((name) => /^(.+)\.inline\.js$/.exec(name)?.[1] ?? []);

interface Bundle<B, E extends Engine | Promise<Engine>> {
  readonly artifactSha256: string;
  readonly coreSha256: string;
  readonly bytes: () => B;
  readonly policy: BundledPolicy<E>;
}
type Bytes = Uint8Array<ArrayBuffer>;
const inline = (name: string): Promise<Bundle<Bytes, Engine>> => import(new URL(`${name}.inline.js`, folder).href);
const separate = (name: string): Promise<Bundle<Promise<BufferSource>, Promise<Engine>>> =>
  import(new URL(`${name}.js`, folder).href);

const now = {
  mark: 0, wall: null, session: 1, cancelled: false, network: NETWORK_UNKNOWN, sample: 0, tokens: 500_000, hold: null,
} as const;
const get = { method: 0, key: KEY_ABSENT, replayable: true, attemptsUsed: 0 } as const;

afterEach(() => void vi.unstubAllGlobals());

describe("a policy as `refrain bundle` writes it", () => {
  it("is there for each ready-made one", () => expect(names).toContain("browser-interactive"));

  it.each(names)("%s: inline, it decides at once, and its digest can be computed where it runs", async (name) => {
    const { policy, bytes, coreSha256, artifactSha256 } = await inline(name);
    const engine = policy.engine();
    expect(engine.description).toEqual(pinnedEngine(new WebAssembly.Module(bytes())).description);
    expect(engine.description.name).toBe(name);
    expect(decider(engine).start(get, now, stepBuffer())).toMatchObject({ command: SEND, attempt: 1 });
    expect(await sha256(bytes())).toBe(coreSha256);
    expect(artifactSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("as a separate file is downloaded, compared with its digest, and the same", async () => {
    const { policy, coreSha256, bytes } = await separate("polite-default");
    const whole = await inline("polite-default");
    const asked: [string, RequestInit | undefined][] = [];
    vi.stubGlobal("fetch", async (url: URL, init?: RequestInit) => {
      asked.push([url.href, init]);
      return new Response(whole.bytes());
    });
    expect(policy.host).toEqual(whole.policy.host);
    expect(await sha256(await bytes())).toBe(coreSha256);
    expect((await policy.engine()).description).toEqual(whole.policy.engine().description);
    const integrity = `sha256-${Buffer.from(coreSha256, "hex").toString("base64")}`;
    expect(asked).toEqual(Array(2).fill([new URL("polite-default.core.wasm", folder).href, { integrity }]));
  });
});

describe("a module that is downloaded", () => {
  const served = new Uint8Array([0, 97, 115, 109]);

  it("may be a data URL, which is not fetched", async () => {
    vi.stubGlobal("fetch", () => { throw new Error("`connect-src` forbids it"); });
    const url = new URL(`data:application/wasm;base64,${Buffer.from(served).toString("base64")}`);
    expect(await fetchModule(url, "")).toEqual(served);
  });

  it.each([
    ["another than the one that was bundled", 200, Buffer.from([...served, 1])],
    ["an error page", 404, Buffer.from("no such file")],
  ])("is refused when it is %s", async (_, status, body) => {
    const server = createServer((_, response) => void response.writeHead(status).end(body));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x.wasm`);
    const integrity = (bytes: Uint8Array) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;
    try {
      await expect(fetchModule(url, integrity(served))).rejects.toThrow(TypeError);
      expect(new Uint8Array(await fetchModule(url, integrity(body)) as ArrayBuffer)).toEqual(new Uint8Array(body));
    } finally {
      server.close();
    }
  });

  it("that is no core module makes no engine", () => {
    const empty = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    expect(() => pinnedEngine(empty)).toThrow(TypeError);
  });
});
