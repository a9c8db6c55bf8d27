/**
 * How far a simulation has come, and a button that stops it.
 *
 * @module
 */

import { button, el } from "../../dom.js";
import { clock, group } from "../../format.js";
import type { SoFar } from "../../lab.js";
import { texts } from "../../texts.js";

const { stampede } = texts;

/** How far a simulation has come. */
export interface Running {
  readonly part: HTMLElement;
  readonly begin: (requests: number) => void;
  readonly underWay: (soFar: SoFar) => void;
  /** It has come to its end, in one way or another. */
  readonly end: (how: string) => void;
}

/** Makes its place. `stop` is called when a person wants it to end. */
export function running(stop: () => void): Running {
  const status = el("p", { class: "run-status", role: "status" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": stampede.progress });
  // What changes ten times a second is not read out.
  const live = el("p", { class: "run-live hint" });
  const press = button(stampede.stop, stop);
  const end = (how: string): void => {
    press.disabled = true;
    bar.hidden = live.hidden = true;
    status.textContent = how;
  };
  end("");
  return {
    part: el("div", { class: "run" }, status, press, bar, live),
    begin(requests) {
      press.disabled = false;
      bar.hidden = live.hidden = false;
      bar.value = 0;
      live.textContent = "";
      status.textContent = stampede.running(group(requests));
    },
    underWay({ share, now_ms, sends }) {
      bar.value = share;
      live.textContent = stampede.soFar(clock(now_ms), group(sends));
    },
    end,
  };
}
