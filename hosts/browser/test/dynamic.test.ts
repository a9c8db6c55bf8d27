import { describe, expect, it } from "vitest";
import { unhex } from "./conformance/input.js";
import { DocumentError, compilerOf } from "../src/dynamic.js";
import { FINISH, SEND, decider, stepBuffer } from "../src/engine.js";
import { dynamicModule, readyMade, slots } from "./core.js";

const compiler = compilerOf(dynamicModule());
const HEAD = 'schema = 1\nname = "tested"\nversion = "1.2.0"\n';

describe("the dynamic engine", () => {
  it.each(readyMade())("compiles the ready-made %s to the bytes that are baked into artifacts", (name, text, vector) => {
    const baked = slots()[vector]!;
    const slot = "slot" in baked ? unhex(baked.slot) : new Uint8Array();
    const { description, policy } = compiler.compile(text);
    expect(description.name).toBe(name);
    expect(compiler.fromSlot(slot)).toMatchObject({ description, policy });
  });

  it("decides by a document, and reads it as JSON too", () => {
    const compiled = compiler.compile(`${HEAD}limits.max_attempts = 1\n`);
    const again = compiler.compile(compiled.json!, "json");
    expect(again.description).toEqual(compiled.description);
    expect(again.json).toBe(compiled.json);
    const buffer = stepBuffer();
    const now = {
      mark: 0, wall: null, session: 1, cancelled: false, network: 0, sample: 0, tokens: 500_000, hold: null,
    } as const;
    const get = { method: 0, key: 0, replayable: true, attemptsUsed: 0 } as const;
    const deciding = decider(again);
    expect(deciding.start(get, now, buffer)).toMatchObject({ command: SEND, attempt: 1 });
    const failed = { event: 0, attempt: 1, sends: 1, exhausted: false, status: 503, fields: [] } as const;
    expect(deciding.handle(buffer.execution, failed, now, buffer)).toMatchObject({ command: FINISH, end: 17 });
  });

  it("says what a document says to hosts", () => {
    const host = (keys: string) => compiler.compile(HEAD + keys).host;
    expect(host("")).toEqual({
      key: { name: "idempotency-key", quoted: false },
      budget: "policy",
      sessionRequired: false,
    });
    const other = '[replay]\nkey_field = "X-Key"\nkey_form = "quoted"\n[budget]\nper = "host"\n[session]\nrequired = true\n';
    expect(host(other)).toEqual({ key: { name: "x-key", quoted: true }, budget: "host", sessionRequired: true });
    expect(host('[replay]\nkey_field = "none"\nkeyed_methods = []\n')?.key).toBeNull();
  });

  it("refuses a document with every problem at its line and column", () => {
    const refused = (() => {
      try {
        return compiler.compile(`${HEAD}limit = {}\n[limits]\nmax_attempts = 0\n`);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(DocumentError);
    expect((refused as DocumentError).problems[0]).toEqual({
      severity: "error",
      line: 4,
      column: 1,
      message: expect.stringContaining("there is no key `limit` here"),
      help: null,
    });
    expect((refused as DocumentError).message).toMatch(/^4:1: error: there is no key `limit` here/);
  });

  it("refuses bytes that are no slot", () => {
    expect(() => compiler.fromSlot(new Uint8Array(3))).toThrow("expected a slot of 640 bytes, found 3");
    expect(() => compiler.fromSlot(new Uint8Array(640))).toThrow("expected one policy slot, found none");
  });
});
