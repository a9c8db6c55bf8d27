import { afterEach, describe, expect, it, vi } from "vitest";
import { NOW_OF_HANDLE, NOW_OF_START } from "../src/block.js";
import type { Engine, HostSettings } from "../src/engine.js";
import { createFetch } from "../src/fetch.js";
import { URL_, bench, benchOver, refusal } from "./bench.js";
import { engineOf } from "./policy.js";

const HOST: HostSettings = { key: null, budget: "policy", sessionRequired: false };

/** An engine, and the tokens that it was last told, in thousandths. */
function telling(): { engine: Engine; told: () => number } {
  const engine = engineOf();
  let told = -1;
  return {
    engine: {
      description: engine.description,
      call(name, block, headers) {
        if (name === "start") told = new DataView(block.buffer).getUint32(NOW_OF_START + 40, true);
        engine.call(name, block, headers);
      },
    },
    told: () => told,
  };
}

describe("what a document says to hosts", () => {
  /** Spends a token by the first request, and says what the second is told. */
  async function second(host: HostSettings, first: object, then: object, urls = [URL_, URL_]): Promise<number> {
    const { engine, told } = telling();
    const { fetch, server, time, session } = benchOver(engine, { host });
    server.respond(503);
    const running = refusal(fetch(urls[0]!, first));
    await time.waitEntered();
    server.respond(200);
    await fetch(urls[1]!, then);
    session.raise();
    await running;
    return told();
  }

  const [SHARED, OWN] = [495_000, 500_000];
  const other = "https://example.org/things";
  const port = "https://example.com:8443/";

  it("of a budget that all share holds for all servers", async () => {
    expect(await second(HOST, {}, {}, [URL_, other])).toBe(SHARED);
  });

  it("of a budget of each server tells host and port apart, and nothing else of the URL", async () => {
    const host = { ...HOST, budget: "host" } as const;
    expect(await second(host, {}, {}, [URL_, "https://EXAMPLE.com:443/else?x"])).toBe(SHARED);
    expect(await second(host, {}, {}, [URL_, other])).toBe(OWN);
    expect(await second(host, {}, {}, [URL_, port])).toBe(OWN);
    const { fetch, server } = benchOver(engineOf(), { host });
    server.respond(200);
    expect((await fetch(new Request(URL_))).status).toBe(200);
  });

  it("of a budget of each server leaves it to `fetch` to refuse what is no URL, also beside a budget that was used", async () => {
    const { fetch, server, time, session } = bench({}, { host: { ...HOST, budget: "host" } });
    const refused = async (): Promise<unknown> => {
      server.fail(new TypeError("no such URL"));
      return (await refusal(fetch("http://["))).reason;
    };
    expect(await refused()).toBe("not-retryable");
    server.respond(503);
    const running = refusal(fetch(URL_));
    await time.waitEntered();
    expect(await refused()).toBe("not-retryable");
    session.raise();
    await running;
  });

  it("of a budget of each key goes by the key that the caller names", async () => {
    const host = { ...HOST, budget: "key" } as const;
    expect(await second(host, { budgetKey: "a" }, { budgetKey: "a" })).toBe(SHARED);
    expect(await second(host, { budgetKey: "a" }, { budgetKey: "b" })).toBe(OWN);
    expect(await second(host, {}, {}, [URL_, other])).toBe(SHARED);
  });

  it("a token that came back is there for the next request", async () => {
    const { engine, told } = telling();
    const { fetch, server, time, session } = benchOver(engine);
    server.respond(503);
    const running = refusal(fetch(URL_));
    await time.waitEntered();
    session.raise();
    await running;
    server.respond(200);
    await fetch(URL_);
    expect(told()).toBe(OWN);
  });

  it("of a session that must be there refuses to begin without one", () => {
    const host = { ...HOST, sessionRequired: true };
    expect(() => createFetch({ engine: engineOf(), host })).toThrow("the policy requires a `session`");
    expect(benchOver(engineOf(), { host }).fetch).toBeTypeOf("function");
  });
});

describe("randomness", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("is the platform's, drawn many at a time, and each number is used once", async () => {
    let next = 0;
    const fill = vi.spyOn(crypto, "getRandomValues").mockImplementation((into) => {
      (into as unknown as Uint32Array).forEach((_, i) => ((into as unknown as Uint32Array)[i] = next++));
      return into;
    });
    const samples: number[] = [];
    const engine = engineOf();
    const seeing: Engine = {
      description: engine.description,
      call(name, block, headers) {
        const now = name === "start" ? NOW_OF_START : NOW_OF_HANDLE;
        samples.push(new DataView(block.buffer).getUint32(now + 36, true));
        engine.call(name, block, headers);
      },
    };
    const fetch = createFetch({ engine: seeing, fetch: async () => new Response("") });
    for (let i = 0; i < 40; i++) await fetch(URL_);
    expect(fill).toHaveBeenCalledTimes(2);
    expect([samples.length, new Set(samples).size, Math.max(...samples) < next]).toEqual([80, 80, true]);
  });
});
