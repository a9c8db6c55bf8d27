/**
 * What the panel and its worker say to one another.
 *
 * @module
 */

import type { Results, Shipped, SoFar } from "../../lab.js";

/** A simulation that is asked for; it takes the place of the one before. */
export interface Job {
  readonly id: number;
  /** The name of a scenario that ships with the simulator. */
  readonly scenario: string;
  /** Changes to it, in TOML. */
  readonly changes: string;
  /** Documents. */
  readonly policies: readonly string[];
  readonly seed: number;
}

/** A job that has no number yet. */
export type Asked = Omit<Job, "id">;

/** What the worker is told: to run a job, to stop the one of this number, or to write one as a scenario. */
export type Order =
  | { readonly type: "run"; readonly job: Job }
  | { readonly type: "write"; readonly job: Job }
  | { readonly type: "stop"; readonly id: number };

/** What the worker tells. `id` is that of the job. */
export type News =
  | { readonly type: "ready"; readonly scenarios: readonly Shipped[] }
  | { readonly type: "under-way"; readonly id: number; readonly soFar: SoFar }
  | { readonly type: "done"; readonly id: number; readonly results: Results; readonly milliseconds: number }
  | { readonly type: "written"; readonly file: string; readonly text: string }
  | { readonly type: "stopped"; readonly id: number }
  | { readonly type: "refused"; readonly id: number; readonly reason: string };
