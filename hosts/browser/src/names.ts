/**
 * The numbers of the interface by name, as documents, vectors and logs write them.
 *
 * @module
 */

/** Methods, at their numbers; names are case-sensitive (RFC 9110 §9.1). Any other method is −1. */
export const METHODS = /* @__PURE__ */ listed("GET,HEAD,OPTIONS,TRACE,QUERY,PUT,DELETE,POST,PATCH,CONNECT");

/** Kinds of failure, at their numbers. */
export const FAILURES = [
  "dns-failed", "connect-failed", "tls-failed", "unprocessed", "ambiguous", "permanent", "offline",
] as const;

/** Bounds, at their numbers. */
export const BOUNDS = [
  "none", "backoff", "hint", "max-wait", "deadline", "attempts", "gate", "budget", "hold", "resume",
] as const;

/**
 * Ends, at their numbers: 0 to 15 are no faults, from 16 on they mean "no further send", from 64 on misuse. Where no end
 * has the number, the name is empty.
 */
export const ENDS = /* @__PURE__ */ listed(
  "success,deferred,cancelled,session-changed,,,,,,,,,,,,,not-retryable,attempts-used,body-not-replayable,not-idempotent,budget-empty,deadline,offline,nested,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,foreign-execution,malformed-execution,invalid-input",
);

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

/** The names of a list, which is one text because that is shorter where it is compressed. */
function listed<S extends string>(names: S): Listed<S> {
  return names.split(",") as unknown as Listed<S>;
}

type Listed<S extends string, Before extends readonly string[] = readonly []> =
  S extends `${infer Name},${infer Rest}` ? Listed<Rest, readonly [...Before, Name]> : readonly [...Before, S];
