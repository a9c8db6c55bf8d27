/**
 * The numbers of the interface by name, as documents, vectors and logs write them.
 *
 * @module
 */

/** Methods, at their numbers; names are case-sensitive (RFC 9110 §9.1). Any other method is −1. */
export const METHODS = [
  "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PUT", "DELETE", "POST", "PATCH", "CONNECT",
] as const;

/** Kinds of failure, at their numbers. */
export const FAILURES = [
  "dns-failed", "connect-failed", "tls-failed", "unprocessed", "ambiguous", "permanent", "offline",
] as const;

/** Bounds, at their numbers. */
export const BOUNDS = [
  "none", "backoff", "hint", "max-wait", "deadline", "attempts", "gate", "budget", "hold", "resume",
] as const;

/** Ends, by their numbers: 0 to 15 are no faults, from 16 on they mean "no further send", from 64 on misuse. */
export const ENDS = {
  0: "success",
  1: "deferred",
  2: "cancelled",
  3: "session-changed",
  16: "not-retryable",
  17: "attempts-used",
  18: "body-not-replayable",
  19: "not-idempotent",
  20: "budget-empty",
  21: "deadline",
  22: "offline",
  23: "nested",
  64: "foreign-execution",
  65: "malformed-execution",
  66: "invalid-input",
} as const;

/** What became of a hint, by its number: from 16 on, why it was refused. */
export const HINTS = {
  0: "absent",
  1: "used",
  2: "not-asked",
  16: "empty",
  17: "malformed",
  18: "overflow",
  19: "conflicting",
  20: "too-long",
  21: "no-wall-clock",
  22: "signed",
  23: "fractional",
  24: "obsolete-date",
  25: "no-such-time",
  26: "wrong-weekday",
  27: "leap-second",
  28: "year-before-1900",
} as const;
