import binaryen from "binaryen";
import { describe, expect, it } from "vitest";
import { FINISH, KEY_ABSENT, NETWORK_UNKNOWN, RESPONSE, SEND, WAIT, WAKE, decider, stepBuffer, type Now } from "../src/engine.js";
import { compilerOf } from "../src/dynamic.js";
import { ENDS } from "../src/names.js";
import { bundledEngine, pinnedEngine } from "../src/pinned.js";
import { coreModule, dynamicModule } from "./core.js";

const module = new WebAssembly.Module(coreModule());
const get = { method: 0, key: KEY_ABSENT, replayable: true, attemptsUsed: 0 } as const;
const now: Now = {
  mark: 5_000,
  wall: 1_000_000,
  session: 1,
  cancelled: false,
  network: NETWORK_UNKNOWN,
  sample: 0,
  tokens: 500_000,
  hold: 0,
};
const invalid = { command: FINISH, end: 66 };
const noNumbers = [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 2 ** 64];

const slot = (() => {
  const core = coreModule();
  const at = Buffer.from(core.buffer).indexOf("refrain.policy\0\x01");
  return core.slice(at, at + 640);
})();
const engines = {
  pinned: decider(pinnedEngine(module)),
  dynamic: decider(compilerOf(dynamicModule()).fromSlot(slot)),
};

describe.each(Object.entries(engines))("in the %s engine, a number that is none ends the request as invalid input", (_, engine) => {
  it.each(["mark", "wall", "session", "sample", "tokens", "hold"] as const)("in `now.%s`", (member) => {
    const limit = member === "sample" || member === "tokens" ? [2 ** 32] : [];
    for (const number of [...noNumbers, ...limit]) {
      const step = engine.start(get, { ...now, [member]: number }, stepBuffer());
      expect(step, String(number)).toMatchObject(invalid);
    }
    expect(ENDS[66]).toBe("invalid-input");
  });

  it.each(["maxAttempts", "deadline", "maxWait", "attemptsUsed", "notBefore"] as const)("in `request.%s`", (member) => {
    for (const number of noNumbers) {
      const step = engine.start({ ...get, [member]: number }, now, stepBuffer());
      expect(step, String(number)).toMatchObject(invalid);
    }
  });

  it.each(["mark", "wall", "sample", "tokens", "hold"] as const)("in `now.%s`, when a request goes on", (member) => {
    for (const number of noNumbers) {
      const buffer = stepBuffer();
      engine.start(get, now, buffer);
      const step = engine.handle(buffer.execution, { event: WAKE }, { ...now, [member]: number }, buffer);
      expect(step, String(number)).toMatchObject(invalid);
    }
  });

  it.each(["attempt", "sends", "status"] as const)("in `event.%s`", (member) => {
    const of = { event: RESPONSE, attempt: 1, sends: 1, exhausted: false, status: 503, fields: [] } as const;
    for (const number of [...noNumbers, member === "status" ? 2 ** 16 : 2 ** 32]) {
      const buffer = stepBuffer();
      engine.start(get, now, buffer);
      const step = engine.handle(buffer.execution, { ...of, [member]: number }, now, buffer);
      expect(step, String(number)).toMatchObject(invalid);
    }
  });

  it("and the next call is answered", () => {
    engine.start(get, { ...now, mark: Number.NaN }, stepBuffer());
    expect(engine.start(get, now, stepBuffer())).toMatchObject({ command: SEND });
  });
});

