/**
 * What a person turns: the scenario, its sliders, the seed.
 *
 * @module
 */

import { choice, el, field, fill, section } from "../../dom.js";
import type { Shipped } from "../../lab.js";
import type { State } from "../../panel.js";
import { texts } from "../../texts.js";
import type { Asked } from "./job.js";
import type { Side } from "./side.js";
import { slide, type Slide } from "./slide.js";
import { SCENES, type Scene, type Values } from "./sliders.js";

const { stampede } = texts;

/** What a person turns. */
export interface Controls {
  readonly part: HTMLElement;
  /** Logical requests under each policy, with a fleet so many times as large. */
  readonly requests: (times: number) => number;
  /** The simulation of such a fleet; `null` while a document is refused. */
  readonly asked: (times: number) => Asked | null;
  /** What a link holds of it. */
  readonly state: () => State;
}

/**
 * Makes them, and offers each side the policies of the scenario.
 *
 * @param changed is called after every change that a person makes
 */
export function controls(scenarios: readonly Shipped[], sides: readonly Side[], link: State, changed: () => void): Controls {
  let scene: Scene;
  let slides: readonly Slide[] = [];
  const select = choice(SCENES.map(({ name, label }) => [name, label] as const), SCENES[0]!.name);
  const about = el("p", { class: "hint" });
  const sliders = el("div", { class: "sliders" });
  const seed = el("input", { type: "number", min: 0, max: 999_999_999, step: 1, value: seedOf(link) });
  // What is no seed stands for 0.
  const luck = (): number => (seed.validity.valid ? seed.valueAsNumber || 0 : 0);
  const values = (): Values => Object.fromEntries(scene.sliders.map(({ key }, at) => [key, slides[at]!.value()]));
  const take = (name: string | undefined, from: State): void => {
    scene = SCENES.find((one) => one.name === name) ?? SCENES[0]!;
    select.value = scene.name;
    about.textContent = scene.about;
    slides = scene.sliders.map((one) => slide(one, from, changed));
    fill(sliders, ...slides.map(({ part }) => part));
    const shipped = scenarios.find(({ name }) => name === scene.name)!;
    sides.forEach((side, at) => side.offer(shipped.policies, scene.begin[at]!));
  };
  select.addEventListener("change", () => {
    take(select.value, {});
    changed();
  });
  seed.addEventListener("input", changed);
  take(link["scenario"], link);
  return {
    part: section(stampede.happens, field(stampede.scenario, select), about, sliders, field(stampede.seed, seed, stampede.seedHint)),
    requests: (times) => scene.requests(values()) * times,
    asked(times) {
      const policies = sides.map((side) => side.document());
      if (!policies.every((policy) => policy !== null)) return null;
      return { scenario: scene.name, changes: scene.changes(values(), times), policies, seed: luck() };
    },
    state: () => Object.assign({ scenario: scene.name }, luck() !== 1 && { seed: String(luck()) }, ...slides.map((one) => one.state())),
  };
}

/** The seed of a link; 1 if it has none. */
function seedOf({ seed = "" }: State): number {
  return /^\d{1,9}$/.test(seed) ? Number(seed) : 1;
}
