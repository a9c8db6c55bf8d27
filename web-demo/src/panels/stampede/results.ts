/**
 * What came of two policies: charts, and the table of `refrain simulate`.
 *
 * @module
 */

import { el, fill } from "../../dom.js";
import { group } from "../../format.js";
import type { Points, Results, Series } from "../../lab.js";
import { texts } from "../../texts.js";
import { chart } from "./chart.js";

const { stampede } = texts;

/** The results on the page. */
export interface Shown {
  readonly charts: HTMLElement;
  readonly table: HTMLElement;
  /** Draws what there is so far. */
  readonly underWay: (series: readonly Series[], names: readonly string[]) => void;
  readonly done: (results: Results, names: readonly string[]) => void;
}

/** Makes their place, which ends with `signal`. */
export function showResults(signal: AbortSignal): Shown {
  const perSecond = (title: string) => ({
    title,
    x: stampede.secondsAxis,
    y: title,
    say: (value: number) => group(Math.round(value)),
    steps: true,
  });
  const charts = {
    offered: chart(perSecond(stampede.offered), signal),
    served: chart(perSecond(stampede.served), signal),
    within: chart(
      { title: stampede.within, x: stampede.sinceBegun, y: stampede.within, say: (value) => `${Math.round(value)} %`, steps: false },
      signal,
    ),
  };
  const table = el("div", { class: "results" });
  const draw = (series: readonly Series[], names: readonly string[], finished: boolean): void => {
    const lines = (of: (one: Series) => Points) => series.map((one, at) => ({ name: names[at] ?? one.policy, points: of(one) }));
    charts.offered.draw(lines(({ offered }) => offered), finished);
    charts.served.draw(lines(({ served }) => served), finished);
    if (finished) charts.within.draw(lines(({ within }) => within), finished);
  };
  return {
    charts: el("div", { class: "charts" }, ...Object.values(charts).map(({ part }) => part)),
    table,
    underWay: (series, names) => draw(series, names, false),
    done({ cells: [head = [], ...runs], series, peaks }, names) {
      draw(series, names, true);
      fill(table, herd(peaks, names), numbers(head, runs, names));
    },
  };
}

/** How much of a herd each fleet is. */
function herd(peaks: readonly number[], names: readonly string[]): HTMLElement {
  const share = (thousandths: number): string => `${(thousandths / 10).toFixed(1)} %`;
  const bars = peaks.map((peak, at) =>
    el(
      "li",
      { class: `herd-${"ab"[at]}` },
      el("span", {}, names[at] ?? ""),
      el("meter", { min: 0, max: 1_000, value: peak, "aria-label": stampede.peakOf(names[at] ?? "") }),
      el("strong", {}, share(peak)),
    ),
  );
  return el("div", { class: "herd" }, el("h3", {}, stampede.peak), el("ul", {}, ...bars));
}

/** The table of `refrain simulate`, turned: a line for each number, a column for each policy. */
function numbers(head: readonly string[], runs: readonly (readonly string[])[], names: readonly string[]): HTMLElement {
  const rows = head.slice(1).map((name, at) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name, meaning(name)),
      ...runs.map((run) => el("td", { class: "number" }, run[at + 1] ?? "")),
    ),
  );
  const columns = runs.map((_, at) => el("th", { scope: "col", class: "number" }, names[at] ?? ""));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      {},
      el("caption", {}, `${stampede.numbers} `, el("code", {}, "refrain simulate")),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, stampede.number), ...columns)),
      el("tbody", {}, ...rows),
    ),
  );
}

function meaning(name: string): HTMLElement | null {
  const text = (stampede.columns as Readonly<Record<string, string>>)[name];
  return text === undefined ? null : el("span", { class: "hint" }, ` ${text}`);
}
