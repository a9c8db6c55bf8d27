/**
 * What a document means: the table of its longest waits, and sentences.
 *
 * @module
 */

import { coded, el, fill } from "../../dom.js";
import type { Explained } from "../../lab.js";
import { texts } from "../../texts.js";

const { workshop } = texts;

/** Shows it; `null` for a document that is refused. */
export function showMeaning(into: HTMLElement, explained: Explained | null): void {
  if (!explained) return fill(into, el("p", { class: "hint" }, workshop.refused));
  const { cells, note, summary, sentences } = explained;
  fill(
    into,
    el("p", { class: "worst-summary" }, summary),
    table(cells),
    note !== null && el("p", { class: "hint" }, note),
    el("div", { class: "sentences" }, el("h3", {}, workshop.sentences), el("ul", {}, ...sentences.map((one) => el("li", {}, ...coded(one))))),
  );
}

function table([head, ...rows]: Explained["cells"]): HTMLElement | null {
  if (!head) return null;
  const row = ([first = "", ...rest]: readonly string[]): HTMLElement =>
    el("tr", {}, el("th", { scope: "row" }, first), ...rest.map((cell) => el("td", {}, cell)));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      {},
      el("caption", {}, workshop.waits),
      el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...rows.map(row)),
    ),
  );
}
