/**
 * What can be turned, by scenario: how far, and which changes to the scenario it means.
 *
 * @module
 */

import { group } from "../../format.js";
import { texts } from "../../texts.js";

const { stampede } = texts;

/** Something that can be turned. */
export interface Slider {
  /** In links. */
  readonly key: string;
  readonly label: string;
  /** The places that it can stand at. */
  readonly places: readonly number[];
  /** Where it stands at first: one of them. */
  readonly begin: number;
  /** A place in words. */
  readonly say: (value: number) => string;
}

/** Where sliders stand, by key. */
export type Values = Readonly<Record<string, number>>;

/** A scenario that can be turned. */
export interface Scene {
  /** The name of the scenario that ships with the simulator. */
  readonly name: string;
  readonly label: string;
  /** What it shows. */
  readonly about: string;
  readonly sliders: readonly Slider[];
  /** The names of the policies to begin with: two that the scenario brings. */
  readonly begin: readonly [string, string];
  /** How many logical requests there are. */
  readonly requests: (values: Values) => number;
  /** Changes in TOML, for a fleet and a server so many times as large. */
  readonly changes: (values: Values, times: number) => string;
}

const CLIENTS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000] as const;

/** From one number to another, in steps. */
function steps(from: number, to: number, by: number): readonly number[] {
  return Array.from({ length: Math.round((to - from) / by) + 1 }, (_, at) => from + at * by);
}

const slider = (
  key: string,
  label: string,
  places: readonly number[],
  begin: number,
  say: (value: number) => string,
): Slider => ({ key, label, places, begin, say });

const count = (value: number): string => group(value);
const seconds = (value: number): string => stampede.seconds(value);
const perSecond = (value: number): string => stampede.perSecond(group(value));
const percent = (value: number): string => `${value} %`;

/** Of `values`, by key; every slider of a scene has one. */
const at = (values: Values, key: string): number => values[key] ?? 0;

/** The scenarios, in their order. */
export const SCENES: readonly Scene[] = [
  {
    name: "outage",
    label: stampede.outage,
    about: stampede.outageAbout,
    sliders: [
      slider("clients", stampede.clients, CLIENTS, 2_000, count),
      slider("length", stampede.outageLength, steps(1, 60, 1), 10, seconds),
      slider("capacity", stampede.capacity, [50, 100, 200, 300, 400, 500, 750, 1_000, 2_000, 5_000], 200, perSecond),
    ],
    begin: ["no-jitter", "full-jitter"],
    requests: (values) => at(values, "clients"),
    changes(values, times) {
      // A worker is done with a request in 20 ms, and ten wait for each.
      const workers = (at(values, "capacity") * times) / 50;
      return `
        clients = ${at(values, "clients") * times}
        server = { workers = ${workers}, queue = ${workers * 10} }
        outage = { until = "${at(values, "length")}s" }
      `;
    },
  },
  {
    name: "rate-limit",
    label: stampede.rateLimit,
    about: stampede.rateLimitAbout,
    sliders: [
      slider("clients", stampede.clients, CLIENTS, 2_000, count),
      slider("limit", stampede.limit, [20, 50, 100, 200, 300, 500, 1_000, 2_000], 200, perSecond),
      slider("after", stampede.retryAfter, steps(1, 30, 1), 5, seconds),
      slider("spread", stampede.serverSpread, steps(0, 30, 1), 0, (value) => (value ? stampede.upTo(value) : stampede.none)),
    ],
    begin: ["obeys", "spreads"],
    requests: (values) => at(values, "clients"),
    changes(values, times) {
      // No bucket of the simulator is filled faster.
      const limit = Math.min(at(values, "limit") * times, 1_000_000);
      return `
        clients = ${at(values, "clients") * times}
        server = { workers = ${100 * times}, queue = ${1_000 * times} }
        rate_limit = { per_second = ${limit}, burst = ${limit / 2} }
        retry_after = { after = "${at(values, "after")}s", spread = "${at(values, "spread")}s" }
      `;
    },
  },
  {
    name: "brown-out",
    label: stampede.brownOut,
    about: stampede.brownOutAbout,
    sliders: [
      slider("load", stampede.load, steps(40, 120, 5), 80, percent),
      slider("length", stampede.brownOutLength, steps(1, 40, 1), 20, seconds),
      slider("failing", stampede.failing, steps(0, 100, 5), 20, percent),
      slider("slowdown", stampede.slowdown, steps(1, 5, 1), 2, (value) => stampede.times(value)),
    ],
    begin: ["no-budget", "aws-budget"],
    requests: (values) => CALLERS * callsOfOne(values),
    changes: (values, times) => `
      clients = ${CALLERS * times}
      requests_per_client = ${callsOfOne(values)}
      arrivals = { per_second = ${(CAPACITY * times * at(values, "load")) / 100} }
      server = { workers = ${(CAPACITY * times) / 50}, queue = ${(CAPACITY * times) / 5} }
      brown_out = { until = "${10 + at(values, "length")}s", failing_percent = ${at(values, "failing")}, slowdown = ${at(values, "slowdown")} }
    `,
  },
];

/** Services that call, and calls that the server of the brown-out can do in a second: a fifth of the scenario that ships. */
const CALLERS = 10;
const CAPACITY = 500;

/** Calls of one service in fifty seconds. */
const callsOfOne = (values: Values): number => (CAPACITY * 50 * at(values, "load")) / 100 / CALLERS;
