/**
 * "Stampede": a fleet of clients under two policies, simulated while one turns what it meets.
 *
 * @module
 */

import "./stampede.css";
import { compiler } from "../../compiler.js";
import { button, choice, el, field, fill, section } from "../../dom.js";
import { clock, group } from "../../format.js";
import type { Mount, State } from "../../panel.js";
import { texts } from "../../texts.js";
import { startRunner, type Listener } from "./runner.js";
import { showResults } from "./results.js";
import { side } from "./side.js";
import { slide, type Slide } from "./slide.js";
import { SCENES, type Scene, type Values } from "./sliders.js";

const { stampede } = texts;

/** Logical requests of the two large fleets. */
const LARGE = [100_000, 1_000_000] as const;

export const mount: Mount = async (root, link) => {
  const show = showResults(link.signal);
  const status = el("p", { class: "run-status", role: "status" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": stampede.progress });
  // What changes ten times a second is not read out.
  const live = el("p", { class: "run-live hint" });
  const stop = button(stampede.stop, () => runner.stop());
  const listener: Listener = {
    underWay({ share, now_ms, sends, series }) {
      bar.value = share;
      live.textContent = stampede.soFar(clock(now_ms), group(sends));
      show.underWay(series, names());
    },
    done(results, milliseconds) {
      rest();
      status.textContent = stampede.done(group(requests), milliseconds);
      show.done(results, names());
    },
    stopped() {
      rest();
      status.textContent = stampede.stopped;
    },
    failed(reason) {
      rest();
      status.textContent = stampede.failed(reason);
    },
  };
  const [{ runner, scenarios }, compile] = await Promise.all([startRunner(listener, link.signal), compiler()]);
  let requests = 0;
  let scene = SCENES.find(({ name }) => name === link.state["scenario"]) ?? SCENES[0]!;
  let slides: readonly Slide[] = [];

  const values = (): Values => Object.fromEntries(scene.sliders.map(({ key }, at) => [key, slides[at]!.value()]));
  const names = (): readonly string[] => sides.map((side, at) => `${"AB"[at]} · ${side.name()}`);
  const rest = (): void => {
    stop.disabled = true;
    bar.hidden = live.hidden = true;
  };
  const run = (times: number): void => {
    const policies = sides.map((side) => side.document());
    if (!policies.every((policy) => policy !== null)) return runner.stop();
    requests = scene.requests(values()) * times;
    [bar.value, bar.hidden, live.hidden, stop.disabled] = [0, false, false, false];
    live.textContent = "";
    status.textContent = stampede.running(group(requests));
    runner.run({ scenario: scene.name, changes: scene.changes(values(), times), policies, seed: Number(seed.value) >>> 0 });
  };
  const state = (): State =>
    Object.assign(
      { scenario: scene.name },
      seed.value !== "1" && { seed: seed.value },
      ...[...slides, ...sides].map((part) => part.state()),
    );
  const changed = (): void => {
    link.save(state());
    for (const [at, one] of large.entries()) one.textContent = stampede.large(group(scene.requests(values()) * times(at)));
    run(1);
  };
  const times = (at: number): number => Math.max(1, Math.round(LARGE[at]! / scene.requests(values())));

  const sides = await Promise.all((["a", "b"] as const).map((letter) => side(compile, letter, link.state, changed)));
  const select = choice(SCENES.map(({ name, label }) => [name, label] as const), scene.name);
  const about = el("p", { class: "hint" });
  const sliders = el("div", { class: "sliders" });
  const seed = el("input", { type: "number", min: 0, max: 4_294_967_295, step: 1, value: link.state["seed"] ?? 1 });
  const large = LARGE.map((_, at) => button("", () => run(times(at))));
  const take = (chosen: Scene, from: State): void => {
    scene = chosen;
    const shipped = scenarios.find(({ name }) => name === scene.name)!;
    about.textContent = scene.about;
    slides = scene.sliders.map((one) => slide(one, from, changed));
    fill(sliders, ...slides.map(({ part }) => part));
    sides.forEach((side, at) => side.offer(shipped.policies, scene.begin[at]!));
  };
  const again = el(
    "fieldset",
    { class: "large" },
    el("legend", {}, stampede.largeTitle),
    el("div", { class: "row" }, ...large),
    el("p", { class: "hint" }, stampede.largeHint),
  );
  select.addEventListener("change", () => {
    take(SCENES.find(({ name }) => name === select.value)!, {});
    changed();
  });
  seed.addEventListener("input", changed);
  take(scene, link.state);
  rest();
  root.append(
    el(
      "div",
      { class: "stampede" },
      el(
        "div",
        { class: "stampede-controls" },
        section(stampede.happens, field(stampede.scenario, select), about, sliders, field(stampede.seed, seed, stampede.seedHint)),
        ...sides.map(({ part }) => part),
      ),
      el(
        "div",
        { class: "stack" },
        section(stampede.results, el("div", { class: "run" }, status, stop, bar, live), again, show.charts, show.table),
      ),
    ),
  );
  changed();
};
