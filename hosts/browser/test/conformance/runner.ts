/** Runs one vector against an engine and compares. `tests/README.md` is the contract. */

import type { Engine, Parser } from "../../src/engine.js";
import { runScript } from "./host.js";
import { unhex } from "./input.js";
import { parsed } from "./observe.js";
import { runSteps } from "./steps.js";
import type { Baked, Json, Members, Vector } from "./vector.js";

/** Makes an engine that decides by the policy of a slot. */
export type Maker = (slot: string) => Engine & Parser;

/** What did not come out as the vector says; `undefined` if all did. */
export function mismatch(make: Maker, vector: Vector, baked: Baked): string | undefined {
  const observed = observe(make, vector, baked);
  const expected = vector.steps ? vector.steps.calls.map((call) => call.expect) : [vector.expect ?? {}];
  const at = expected.findIndex((members, call) => !agrees(members, observed[call]));
  if (at < 0) return undefined;
  return `${vector.id}, call ${at}\n  expected ${JSON.stringify(expected[at])}\n  observed ${JSON.stringify(observed[at])}`;
}

function observe(make: Maker, vector: Vector, baked: Baked): Members[] {
  // A policy that is refused sends nothing; that is an answer too.
  if ("policy_error" in baked) return [{ policy_error: baked.policy_error, sends: 0, end: "config-error" }];
  const engine = make(baked.slot);
  if (vector.steps) return runSteps(engine, vector.steps);
  if (vector.run) return [runScript(engine, vector.run)];
  if (vector.parse) {
    const { value, value_hex, wall } = vector.parse;
    const text = value ?? String.fromCharCode(...unhex(value_hex ?? ""));
    return [parsed(engine.parse(text, wall ?? null))];
  }
  throw new Error(`${vector.id}: expected one of \`parse\`, \`steps\` and \`run\``);
}

/** Whether everything that was expected came. */
function agrees(expected: Json, observed: Json | undefined): boolean {
  if (isMembers(expected) && isMembers(observed)) {
    return Object.entries(expected).every(([name, value]) => agrees(value, observed[name]));
  }
  return JSON.stringify(expected) === JSON.stringify(observed);
}

function isMembers(value: Json | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