describe.each(Object.entries(engines))("in the %s engine, a value of a field", (_, engine) => {
  const hinted = (value: string) => {
    const buffer = stepBuffer();
    engine.start(get, now, buffer);
    const event = { event: RESPONSE, attempt: 1, sends: 1, exhausted: false, status: 503, fields: [value] } as const;
    const step = engine.handle(buffer.execution, event, now, buffer);
    return step.command === WAIT || step.command === FINISH ? step.hint : `command ${step.command}`;
  };

  it("is read by char codes, and a character that is no byte is never taken for one", () => {
    expect(hinted("2")).toBe(1);
    expect(hinted(String.fromCharCode(0x100 + "2".charCodeAt(0)))).toBe(17);
  });

  it("that the policy does not name is not looked at", () => {
    const buffer = stepBuffer();
    engine.start(get, now, buffer);
    const fields = ["2", ...Array<string>(10_000).fill("x".repeat(1_024))];
    const event = { event: RESPONSE, attempt: 1, sends: 1, exhausted: false, status: 503, fields } as const;
    expect(engine.handle(buffer.execution, event, now, buffer)).toMatchObject({ command: WAIT, delay: 2_000 });
  });

  it("of any length is cut to what the policy refuses as too long", () => {
    expect(hinted("1".repeat(1_023))).toBe(18);
    for (const length of [1_024, 1_025, 1_000_000]) expect(hinted("1".repeat(length)), `${length}`).toBe(20);
  });
});

/**
 * A module of the interface's shape. `start` counts its calls in the tokens of its step, and commands what stands in
 * the low byte of the deadline, of which 255 is a trap; after one with `maxWait`, parameters are refused.
 */
const scripted = (() => {
  const built = binaryen.parseText(`(module
    (memory (export "memory") 1 1)
    (global $calls (mut i32) (i32.const 0))
    (global $refuse (mut i32) (i32.const 0))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
      (if (result i32) (global.get $refuse) (then (i32.const -8)) (else (i32.const 4096))))
    (func (export "refrain:policy/policy@1.0.0#describe") (result i32) (i32.const 0))
    (func (export "refrain:policy/policy@1.0.0#handle") (param i32) (result i32) (unreachable))
    (func (export "refrain:policy/policy@1.0.0#start") (param i32) (result i32)
      (if (i32.eq (i32.load8_u offset=24 (local.get 0)) (i32.const 255)) (then (unreachable)))
      (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
      (global.set $refuse (i32.load8_u offset=32 (local.get 0)))
      (i32.store offset=1064 (i32.const 0) (global.get $calls))
      (i32.store8 offset=1072 (i32.const 0) (i32.load8_u offset=24 (local.get 0)))
      (i32.const 1000)))`);
  try {
    return new WebAssembly.Module(new Uint8Array(built.emitBinary()));
  } finally {
    built.dispose();
  }
})();

describe("a core module that fails", () => {
  const started = () => {
    const engine = decider(bundledEngine(scripted, pinnedEngine(module).description));
    const start = (deadline: number, maxWait?: number) =>
      engine.start({ ...get, deadline, maxWait: maxWait ?? null }, now, stepBuffer());
    expect([start(0).tokens, start(0).tokens]).toEqual([1, 2]);
    return start;
  };

  it("by a trap throws, and a new instance answers the next call", () => {
    const start = started();
    expect(() => start(255)).toThrow(WebAssembly.RuntimeError);
    expect(start(0).tokens).toBe(1);
  });

  it("by a command that is not known throws", () => {
    const start = started();
    expect(() => start(5)).toThrow("expected a command that is known here");
    expect(start(0).tokens).toBe(4);
  });

  it("by refusing the parameters throws, and nothing is called", () => {
    const start = started();
    expect(start(0, 1).tokens).toBe(3);
    expect(() => start(0)).toThrow(RangeError);
    expect(start(0).tokens).toBe(1);
  });

  it("by a slot that is damaged is refused at once", () => {
    const core = coreModule();
    core[Buffer.from(core.buffer).indexOf(slot) + 30]! ^= 1;
    expect(() => pinnedEngine(new WebAssembly.Module(core))).toThrow(WebAssembly.RuntimeError);
  });
});

it.each(Object.entries(engines))("in the %s engine, parameters that cannot be read leave nothing behind", (_, engine) => {
  const unreadable = { ...now, get mark(): number { throw new Error("no clock"); } };
  for (let call = 0; call < 3; call++) expect(() => engine.start(get, unreadable, stepBuffer())).toThrow("no clock");
  expect(engine.start(get, now, stepBuffer())).toMatchObject({ command: SEND });
});
