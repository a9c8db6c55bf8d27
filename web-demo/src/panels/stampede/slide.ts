/**
 * A slider, with what it stands for in words.
 *
 * @module
 */

import { el, unique } from "../../dom.js";
import type { State } from "../../panel.js";
import type { Slider } from "./sliders.js";

/** A slider on the page. */
export interface Slide {
  readonly part: HTMLElement;
  readonly value: () => number;
  readonly set: (value: number) => void;
  /** Takes what a link says, if it says something that it can stand at. */
  readonly take: (link: State) => void;
  /** What a link holds of it: nothing at the place where it begins. */
  readonly state: () => State;
}

/** Makes one. `changed` is called while it moves. */
export function slide({ key, label, places, begin, say }: Slider, link: State, changed: () => void): Slide {
  const input = el("input", { type: "range", id: unique("slide"), min: 0, max: places.length - 1, step: 1 });
  const output = el("output", { for: input.id });
  const value = (): number => places[input.valueAsNumber] ?? begin;
  const show = (): void => {
    output.textContent = say(value());
    input.setAttribute("aria-valuetext", say(value()));
  };
  const set = (to: number): void => {
    input.valueAsNumber = places.includes(to) ? places.indexOf(to) : places.indexOf(begin);
    show();
  };
  const take = (link: State): void => {
    const said = link[key];
    if (said !== undefined && places.includes(Number(said))) set(Number(said));
  };
  input.addEventListener("input", () => {
    show();
    changed();
  });
  set(begin);
  take(link);
  return {
    part: el("div", { class: "slide" }, el("label", { for: input.id }, label), output, input),
    value,
    set,
    take,
    state: () => (value() === begin ? {} : { [key]: String(value()) }),
  };
}
