/**
 * Where a policy is chosen or written: errors stand under the text, and each leads to its place.
 *
 * @module
 */

import "./policy.css";
import { DocumentError, type Compiled, type Compiler } from "@refrain/fetch/dynamic";
import type { Problem } from "@refrain/fetch/engine";
import { button, choice, el, field, fill, unique } from "../dom.js";
import { READY, ready } from "../policies.js";
import { texts } from "../texts.js";

/** A policy as it is written. */
export interface Written {
  readonly text: string;
  /** `null` for a document that is refused. */
  readonly policy: Compiled | null;
}

/** Where a policy is chosen or written. */
export interface PolicyEditor {
  /** To be put into a panel. */
  readonly part: HTMLElement;
  /** What is written at this moment. */
  readonly written: () => Written;
  /** What a link holds of it: the name of a ready-made policy that was not changed, or the document. */
  readonly state: () => { readonly policy: string } | { readonly document: string };
}

/** What a link held of it. */
export interface PolicyState {
  readonly policy?: string | undefined;
  readonly document?: string | undefined;
}

/**
 * Makes one.
 *
 * @param begin what a link held; what is unknown there stands for `otherwise`, the name of a ready-made policy
 * @param changed is called after every change
 */
export async function policyEditor(
  compiler: Compiler,
  begin: PolicyState,
  otherwise: string,
  changed: (written: Written) => void,
): Promise<PolicyEditor> {
  const name = begin.policy !== undefined && READY.includes(begin.policy) ? begin.policy : otherwise;
  let chosen = { name, text: (await ready(name)) ?? "" };
  const problems = el("ul", { class: "problems", id: unique("problems"), "aria-live": "polite" });
  const area = el("textarea", { rows: 16, spellcheck: "false", autocapitalize: "off", wrap: "off" });
  const select = choice([["", texts.editor.own], ...READY.map((name) => [name, name] as const)], name);
  let policy: Compiled | null = null;
  const check = (): void => {
    const { compiled, found } = compile(compiler, area.value);
    policy = compiled;
    select.value = area.value === chosen.text ? chosen.name : "";
    area.setAttribute("aria-invalid", String(!compiled));
    fill(problems, ...found.map((problem) => entry(problem, area)));
  };
  const tell = (): void => {
    check();
    changed({ text: area.value, policy });
  };
  area.value = begin.document ?? chosen.text;
  area.addEventListener("input", tell);
  select.addEventListener("change", async () => {
    const { value } = select;
    const text = await ready(value);
    // "Your own" is what it becomes by writing.
    if (text === undefined || select.value !== value) return check();
    chosen = { name: value, text };
    area.value = text;
    tell();
  });
  check();
  const written = field(texts.editor.document, area, texts.editor.hint);
  area.setAttribute("aria-describedby", `${area.getAttribute("aria-describedby")} ${problems.id}`);
  return {
    part: el("div", { class: "policy-editor" }, field(texts.editor.ready, select), written, problems),
    written: () => ({ text: area.value, policy }),
    state: () => (area.value === chosen.text ? { policy: chosen.name } : { document: area.value }),
  };
}

function compile(compiler: Compiler, text: string): { compiled: Compiled | null; found: readonly Problem[] } {
  try {
    const compiled = compiler.compile(text);
    return { compiled, found: compiled.warnings };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { compiled: null, found: error.problems };
  }
}

function entry({ severity, line, column, message, help }: Problem, area: HTMLTextAreaElement): HTMLElement {
  const place = button(texts.editor.place(line, column), () => goTo(area, line, column), { class: "small" });
  const what = el("span", {}, el("strong", {}, texts.editor[severity]), ` ${message}`);
  return el("li", { class: severity }, what, help !== null && el("span", { class: "hint" }, help), place);
}

/** Puts the cursor to a place in the text; both count from 1. */
function goTo(area: HTMLTextAreaElement, line: number, column: number): void {
  const lines = area.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  // Columns count characters, and a text its UTF-16 units.
  const within = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  area.focus();
  area.setSelectionRange(before + within, before + (lines[line - 1] ?? "").length);
  area.scrollTop = ((line - 3) / lines.length) * area.scrollHeight;
}
