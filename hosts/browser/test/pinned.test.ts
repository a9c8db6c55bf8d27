import { describe, expect, it } from "vitest";
import {
  FINISH,
  KEY_ABSENT,
  NETWORK_UNKNOWN,
  RESPONSE,
  SEND,
  THIS,
  WAIT,
  WAKE,
  decider,
  stepBuffer,
  type Event,
  type Fields,
  type Now,
  type Request,
  type Step,
} from "../src/engine.js";
import { METHODS } from "../src/names.js";
import { pinnedEngine } from "../src/pinned.js";
import { coreModule } from "./core.js";

const module = new WebAssembly.Module(coreModule());

const now: Now = {
  mark: 1_000_000,
  wall: null,
  session: 1,
  cancelled: false,
  network: NETWORK_UNKNOWN,
  sample: 0,
  tokens: 500_000,
  hold: null,
};

const get: Request = { method: METHODS.indexOf("GET"), key: KEY_ABSENT, replayable: true, attemptsUsed: 0 };

const answer = (status: number, retryAfter: string | null = null, attempt = 1): Event => ({
  event: RESPONSE,
  attempt,
  sends: 1,
  exhausted: false,
  status,
  fields: [retryAfter],
});

describe("the pinned engine", () => {
  it("says who its policy is", () => {
    expect(pinnedEngine(module).description).toEqual({
      name: "refrain-default",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      fields: ["retry-after"],
      budget: 500_000,
      maxAttempts: 4,
    });
  });

  it("is disturbed neither by fields that cannot be read nor by fields that ask it themselves", () => {
    const engine = pinnedEngine(module);
    const answered = (value: Fields["get"]): Step => {
      const deciding = decider({
        description: engine.description,
        call: (name, block, headers) => engine.call(name, block, headers && { get: value }),
      });
      const step = stepBuffer();
      deciding.start(get, now, step);
      return deciding.handle(step.execution, answer(503), now, step);
    };
    const plain = answered(() => "7");
    expect(plain).toMatchObject({ command: WAIT, delay: 7_000 });
    expect(() => answered(() => expect.fail("no field"))).toThrow("no field");
    const another = (): string => (engine.call("start", new Uint8Array(160)), "7");
    expect(answered(another)).toEqual(plain);
  });

  it("sends, waits at least as long as the server asks, sends again and hands a success over", () => {
    const engine = decider(pinnedEngine(module));
    const buffer = stepBuffer();
    expect(engine.start(get, now, buffer)).toMatchObject({ command: SEND, attempt: 1 });
    const wait = engine.handle(buffer.execution, answer(503, "2"), now, buffer);
    expect(wait).toMatchObject({ command: WAIT, until: 1_002_000, delay: 2_000, retryIndex: 0, bound: 2, hint: 1 });
    const early = engine.handle(buffer.execution, { event: WAKE }, { ...now, mark: 1_001_999 }, buffer);
    expect(early).toMatchObject({ command: WAIT, until: 1_002_000, delay: 1, bound: 0 });
    const late = { ...now, mark: 1_002_000 };
    expect(engine.handle(buffer.execution, { event: WAKE }, late, buffer)).toMatchObject({ command: SEND, attempt: 2 });
    const end = engine.handle(buffer.execution, answer(200, null, 2), late, buffer);
    expect(end).toMatchObject({ command: FINISH, end: 0, attempts: 2, maybeApplied: false, handOver: THIS, resume: null });
  });
});
