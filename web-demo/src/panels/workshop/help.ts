/**
 * What the schema says of the key at the cursor.
 *
 * @module
 */

import { coded, el, fill } from "../../dom.js";
import type { Help, Lab } from "../../lab.js";
import { texts } from "../../texts.js";

const { workshop } = texts;

/** Follows the cursor in a text area, until `signal`. */
export function helper(lab: Lab, area: HTMLTextAreaElement, signal: AbortSignal): HTMLElement {
  const part = el("div", { class: "key-help" });
  let shown = "";
  const show = (): void => {
    const help = lab.help(area.value, area.selectionStart);
    const key = JSON.stringify(help);
    if (key === shown) return;
    shown = key;
    fill(part, ...lines(help));
  };
  document.addEventListener("selectionchange", () => document.activeElement === area && show(), { signal });
  area.addEventListener("input", show);
  // Browsers put the cursor of a text that was set to its end.
  area.setSelectionRange(0, 0);
  show();
  return part;
}

function lines(help: Help): readonly (HTMLElement | null)[] {
  const facts = [
    fact(workshop.values, help.values.map((value) => el("span", { class: "value" }, ...coded(value)))),
    fact(workshop.leftOut, help.default === null ? [] : [el("code", {}, help.default)]),
    fact(workshop.keys, help.keys.map((key) => el("code", { class: "value" }, key))),
  ];
  return [
    el("h3", {}, help.key ? el("code", {}, help.key) : workshop.root),
    el("p", {}, ...coded(help.description)),
    el("dl", {}, ...facts.flat()),
  ];
}

function fact(name: string, values: readonly HTMLElement[]): readonly HTMLElement[] {
  return values.length ? [el("dt", {}, name), el("dd", {}, ...values)] : [];
}
