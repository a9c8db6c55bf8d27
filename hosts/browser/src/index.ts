/**
 * One HTTP retry policy that gives the same answer everywhere, for pages, workers and Node.
 *
 * @module
 */

export { ATTEMPT_FIELD, announced, retriedAbove } from "./announce.js";
export type { BodyFactory } from "./body.js";
export type * from "./engine.js";
export { createFetch, type Fetch } from "./fetch.js";
export { idempotencyKey, type IdempotencyKey } from "./key.js";
export { BOUNDS, ENDS, FAILURES, HINTS, METHODS } from "./names.js";
export { browserNetwork, type Connectivity } from "./network.js";
export type { FetchInit, FetchOptions, Limits } from "./options.js";
export { RefrainError, isCurrent, outcomeOf, type Outcome, type Reason } from "./outcome.js";
export { pinnedEngine } from "./pinned.js";
export { resumed, type Resumed } from "./resume.js";
export { createSession, type Session } from "./session.js";
export { systemTime, type Time } from "./time.js";
export { watched, type FetchEvent, type Happening } from "./watched.js";
