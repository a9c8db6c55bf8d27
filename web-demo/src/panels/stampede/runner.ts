/**
 * The worker, as the panel sees it: one simulation at a time, the last that was asked for.
 *
 * @module
 */

import type { Results, Shipped, SoFar } from "../../lab.js";
import type { Asked, News, Order } from "./job.js";

/** What the panel hears of the simulation that it asked for last. */
export interface Listener {
  underWay(soFar: SoFar): void;
  done(results: Results, milliseconds: number): void;
  stopped(): void;
  /** What was asked to be written, and the name of a file for it. */
  written(file: string, text: string): void;
  failed(reason: string): void;
}

/** Runs simulations. */
export interface Runner {
  /** Takes the place of the one under way. */
  run(job: Asked): void;
  /** Writes it as a scenario that the command line takes. */
  write(job: Asked): void;
  /** Ends the one under way. */
  stop(): void;
}

/**
 * Starts the worker, which ends with `signal`.
 *
 * @returns what runs simulations, and the scenarios that there are
 */
export async function startRunner(
  listener: Listener,
  signal: AbortSignal,
): Promise<{ readonly runner: Runner; readonly scenarios: readonly Shipped[] }> {
  let id = 0;
  let worker: Worker | undefined;
  const hear = (news: News): void => {
    if (news.type === "written") return listener.written(news.file, news.text);
    if (news.type === "ready" || news.id !== id) return;
    if (news.type === "under-way") listener.underWay(news.soFar);
    else if (news.type === "done") listener.done(news.results, news.milliseconds);
    else if (news.type === "stopped") listener.stopped();
    else listener.failed(news.reason);
  };
  const start = (): Worker => {
    const started = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<News>) => hear(data));
    // A module that ran out of memory is in no state to go on: the next simulation gets a new one.
    const broken = (event: Event): void => {
      event.preventDefault();
      started.terminate();
      worker = undefined;
      listener.failed(event instanceof ErrorEvent ? event.message : event.type);
    };
    started.addEventListener("error", broken);
    return started;
  };
  signal.addEventListener("abort", () => worker?.terminate());
  const tell = (order: Order): void => {
    worker ??= start();
    worker.postMessage(order);
  };
  worker = start();
  const scenarios = await firstNews(worker);
  return {
    scenarios,
    runner: {
      run: (job) => tell({ type: "run", job: { id: ++id, ...job } }),
      write: (job) => tell({ type: "write", job: { id, ...job } }),
      stop: () => tell({ type: "stop", id }),
    },
  };
}

function firstNews(worker: Worker): Promise<readonly Shipped[]> {
  return new Promise((ready, failed) => {
    worker.addEventListener("message", ({ data }: MessageEvent<News>) => {
      if (data.type === "ready") ready(data.scenarios);
    });
    worker.addEventListener("error", (event) => failed(new Error(event.message || "the simulator could not be loaded")));
  });
}
