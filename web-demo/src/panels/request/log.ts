/**
 * The list of steps, which screen readers hear as it grows, and what the caller gets.
 *
 * @module
 */

import type { Resume } from "@refrain/fetch";
import { el, fill } from "../../dom.js";
import { clock, isMoment, moment, span } from "../../format.js";
import { texts } from "../../texts.js";
import type { Entry, Result, Run } from "./run.js";
import { sentence } from "./sentences.js";

const { results } = texts.request;

/** Brings the list up to date: what stands in it stays, so that only what is new is read out. */
export function showLog(list: HTMLElement, { entries }: Pick<Run, "entries">): void {
  while (list.children.length > entries.length) list.lastElementChild!.remove();
  const added = entries.slice(list.children.length);
  list.append(...added.map(line));
  const scrolling = list.parentElement;
  if (added.length && scrolling) scrolling.scrollTop = scrolling.scrollHeight;
}

function line(entry: Entry): HTMLElement {
  const { what, why } = sentence(entry);
  const kind = entry.by === "person" ? "person" : entry.type;
  return el(
    "li",
    { class: kind },
    el("span", { class: "time" }, clock(entry.at)),
    el("span", {}, el("strong", {}, what), " ", why && el("span", { class: "why" }, why)),
  );
}

/** Shows what the caller gets. */
export function showResult(root: HTMLElement, result: Result | null): void {
  if (!result) return fill(root);
  const isGood = result.type === "response" && result.status < 300;
  fill(
    root,
    el("h3", {}, texts.request.result),
    el("p", { class: isGood ? "verdict" : "verdict bad" }, headline(result)),
    result.type !== "cancelled" && el("dl", { class: "facts" }, ...facts(result)),
  );
}

function headline(result: Result): string {
  if (result.type === "response") return results.response(result.status);
  return result.type === "error" ? results.error(result.error.reason) : results.cancelled;
}

function facts(result: Exclude<Result, { type: "cancelled" }>): readonly HTMLElement[] {
  const { attempts, maybeApplied, resume } = result.type === "response" ? result.outcome : result.error;
  const rows: [string, string][] = [
    [results.attempts, String(attempts)],
    [results.maybeApplied, maybeApplied ? results.maybe : results.notMaybe],
  ];
  if (resume) rows.push([results.comeBack, comeBack(resume)]);
  return rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);
}

function comeBack({ delay, notBefore, attemptsUsed }: Resume): string {
  const after = delay < Number.MAX_SAFE_INTEGER ? results.afterSpan(span(delay)) : results.unknownWhen;
  const when = isMoment(notBefore) ? results.notBefore(moment(notBefore / 1_000)) : "";
  return `${after}${when}${results.withUsed(attemptsUsed)}.`;
}
