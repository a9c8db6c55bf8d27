/**
 * Who may watch: an engine that tells what it is told and what it commands. So it cannot tell more than crosses into
 * the policy, and tells less: the fields that may be logged and times; never a field value, a URL, a header or a body.
 *
 * @module
 */

import { EVENT, NOW_OF_HANDLE, NOW_OF_START, get } from "./block.js";
import { readStep } from "./decider.js";
import type { Engine } from "./engine.js";
import { AWAIT_NETWORK, FAILURE, FINISH, RESPONSE, SEND, WAIT } from "./numbers.js";
import { stepBuffer, type FailureEvent, type Finish, type ResponseEvent, type Send, type Step, type Wait } from "./step.js";

/** Something that happened to one request. */
export type FetchEvent = Happening & {
  /** Which request; unique within its watched engine. */
  readonly request: number;
  /** When, on the wait clock, as it was told to the policy. */
  readonly at: number;
};

/** What happened. */
export type Happening =
  /** An attempt begins. */
  | ({ readonly type: "sent" } & Pick<Send, "attempt" | "timeout">)
  /** The head of a response is here. */
  | ({ readonly type: "answered" } & Pick<ResponseEvent, "attempt" | "status">)
  /** An attempt brought no response. */
  | ({ readonly type: "failed" } & Pick<FailureEvent, "attempt" | "kind" | "timedOut">)
  /** A wait begins. */
  | ({ readonly type: "wait" } & Omit<Wait, "command">)
  /** A wait for the network begins, at the latest until a mark. */
  | { readonly type: "await-network"; readonly until: number }
  /** A wait is over, or was broken off, after so many milliseconds. */
  | { readonly type: "wait-over"; readonly waited: number }
  /** The request has ended; one that could not go on is told as cancelled. */
  | ({ readonly type: "ended" } & Pick<Finish, "end" | "bound" | "hint" | "attempts">)
  /** The engine failed, so the request ends. */
  | { readonly type: "engine-failed" };

/** One request that is watched. */
interface Watched {
  readonly request: number;
  /** Of the wait under way. */
  pause?: { readonly command: number; readonly until: number; readonly begun: number } | undefined;
}

/**
 * The same engine, for `createFetch`, and what happens to its requests.
 *
 * @param watch is called between two steps of a request. What it throws goes where a promise's rejections go that
 * nobody handles
 */
export function watched(engine: Engine, watch: (event: FetchEvent) => void): Engine {
  const requests = new WeakMap<Uint8Array, Watched>();
  let count = 0;
  return {
    description: engine.description,
    call(name, bytes, headers) {
      const at = get(bytes, name === "start" ? NOW_OF_START : NOW_OF_HANDLE, 8);
      // Another request may have used the block before.
      const request = (name === "handle" && requests.get(bytes)) || { request: count++ };
      requests.set(bytes, request);
      const tell = (happening: Happening): void => {
        try {
          watch({ ...happening, request: request.request, at });
        } catch (error) {
          void Promise.reject(error);
        }
      };
      if (name === "handle") tellEvent(bytes, tell);
      try {
        engine.call(name, bytes, headers);
        tellStep(readStep(bytes, stepBuffer()), request, at, tell);
      } catch (error) {
        tell({ type: "engine-failed" });
        throw error;
      }
    },
  };
}

function tellEvent(bytes: Uint8Array, tell: (happening: Happening) => void): void {
  const event = bytes[EVENT];
  const attempt = get(bytes, EVENT + 4);
  if (event === RESPONSE) tell({ type: "answered", attempt, status: get(bytes, EVENT + 16, 2) });
  if (event === FAILURE) {
    const kind = bytes[EVENT + 16] as FailureEvent["kind"];
    tell({ type: "failed", attempt, kind, timedOut: bytes[EVENT + 17]! > 0 });
  }
}

function tellStep(step: Step, of: Watched, at: number, tell: (happening: Happening) => void): void {
  const { pause } = of;
  const isPause = step.command === WAIT || step.command === AWAIT_NETWORK;
  if (pause && isPause && step.command === pause.command && step.until === pause.until) return;
  if (pause) tell({ type: "wait-over", waited: at - pause.begun });
  of.pause = isPause ? { command: step.command, until: step.until, begun: at } : undefined;
  if (step.command === SEND) tell({ type: "sent", attempt: step.attempt, timeout: step.timeout });
  if (step.command === AWAIT_NETWORK) tell({ type: "await-network", until: step.until });
  if (step.command === WAIT) {
    const { until, delay, retryIndex, bound, hint } = step;
    tell({ type: "wait", until, delay, retryIndex, bound, hint });
  }
  if (step.command === FINISH) {
    const { end, bound, hint, attempts } = step;
    tell({ type: "ended", end, bound, hint, attempts });
  }
}
