import { describe, expect, it } from "vitest";
import { COMMAND, EVENT, HAND_OVER, PARTS } from "../src/block.js";
import { FINISH, KEEP, RESPONSE, THIS, WAIT, type Engine } from "../src/engine.js";
import { createFetch } from "../src/fetch.js";
import { outcomeOf } from "../src/outcome.js";
import { TestTime } from "../src/testing.js";
import { URL_, bench, benchOver, pass, refusal, settled } from "./bench.js";
import { engineOf } from "./policy.js";

/**
 * An engine that does something else at certain calls: `handle` is told of the event, and may write another answer over
 * the last one.
 */
function broken(handle: (event: number, answer: Uint8Array) => boolean, engine: Engine = engineOf()): Engine {
  const answers = new WeakMap<Uint8Array, Uint8Array>();
  return {
    description: engine.description,
    call(name, block, headers) {
      const answer = answers.get(block);
      if (answer && handle(block[EVENT]!, answer)) return block.set(answer);
      engine.call(name, block, headers);
      answers.set(block, block.slice());
    },
  };
}

const trap = (): never => {
  throw new WebAssembly.RuntimeError("unreachable");
};

describe("without randomness", () => {
  const noEntropy = (): never => expect.fail("no randomness");

  it("nothing is sent", async () => {
    const { fetch, server } = bench({}, { entropy: noEntropy });
    const error = await refusal(fetch(URL_));
    expect(error).toMatchObject({ reason: "no-entropy", attempts: 0, maybeApplied: false });
    expect(error.cause).toMatchObject({ message: "no randomness" });
    expect(server.sends).toHaveLength(0);
  });

  it("an answer leads to no retry, and is withheld", async () => {
    let calls = 0;
    const { fetch, server } = bench({}, { entropy: () => (calls++ ? noEntropy() : 1) });
    const given = server.respond(503, {}, new ReadableStream());
    const error = await refusal(fetch(URL_));
    expect(error).toMatchObject({ reason: "no-entropy", attempts: 1, maybeApplied: true });
    await expect(given.body!.getReader().read()).resolves.toMatchObject({ done: true });
  });
});

it("a clock that fails before the policy was asked ends the request with a reason", async () => {
  const time = new TestTime();
  time.wall = () => expect.fail("no clock");
  const { fetch, server } = bench({}, { time });
  expect(await refusal(fetch(URL_))).toMatchObject({ reason: "engine-failed", attempts: 0 });
  expect(server.sends).toHaveLength(0);
});

describe("an engine that fails", () => {
  it("ends its request, and the next is served", async () => {
    let fails = true;
    const { fetch, server } = benchOver(broken((event) => event === RESPONSE && fails && trap()));
    server.respond(200);
    const error = await refusal(fetch(URL_));
    expect(error).toMatchObject({ reason: "engine-failed", response: undefined, attempts: 1 });
    expect(error.cause).toBeInstanceOf(WebAssembly.RuntimeError);
    fails = false;
    server.respond(200);
    expect((await fetch(URL_)).status).toBe(200);
  });

  it("while an attempt is in flight aborts it, and lets go of an answer that comes all the same", async () => {
    let answer!: (response: Response) => void;
    let signal: AbortSignal | null | undefined;
    const deaf: typeof fetch = (_, init) => {
      signal = init?.signal;
      return new Promise((resolve) => (answer = resolve));
    };
    const { fetch, session } = benchOver(broken(() => trap()), { fetch: deaf });
    const running = refusal(fetch(URL_));
    await settled();
    session.raise();
    expect(await running).toMatchObject({ reason: "engine-failed", attempts: 1, maybeApplied: true });
    expect(signal?.aborted).toBe(true);
    const late = new Response(new ReadableStream());
    answer(late);
    await settled();
    await expect(late.body!.getReader().read()).resolves.toMatchObject({ done: true });
  });

  it("while the answer arrives lets go of it, wherever it has got to", async () => {
    for (let turns = 0; turns < 9; turns++) {
      const { fetch, server, session } = benchOver(broken(() => trap()));
      const later = server.later();
      const running = refusal(fetch(URL_));
      await server.sent();
      const given = later.respond(200, {}, new ReadableStream());
      for (let turn = 0; turn < turns; turn++) await null;
      session.raise();
      expect(await running).toMatchObject({ reason: "engine-failed", response: undefined, attempts: 1 });
      await expect(given.body!.getReader().read(), `${turns}`).resolves.toMatchObject({ done: true });
    }
  });

  it("before anything was sent leaves the count as it was", async () => {
    const engine = { ...engineOf(), call: trap };
    const { fetch } = benchOver(engine);
    const resume = { notBefore: 0, attemptsUsed: 2 };
    const error = await refusal(fetch(URL_, { resume }));
    expect(error).toMatchObject({ reason: "engine-failed", attempts: 2, maybeApplied: false });
  });

  it.each([
    ["goes on with an attempt that is over", RESPONSE, (answer: Uint8Array) => (answer[COMMAND] = KEEP)],
    ["commands what is not known here", RESPONSE, (answer: Uint8Array) => (answer[COMMAND] = 5)],
    ["names a success without a response", WAIT, finish],
  ])("because it %s is refused", async (_, at, lie) => {
    let isAfter = false;
    const engine = broken((event, answer) => {
      isAfter ||= event === RESPONSE;
      if (event !== at && !(at === WAIT && isAfter && event !== RESPONSE)) return false;
      lie(answer);
      return true;
    });
    const { fetch, server, time } = benchOver(engine);
    server.respond(503);
    const running = refusal(fetch(URL_));
    if (at === WAIT) await pass(time);
    expect((await running).reason).toBe("engine-failed");
    expect(server.sends).toHaveLength(1);
  });

  it("because it repeats a wait that is over is refused", async () => {
    const engine = broken((event, answer) => event !== RESPONSE && answer[COMMAND] === WAIT);
    const { fetch, server, time } = benchOver(engine);
    server.respond(503);
    const running = refusal(fetch(URL_));
    await pass(time);
    expect(await running).toMatchObject({ reason: "engine-failed", cause: { name: "RangeError" } });
  });

  it("names an end that nobody knows, and sends nothing more", async () => {
    const engine = broken((event, answer) => {
      if (event !== RESPONSE) return false;
      finish(answer, 999);
      return true;
    });
    const { fetch, server } = benchOver(engine);
    server.respond(503);
    expect(outcomeOf(await fetch(URL_))?.reason).toBe("unknown");
    expect(server.sends).toHaveLength(1);
  });
});

