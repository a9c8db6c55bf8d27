/** What a call costs beside a bare `fetch` and beside ky, and what a decision costs. Runs where it is loaded. */

import { createFetch } from "@refrain/fetch";
import { RESPONSE, decider, stepBuffer, type Engine } from "@refrain/fetch/engine";
import { policy } from "@refrain/fetch/policies/browser-interactive.inline";
import ky from "ky";
import ky2 from "ky-2";
import { median, take, type Contender, type Measure, type Turns } from "./turns.js";

/** How long it is measured. */
export interface Effort {
  readonly calls: Turns;
  readonly decisions: Turns;
}

const URL_ = "https://example.com/things";

/** Runs everything once. `where` says where this is. */
export async function measures(where: string, effort: Effort): Promise<Measure[]> {
  return [...(await calls(where, effort.calls)), ...(await decisions(where, effort.decisions))];
}

/** A call that succeeds, over a `fetch` that answers from memory. */
async function calls(where: string, turns: Turns): Promise<Measure[]> {
  const fetch = async (): Promise<Response> => new Response("hello");
  const bare = calling("bare fetch", fetch);
  const others = [
    calling("refrain", createFetch({ engine: policy.engine(), host: policy.host, fetch })),
    calling("ky 1", ky.create({ fetch })),
    calling("ky 2", ky2.create({ fetch })),
  ];
  const measures: Measure[] = [];
  const group = `fetch from memory in ${where}`;
  for (const other of others) {
    // Each alone with the bare one, or it would pay for the garbage of the others.
    const [without, nanos] = await take(turns, [bare, other]);
    measures.push({
      name: `${group}: ${other.name}, added time`,
      value: median(nanos!.map((nano, turn) => nano - without![turn]!)),
      unit: "ns",
      compared_with: `${group}: ${bare.name}`,
    });
  }
  return measures;
}

function calling(name: string, call: (url: string) => PromiseLike<Response>): Contender {
  const turn = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const { status } = await call(URL_);
      if (status !== 200) throw new Error(`expected 200 from ${name}, found ${status}: what fails is not measured`);
    }
  };
  return { name, turn };
}

/** Calls into the pinned engine, as `createFetch` makes them. */
async function decisions(where: string, turns: Turns): Promise<Measure[]> {
  const engine = policy.engine();
  const contenders = [
    deciding("start and handle, success", engine, 200, {}, true),
    deciding("handle, no hint", engine, 503, {}, false),
    deciding("handle, delay-seconds", engine, 503, { "retry-after": "2" }, false),
    deciding("handle, IMF-fixdate", engine, 503, { "retry-after": "Sun, 06 Nov 2033 08:49:37 GMT" }, false),
  ];
  const times = await take(turns, contenders);
  return times.map((nanos, i) => ({
    name: `engine in ${where}: ${contenders[i]!.name}`,
    value: median(nanos),
    unit: "ns",
    compared_with: null,
  }));
}

function deciding(name: string, engine: Engine, status: number, fields: HeadersInit, isWhole: boolean): Contender {
  const headers = new Headers(fields);
  const [start, handle] = parameters(engine, status);
  const block = new Uint8Array(start!);
  const turn = (times: number): void => {
    for (let i = 0; i < times; i++) {
      if (isWhole) {
        block.set(start!);
        engine.call("start", block);
      }
      block.set(handle!);
      engine.call("handle", block, headers);
    }
  };
  return { name, turn };
}

/** What the engine is handed at the start of a request, and when it is answered with this status. */
function parameters(engine: Engine, status: number): Uint8Array[] {
  const request = { method: 0, key: 0, replayable: true, attemptsUsed: 0 } as const;
  const now = {
    mark: 1_000, wall: Date.UTC(2026, 0), session: 1, cancelled: false, network: 0, sample: 77, tokens: 500_000, hold: null,
  } as const;
  const handed: Uint8Array[] = [];
  const call: Engine["call"] = (name, block, headers) => {
    handed.push(block.slice());
    engine.call(name, block, headers);
  };
  const decides = decider({ description: engine.description, call });
  const step = stepBuffer();
  decides.start(request, now, step);
  const event = { event: RESPONSE, attempt: 1, sends: 1, exhausted: false, status, fields: [] } as const;
  decides.handle(step.execution, event, now, step);
  return handed;
}
