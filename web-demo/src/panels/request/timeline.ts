/**
 * The timeline: attempts above, waits below, and what a person did. All of it stands in the list of steps too.
 *
 * @module
 */

import { el, fill } from "../../dom.js";
import { span } from "../../format.js";
import { texts } from "../../texts.js";
import type { Run } from "./run.js";
import { segments, ticks, type Mark, type Segment } from "./segments.js";

const { request } = texts;

/** Draws a run as far as it is. */
export function drawTimeline(root: HTMLElement, run: Run): void {
  const { segments: all, marks } = segments(run.entries);
  const end = Math.max(1, run.now, ...all.map(({ planned, to }) => (to === null ? (planned ?? 0) : to)));
  const at = (mark: number): string => `${(mark / end) * 100}%`;
  const lane = (name: Segment["lane"], title: string): HTMLElement =>
    el(
      "div",
      { class: `lane ${name}` },
      el("span", { class: "lane-name" }, title),
      el("div", { class: "lane-track" }, ...all.filter((one) => one.lane === name).map((one) => bar(one, run, end))),
    );
  const axis = el("div", { class: "axis" }, ...ticks(end, 5).map((tick) => placed(el("span", {}, span(tick)), at(tick))));
  const signs = el("div", { class: "signs" }, ...marks.map((mark) => sign(mark, at)));
  if (!run.result) signs.append(placed(el("i", { class: "cursor" }), at(run.now)));
  fill(root, lane("send", request.sends), lane("wait", request.waits), axis, signs);
  const count = (lane: Segment["lane"]): number => all.filter((one) => one.lane === lane).length;
  const over = run.result ? "" : request.underWay;
  root.setAttribute("aria-label", request.timelineLabel(count("send"), count("wait"), over).trim());
}

function bar(segment: Segment, run: Run, end: number): HTMLElement {
  const { lane, from, to, planned, came } = segment;
  const reached = to ?? run.now;
  const whole = Math.max(reached, to === null ? (planned ?? 0) : 0);
  const share = (whole - from) / end;
  const [long, short] = labels(segment);
  const text = share > ROOM.long ? long : share > ROOM.short ? short : "";
  const one = el("div", { class: `bar ${lane} ${came}`, title: long }, el("i", {}), el("span", {}, text));
  place(one, `${(from / end) * 100}%`);
  one.style.width = `${share * 100}%`;
  const done = whole > from ? (reached - from) / (whole - from) : 1;
  one.style.setProperty("--done", `${done * 100}%`);
  return one;
}

/** The share of the timeline that a label needs. */
const ROOM = { long: 0.22, short: 0.05 };

function labels({ lane, label, status, from, planned }: Segment): readonly [string, string] {
  if (lane === "send") return [status === null ? label : `${label} · ${status}`, label];
  return [planned === null ? label : `${label} · ${span(planned - from)}`, ""];
}

function sign({ at: mark, what }: Mark, at: (mark: number) => string): HTMLElement {
  return placed(el("i", { class: `sign ${what}` }), at(mark));
}

function placed(element: HTMLElement, left: string): HTMLElement {
  place(element, left);
  return element;
}

function place(element: HTMLElement, left: string): void {
  element.style.insetInlineStart = left;
}
