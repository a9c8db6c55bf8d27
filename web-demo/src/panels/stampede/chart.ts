/**
 * A chart of two lines, with the same numbers as a table for who does not see it.
 *
 * @module
 */

import "uplot/dist/uPlot.min.css";
import uPlot from "uplot";
import { el, fill, unique } from "../../dom.js";
import type { Points } from "../../lab.js";
import { texts } from "../../texts.js";

const { stampede } = texts;

/** What a chart shows. */
export interface ChartOf {
  readonly title: string;
  /** What is counted along, in one word or two. */
  readonly x: string;
  /** What a value is. */
  readonly y: string;
  /** A value in words. */
  readonly say: (value: number) => string;
  /** Steps, each from its beginning to that of the next, rather than a line through points. */
  readonly steps: boolean;
}

/** A line, and its name. */
export interface Line {
  readonly name: string;
  readonly points: Points;
}

/** A chart on the page. */
export interface Chart {
  readonly part: HTMLElement;
  /** Draws lines; those of a run that is under way have no table yet. */
  readonly draw: (lines: readonly Line[], finished: boolean) => void;
}

const HEIGHT = 240;
/** Steps between the labels of an axis: what is counted has no halves. */
const WHOLE = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].flatMap((power) => [power, 2 * power, 5 * power]);
/** Most lines of a table. */
const ROWS = 60;

/** Makes one, which ends with `signal`. */
export function chart(of: ChartOf, signal: AbortSignal): Chart {
  const canvas = el("div", { class: "plot", role: "img" });
  const table = el("details", { class: "plot-table" });
  const caption = el("h3", { id: unique("chart") }, of.title);
  const part = el("figure", { class: "chart", "aria-labelledby": caption.id }, caption, canvas, table);
  let plot: uPlot | undefined;
  let shown: readonly Line[] = [];
  const draw = (): void => {
    const data = uPlot.join(shown.map(({ points: [x, y] }) => [[...x], [...y]] as uPlot.AlignedData));
    if (plot) return plot.setData(data);
    plot = new uPlot(options(of, shown, canvas.clientWidth || 600, part), data, canvas);
  };
  const anew = (): void => {
    plot?.destroy();
    plot = undefined;
    if (shown.length) draw();
  };
  new ResizeObserver(() => {
    if (plot && canvas.clientWidth) plot.setSize({ width: canvas.clientWidth, height: HEIGHT });
  }).observe(canvas);
  followColours(anew, signal);
  signal.addEventListener("abort", () => plot?.destroy());
  return {
    part,
    draw(lines, finished) {
      const same = lines.length === shown.length && lines.every(({ name }, at) => name === shown[at]?.name);
      shown = lines;
      if (same) draw();
      else anew();
      if (!finished) return;
      canvas.setAttribute("aria-label", summary(of, lines));
      fill(table, el("summary", {}, stampede.asTable), el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": of.title }, tableOf(of, lines)));
    },
  };
}

function options(of: ChartOf, lines: readonly Line[], width: number, part: HTMLElement): uPlot.Options {
  const { color, fontFamily } = getComputedStyle(part);
  const tone = (name: string): string => resolved(part, name);
  const axis = { stroke: color, font: `12px ${fontFamily}`, grid: { stroke: tone("--line"), width: 1 }, ticks: { show: false } };
  const stepped = of.steps ? uPlot.paths.stepped!({ align: 1 }) : undefined;
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false, range: (_, __, last) => [0, last > 0 ? last : 1] }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    legend: { live: false },
    cursor: { y: false, points: { show: false } },
    axes: [
      { ...axis, label: of.x, labelFont: `12px ${fontFamily}`, labelSize: 20, size: 32 },
      { ...axis, size: (_, labels) => widthOf(labels), incrs: WHOLE, values: (_, values) => values.map(of.say) },
    ],
    series: [
      {},
      ...lines.map(({ name }, at) => ({
        label: name,
        stroke: tone(`--series-${at + 1}`),
        width: 2,
        ...(at === 1 && { dash: [6, 4] }),
        spanGaps: true,
        points: { show: false },
        ...(stepped && { paths: stepped }),
      })),
    ],
  };
}

/** Room for the longest label, in pixels; uPlot asks before there are any. */
function widthOf(labels: readonly string[] | null): number {
  return Math.max(56, ...(labels ?? []).map(({ length }) => 20 + 7 * length));
}

/** The colour that a custom property is, in a form that a canvas knows. */
function resolved(part: HTMLElement, name: string): string {
  const probe = el("span");
  part.append(probe);
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls `changed` when the page becomes light or dark. */
function followColours(changed: () => void, signal: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, { signal });
  const theme = new MutationObserver(changed);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => theme.disconnect());
}

/** The highest point of each line, in words. */
function summary(of: ChartOf, lines: readonly Line[]): string {
  const highest = lines.map(({ name, points: [x, y] }) => {
    const most = y.reduce((most, value) => Math.max(most, value), 0);
    return stampede.highest(name, of.say(most), of.say(x[y.indexOf(most)] ?? 0));
  });
  return `${of.title}. ${highest.join(" ")}`;
}

/** The points of all lines, thinned out where there are many. */
function tableOf(of: ChartOf, lines: readonly Line[]): HTMLElement {
  const [x = [], ...columns] = uPlot.join(lines.map(({ points: [x, y] }) => [[...x], [...y]] as uPlot.AlignedData));
  const each = Math.ceil(x.length / ROWS) || 1;
  const cell = (value: number | null | undefined): HTMLElement => el("td", { class: "number" }, value == null ? "–" : of.say(value));
  const rows = [...x.keys()].filter((at) => at % each === 0).map((at) =>
    el("tr", {}, el("th", { scope: "row" }, String(Number(x[at]!.toFixed(3)))), ...columns.map((column) => cell(column[at]))),
  );
  return el(
    "table",
    {},
    el("caption", {}, each > 1 ? stampede.everyOf(of.y, each) : of.y),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, of.x), ...lines.map(({ name }) => el("th", { scope: "col", class: "number" }, name)))),
    el("tbody", {}, ...rows),
  );
}
