/** The simple host: carries out whole requests on virtual time, as the runner contract says. It holds no retry rule. */

import {
  AWAIT_NETWORK,
  FINISH,
  NETWORK_DOWN,
  NETWORK_UNKNOWN,
  NETWORK_UP,
  SEND,
  WAIT,
  WAKE,
  decider,
  stepBuffer,
  type Decider,
  type Engine,
  type Event,
  type Execution,
  type Finish,
  type Now,
  type Request,
  type Send,
  type Step,
} from "../../src/engine.js";
import { failureEvent, firstNow, request, responseEvent, type Mutable } from "./input.js";
import { ended } from "./observe.js";
import type { Answer, FailureSpec, Members, Script } from "./vector.js";

/** The mark of the first call: not 0, so that a mark taken for a span is noticed. */
const EPOCH = 1_000_000;
const FIRST_SESSION = 1;

/** What the requests of a script came to. */
export function runScript(engine: Engine, script: Script): Members {
  const world = new World(engine, script);
  const asked = request(script.request);
  const sendsPerCall: number[] = [];
  const tokens: number[] = [];
  let last: Members = {};
  for (let call = 0; call < (script.calls ?? 1); call++) {
    const before = world.sends;
    last =
      script.outer_attempts === undefined
        ? ended(world.request(asked))
        : world.nested(asked, script.outer_attempts);
    sendsPerCall.push(world.sends - before);
    tokens.push(world.now.tokens);
  }
  return {
    sends: world.sends,
    delays: world.delays,
    elapsed: world.now.mark - EPOCH,
    sends_per_call: sendsPerCall,
    tokens,
    tokens_after: world.tokensAfter,
    ...last,
  };
}

class World {
  readonly now: Mutable<Now>;
  readonly delays: number[] = [];
  readonly tokensAfter: number[] = [];
  sends = 0;
  readonly #engine: Engine;
  readonly #decider: Decider;
  readonly #script: Script;
  readonly #answers: Answer[];

  constructor(engine: Engine, script: Script) {
    this.#engine = engine;
    this.#decider = decider(engine);
    this.#script = script;
    this.#answers = script.answers.flatMap((answer) => Array<Answer>(answer.times ?? 1).fill(answer));
    this.now = firstNow(script.tokens ?? engine.description.budget ?? 0);
    this.now.sample = script.sample ?? 0;
    this.#advance(EPOCH);
  }

  /** One logical request. */
  request(asked: Request): Finish {
    let step = this.#decider.start(asked, this.now, stepBuffer());
    for (;;) {
      this.now.tokens = step.tokens;
      switch (step.command) {
        case FINISH:
          return step;
        case SEND:
          step = this.#send(step.execution, step);
          this.tokensAfter.push(step.tokens);
          break;
        case WAIT:
          if (step.bound !== 0) this.delays.push(step.delay);
          step = this.#sleep(step.execution, step.until);
          break;
        case AWAIT_NETWORK:
          step = this.#sleep(step.execution, step.until);
          break;
        default:
          throw new Error("a call that brought news was answered with keep");
      }
    }
  }

  /** An outer layer around the request, which is told what the inner one did. */
  nested(inner: Request, maxAttempts: number): Members {
    let runs = 0;
    let step = this.#decider.start({ ...inner, maxAttempts }, this.now, stepBuffer());
    for (;;) {
      this.now.tokens = step.tokens;
      if (step.command === FINISH) return { ...ended(step), outer_runs: runs };
      if (step.command === WAIT) {
        step = this.#sleep(step.execution, step.until);
        continue;
      }
      if (step.command !== SEND) throw new Error("an outer layer was answered with neither send, wait nor finish");
      runs++;
      const before = this.sends;
      const outcome = this.request(inner);
      if (outcome.end < 16) return { ...ended(outcome), outer_runs: runs };
      const report: FailureSpec = { kind: "ambiguous", sends: this.sends - before, exhausted: true };
      step = this.#handle(step.execution, failureEvent(report, step.attempt));
    }
  }

  #send(execution: Execution, { attempt, timeout }: Send): Step {
    this.sends++;
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error("more sends than the script has answers");
    const whole = answer.took ?? 0;
    const took = Math.min(whole, timeout ?? whole);
    const arrives = this.now.mark + took;
    const outside = this.#endedFromOutside(arrives);
    this.#advance(outside ?? arrives);
    this.now.cancelled ||= outside === undefined && (answer.cancel ?? false);
    if (outside !== undefined || answer.cancel) return this.#handle(execution, { event: WAKE });
    if (took < whole) {
      return this.#handle(execution, failureEvent({ kind: "ambiguous", timed_out: true }, attempt));
    }
    const { response, failure } = answer;
    if (response) return this.#handle(execution, responseEvent(this.#engine, response, attempt));
    if (failure) return this.#handle(execution, failureEvent(failure, attempt));
    throw new Error("an answer needs either a response or a failure");
  }

  /** Sleeps until `until`, or until something happens before. */
  #sleep(execution: Execution, until: number): Step {
    const network = (this.#script.network_at ?? []).map((at) => EPOCH + at);
    const changes = network.filter((at) => at > this.now.mark && at <= until);
    const woken = Math.min(until, this.#endedFromOutside(until) ?? until, ...changes);
    if (woken >= Number.MAX_SAFE_INTEGER) throw new Error("a wait without an end");
    this.#advance(woken);
    return this.#handle(execution, { event: WAKE });
  }

  #handle(execution: Execution, event: Event): Step {
    // Its own buffer: a nested request must not write over the step of the one around it.
    return this.#decider.handle(execution, event, this.now, stepBuffer());
  }

  /** When the caller cancels or another session begins, if that is after now and until `until`. */
  #endedFromOutside(until: number): number | undefined {
    const { cancel_at, session_at } = this.#script;
    const outside = [
      this.now.cancelled ? undefined : cancel_at,
      this.now.session === FIRST_SESSION ? session_at : undefined,
    ].flatMap((at) => (at === undefined ? [] : [EPOCH + at]));
    const first = Math.min(...outside.filter((at) => at <= until));
    return Number.isFinite(first) ? Math.max(first, this.now.mark) : undefined;
  }

  #advance(mark: number): void {
    const { cancel_at, session_at, network_at, wall, wall_jump } = this.#script;
    const passed = (at: number | undefined): boolean => at !== undefined && EPOCH + at <= mark;
    this.now.mark = mark;
    this.now.cancelled ||= passed(cancel_at);
    if (passed(session_at)) this.now.session = 2;
    const changes = (network_at ?? []).filter(passed).length;
    this.now.network = changes === 0 ? NETWORK_UNKNOWN : changes % 2 === 1 ? NETWORK_DOWN : NETWORK_UP;
    const elapsed = mark - EPOCH;
    const jump = wall_jump !== undefined && wall_jump.at <= elapsed ? wall_jump.by : 0;
    this.now.wall = wall === undefined ? null : Math.max(0, wall + elapsed + jump);
  }
}
