/**
 * "Stampede": a fleet of clients under two policies, simulated while one turns what it meets.
 *
 * @module
 */

import "./stampede.css";
import { compiler } from "../../compiler.js";
import { button, el, save, section } from "../../dom.js";
import { group } from "../../format.js";
import type { Mount } from "../../panel.js";
import { texts } from "../../texts.js";
import { controls } from "./controls.js";
import type { Asked } from "./job.js";
import { showResults } from "./results.js";
import { running } from "./running.js";
import { startRunner, type Listener } from "./runner.js";
import { side } from "./side.js";

const { stampede } = texts;

export const mount: Mount = async (root, link) => {
  const results = showResults(link.signal);
  const progress = running(() => runner.stop());
  const names = (): readonly string[] => sides.map((side, at) => `${"AB"[at]} · ${side.name()}`);
  let last: Asked | null = null;
  let requests = 0;
  const listener: Listener = {
    underWay(soFar) {
      progress.underWay(soFar);
      results.underWay(soFar.series, names());
    },
    done(came, milliseconds) {
      progress.end(stampede.done(group(requests), milliseconds));
      results.done(came, names());
    },
    stopped: () => progress.end(stampede.stopped),
    failed: (reason) => progress.end(stampede.failed(reason)),
    written: (file, text) => save(file, "application/toml", text),
  };
  const [{ runner, scenarios }, compile] = await Promise.all([startRunner(listener, link.signal), compiler()]);
  const run = (times: number): void => {
    last = turned.asked(times);
    if (!last) return runner.stop();
    requests = turned.requests(times);
    progress.begin(requests);
    elsewhere.show(`refrain simulate ${last.scenario}.toml --seed ${last.seed}`);
    runner.run(last);
  };
  const changed = (): void => {
    link.save(Object.assign({}, turned.state(), ...sides.map((side) => side.state())));
    large.show(turned.requests(1));
    run(1);
  };
  const sides = await Promise.all((["a", "b"] as const).map((letter) => side(compile, letter, link.state, changed)));
  const turned = controls(scenarios, sides, link.state, changed);
  const large = largeFleets(run);
  const elsewhere = onTheCommandLine(() => last && runner.write(last));
  const came = section(stampede.results, progress.part, large.part, results.charts, results.table, elsewhere.part);
  root.append(
    el("div", { class: "stampede" }, el("div", { class: "stampede-controls" }, turned.part, ...sides.map(({ part }) => part)), came),
  );
  changed();
};

/** About how many logical requests each of the large fleets has. */
const LARGE = [100_000, 1_000_000] as const;

/** A part of the panel, and what it is shown. */
interface Shows<T> {
  readonly part: HTMLElement;
  readonly show: (what: T) => void;
}

/** Buttons for large fleets; they are shown how many requests the fleet has that the sliders stand for. */
function largeFleets(run: (times: number) => void): Shows<number> {
  let times: readonly number[] = LARGE;
  const buttons = LARGE.map((_, at) => button("", () => run(times[at]!)));
  return {
    part: el(
      "fieldset",
      { class: "large" },
      el("legend", {}, stampede.largeTitle),
      el("div", { class: "row" }, ...buttons),
      el("p", { class: "hint" }, stampede.largeHint),
    ),
    show(requests) {
      times = LARGE.map((most) => Math.max(1, Math.round(most / requests)));
      buttons.forEach((one, at) => (one.textContent = stampede.large(group(requests * times[at]!))));
    },
  };
}

/** How to get the same numbers elsewhere; it is shown the command. */
function onTheCommandLine(write: () => void): Shows<string> {
  const command = el("pre", { class: "code command" });
  return {
    part: el("div", { class: "elsewhere" }, el("p", { class: "hint" }, stampede.elsewhere), command, button(stampede.download, write)),
    show: (line) => (command.textContent = line),
  };
}
