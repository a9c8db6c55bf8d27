/**
 * One HTTP retry policy that gives the same answer everywhere, for pages, workers and Node.
 *
 * @module
 */

export type * from "./engine.js";
export { pinnedEngine } from "./pinned.js";