function finish(answer: Uint8Array, end = 0): void {
  answer[COMMAND] = FINISH;
  new DataView(answer.buffer).setUint16(PARTS, end, true);
  answer[HAND_OVER] = THIS;
}

it("a limit that is none stays none while a clock makes a request of its own", async () => {
  const inner = bench();
  inner.server.respond(200);
  const time = new TestTime();
  let asked: Promise<Response> | undefined;
  const wall = (): null => {
    asked ??= inner.fetch(URL_);
    return null;
  };
  const clock = { mark: (up: boolean) => time.mark(up), sleep: time.sleep.bind(time), wall };
  const { fetch, server } = bench({}, { time: clock });
  const error = await refusal(fetch(URL_, { limits: { deadline: Number.NaN } }));
  expect(error.reason).toBe("invalid-input");
  expect(server.sends).toHaveLength(0);
  expect((await asked)?.status).toBe(200);
});

it("a status that is none ends the request as invalid input, and is taken for no other", async () => {
  for (const status of [2 ** 16 + 200, -1, 200.5, Number.NaN]) {
    const response = { status, headers: new Headers(), body: null } as Response;
    const { fetch } = bench({}, { fetch: async () => response });
    expect((await refusal(fetch(URL_))).reason, String(status)).toBe("invalid-input");
  }
});

describe("the retry budget", () => {
  /** How many tokens are left, in thousandths: an engine that looks on. */
  function watched(): { engine: Engine; left: () => number } {
    const engine = engineOf({ maxAttempts: 3 });
    let left = engine.description.budget!;
    return {
      engine: {
        description: engine.description,
        call(name, block, headers) {
          engine.call(name, block, headers);
          left = new DataView(block.buffer).getUint32(64, true);
        },
      },
      left: () => left,
    };
  }

  it("is shared by all requests of one fetch, and by no other", async () => {
    const { engine, left } = watched();
    const { fetch, server, time, network, session } = benchOver(engine);
    server.respond(503);
    server.respond(503);
    const running = [fetch(URL_), fetch(URL_)].map(refusal);
    await time.waitEntered();
    await time.waitEntered();
    expect(left()).toBe(490_000);
    server.respond(404);
    await createFetch({ engine, time, fetch: server.fetch, network })(URL_);
    expect(left()).toBe(500_000);
    session.raise();
    await Promise.all(running);
  });

  it("gets a token back whose retry is cancelled", async () => {
    const { engine, left } = watched();
    const { fetch, server, time } = benchOver(engine);
    const controller = new AbortController();
    server.respond(503);
    const running = fetch(URL_, { signal: controller.signal });
    await time.waitEntered();
    expect(left()).toBe(495_000);
    controller.abort("stop");
    await expect(running).rejects.toBe("stop");
    expect(left()).toBe(500_000);
  });

  it("gets a token back whose retry is refused", async () => {
    const { engine, left } = watched();
    const { fetch, server, time } = benchOver(engine);
    const bodies = [new Blob(["x"]).stream()];
    server.respond(503);
    const running = refusal(fetch(URL_, { method: "PUT", body: () => bodies.pop() ?? expect.fail("no body") }));
    await pass(time);
    expect((await running).reason).toBe("refused");
    expect(left()).toBe(500_000);
  });

  it("gets a token back when the engine fails once in the wait", async () => {
    const { engine, left } = watched();
    let fails = 1;
    const { fetch, server, time } = benchOver(broken((event) => event !== RESPONSE && fails-- > 0 && trap(), engine));
    server.respond(503);
    const running = refusal(fetch(URL_));
    await pass(time);
    expect((await running).reason).toBe("engine-failed");
    expect(left()).toBe(500_000);
  });

  it("that is empty ends requests with what they have", async () => {
    const { fetch, server, time } = bench();
    const reasons = new Set<string>();
    for (let i = 0; i < 40; i++) {
      for (let n = 0; n < 4; n++) server.respond(503);
      const running = fetch(URL_);
      for (let n = 0; n < 3 && server.left; n++) {
        if (await Promise.race([running.then(() => true), time.waitEntered().then((until) => time.setMark(until))])) break;
      }
      reasons.add(outcomeOf(await running)!.reason);
    }
    expect(reasons).toEqual(new Set(["attempts-used", "budget-empty"]));
  });
});
