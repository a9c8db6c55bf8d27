/**
 * Who may watch: an engine that tells what it is told and what it commands. So it cannot tell more than crosses into
 * the policy, and tells less: the fields that may be logged and times; never a field value, a URL, a header or a body.
 *
 * @module
 */

import {
  AWAIT_NETWORK,
  FAILURE,
  FINISH,
  RESPONSE,
  SEND,
  WAIT,
  type Engine,
  type Event,
  type FailureEvent,
  type Finish,
  type Now,
  type ResponseEvent,
  type Send,
  type Step,
  type StepBuffer,
  type Wait,
} from "./engine.js";

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
  const requests = new WeakMap<StepBuffer, Watched>();
  let count = 0;
  const see = (into: StepBuffer, now: Now, call: () => Step, event?: Event): Step => {
    let request = requests.get(into);
    if (!request) requests.set(into, (request = { request: count++ }));
    const tell = (happening: Happening): void => {
      try {
        watch({ ...happening, request: request.request, at: now.mark });
      } catch (error) {
        void Promise.reject(error);
      }
    };
    tellEvent(event, tell);
    try {
      const step = call();
      tellStep(step, request, now, tell);
      return step;
    } catch (error) {
      tell({ type: "engine-failed" });
      throw error;
    }
  };
  return {
    description: engine.description,
    start: (request, now, into) => see(into, now, () => engine.start(request, now, into)),
    handle: (execution, event, now, into) => see(into, now, () => engine.handle(execution, event, now, into), event),
  };
}

function tellEvent(event: Event | undefined, tell: (happening: Happening) => void): void {
  if (event?.event === RESPONSE) tell({ type: "answered", attempt: event.attempt, status: event.status });
  if (event?.event === FAILURE) {
    const { attempt, kind, timedOut } = event;
    tell({ type: "failed", attempt, kind, timedOut });
  }
}

function tellStep(step: Step, of: Watched, now: Now, tell: (happening: Happening) => void): void {
  const { pause } = of;
  const isPause = step.command === WAIT || step.command === AWAIT_NETWORK;
  if (pause && isPause && step.command === pause.command && step.until === pause.until) return;
  if (pause) tell({ type: "wait-over", waited: now.mark - pause.begun });
  of.pause = isPause ? { command: step.command, until: step.until, begun: now.mark } : undefined;
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
