/**
 * Runs simulations beside the page, in short turns, so that it hears of the next order soon.
 *
 * @module
 */

import { loadLab, type Lab, type Results, type SoFar } from "../../lab.js";
import type { Job, News, Order } from "./job.js";

/** Events of one call, about a millisecond's worth. */
const EVENTS = 8_192;
/** How long a turn is, and how long it takes until there is something new to see, in milliseconds. */
const TURN = 12;
const FRAME = 80;

const loaded = loadLab();
let current = 0;

// What is reported is heard by the page, as an error of this worker.
loaded.then((lab) => tell({ type: "ready", scenarios: lab.scenarios() })).catch(reportError);

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  if (data.type === "run") {
    current = data.job.id;
    loaded.then((lab) => run(lab, data.job)).catch(reportError);
  } else if (data.type === "write") {
    loaded.then((lab) => write(lab, data.job)).catch(reportError);
  } else if (data.id === current) {
    current = 0;
  }
});

async function run(lab: Lab, job: Job): Promise<void> {
  const { id, scenario, changes, policies, seed } = job;
  const begun = performance.now();
  let simulation;
  try {
    simulation = lab.Simulation.begin(scenario, changes, [...policies], seed);
  } catch (error) {
    return tell({ type: "refused", id, reason: error instanceof Error ? error.message : String(error) });
  }
  let shown = begun;
  for (let turn = begun; current === id && simulation.advance(EVENTS); ) {
    const now = performance.now();
    if (now - turn < TURN) continue;
    if (now - shown > FRAME) {
      tell({ type: "under-way", id, soFar: JSON.parse(simulation.soFar()) as SoFar });
      shown = performance.now();
    }
    await orders();
    turn = performance.now();
  }
  if (current !== id) {
    simulation.free();
    return tell({ type: "stopped", id });
  }
  const finished = simulation.finish();
  const results = JSON.parse(finished.results()) as Results;
  finished.free();
  tell({ type: "done", id, results, milliseconds: performance.now() - begun });
}

function write(lab: Lab, { scenario, changes, policies }: Job): void {
  tell({ type: "written", file: `${scenario}.toml`, text: lab.written(scenario, changes, [...policies]) });
}

/** Lets orders that have come be heard. */
function orders(): Promise<void> {
  return new Promise((heard) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      heard();
    };
    port2.postMessage(null);
  });
}

function tell(news: News): void {
  postMessage(news);
}
