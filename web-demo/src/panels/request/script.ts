/**
 * Where the server's answers are written, one for each attempt.
 *
 * @module
 */

import { button, choice, el, fill } from "../../dom.js";
import { texts } from "../../texts.js";
import type { Answer } from "./setup.js";

const { request } = texts;

/** What a new row holds. */
const NEW: Answer = { type: "status", status: 503, retryAfter: "", after: 150 };

/** Where the answers are written. */
export interface ScriptEditor {
  readonly part: HTMLElement;
  readonly script: () => readonly Answer[];
}

/** Makes one. `changed` is called after every change. */
export function scriptEditor(begin: readonly Answer[], changed: () => void): ScriptEditor {
  let rows: Row[] = [];
  const list = el("ol", { class: "answers" });
  const arrange = (next: Row[]): void => {
    rows = next;
    fill(list, ...rows.map((row, at) => item(row, at, rows.length > 1 ? () => remove(row) : undefined)));
  };
  const remove = (row: Row): void => {
    const at = rows.indexOf(row);
    arrange(rows.filter((other) => other !== row));
    // Who works by keyboard goes on where the row was.
    rows[Math.min(at, rows.length - 1)]!.type.focus();
    changed();
  };
  const append = (): void => {
    const row = rowOf(NEW, changed);
    arrange([...rows, row]);
    row.type.focus();
    changed();
  };
  arrange(begin.map((answer) => rowOf(answer, changed)));
  return {
    part: el("div", { class: "script" }, list, button(request.add, append, { class: "small" })),
    script: () => rows.map((row) => row.read()),
  };
}

/** The controls of one answer. */
interface Row {
  readonly type: HTMLSelectElement;
  readonly controls: readonly (readonly [string, HTMLElement])[];
  readonly read: () => Answer;
}

function rowOf(answer: Answer, changed: () => void): Row {
  const kinds = [["status", request.kindStatus], ["lost", request.kindLost], ["silent", request.kindSilent]] as const;
  const type = choice<Answer["type"]>(kinds, answer.type);
  const status = el("input", { type: "number", min: 200, max: 599, value: answer.status });
  const after = el("input", { type: "number", min: 0, max: 86_400_000, value: answer.after });
  const retryAfter = el("input", { type: "text", class: "code", autocomplete: "off", spellcheck: "false", value: answer.retryAfter });
  const apply = (): void => {
    status.disabled = retryAfter.disabled = type.value !== "status";
    after.disabled = type.value === "silent";
  };
  for (const control of [type, status, after, retryAfter]) {
    control.addEventListener("input", () => {
      apply();
      changed();
    });
  }
  apply();
  return {
    type,
    controls: [[request.kind, type], [request.status, status], [request.after, after], [request.retryAfter, retryAfter]],
    read: () => ({
      type: type.value as Answer["type"],
      status: between(status, answer.status),
      retryAfter: retryAfter.value,
      after: between(after, answer.after),
    }),
  };
}

/** The whole number in a field, or the one that stood there at first if it holds none that it takes. */
function between(input: HTMLInputElement, otherwise: number): number {
  const isTaken = input.value !== "" && input.checkValidity() && Number.isInteger(input.valueAsNumber);
  input.setAttribute("aria-invalid", String(!isTaken));
  return isTaken ? input.valueAsNumber : otherwise;
}

function item(row: Row, at: number, remove?: () => void): HTMLElement {
  const name = request.answer(at + 1);
  const fields = row.controls.map(([label, control]) => {
    control.setAttribute("aria-label", `${name}: ${label}`);
    return el("label", {}, el("span", {}, label), control);
  });
  return el(
    "li",
    {},
    ...fields,
    remove && button("×", remove, { class: "small remove", "aria-label": request.removeAnswer(at + 1), title: request.remove }),
  );
}
