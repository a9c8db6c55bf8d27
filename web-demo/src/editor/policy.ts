/**
 * Where a policy is chosen or written: errors stand under the text, and each leads to its place.
 *
 * @module
 */

import "./policy.css";
import { DocumentError, type Compiled, type Compiler } from "@refrain/fetch/dynamic";
import type { Problem } from "@refrain/fetch/engine";
import { button, choice, coded, el, field, fill, unique } from "../dom.js";
import { READY, ready } from "../policies.js";
import { texts } from "../texts.js";
import { codeArea } from "./code.js";

/** A policy as it is written. */
export interface Written {
  readonly text: string;
  /** `null` for a document that is refused. */
  readonly policy: Compiled | null;
}

/** Where a document is written. */
export interface DocumentEditor {
  /** To be put into a panel. */
  readonly part: HTMLElement;
  readonly area: HTMLTextAreaElement;
  /** What is written at this moment. */
  readonly written: () => Written;
  /** Writes another document, of which `changed` is not told. */
  readonly write: (text: string) => void;
}

/**
 * Makes one.
 *
 * @param changed is called after every change that a person makes
 */
export function documentEditor(compiler: Compiler, begin: string, changed: () => void): DocumentEditor {
  const problems = el("ul", { class: "problems", id: unique("problems"), "aria-live": "polite" });
  const code = codeArea();
  const { area } = code;
  let policy: Compiled | null = null;
  const check = (): void => {
    const { compiled, found } = compile(compiler, area.value);
    policy = compiled;
    area.setAttribute("aria-invalid", String(!compiled));
    code.mark(found);
    fill(problems, ...found.map((problem) => entry(problem, area)));
  };
  const write = (text: string): void => {
    area.value = text;
    check();
  };
  area.addEventListener("input", () => {
    check();
    changed();
  });
  const written = field(texts.editor.document, area, texts.editor.hint);
  area.replaceWith(code.part);
  code.part.append(area);
  area.setAttribute("aria-describedby", `${area.getAttribute("aria-describedby")} ${problems.id}`);
  write(begin);
  return {
    part: el("div", { class: "policy-editor" }, written, problems),
    area,
    written: () => ({ text: area.value, policy }),
    write,
  };
}

/** Where a policy is chosen or written. */
export interface PolicyEditor {
  /** To be put into a panel. */
  readonly part: HTMLElement;
  readonly area: HTMLTextAreaElement;
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
  const select = choice([["", texts.editor.own], ...READY.map((name) => [name, name] as const)], name);
  const editor = documentEditor(compiler, begin.document ?? chosen.text, () => tell());
  const { area } = editor;
  const showName = (): void => {
    select.value = area.value === chosen.text ? chosen.name : "";
  };
  const tell = (): void => {
    showName();
    changed(editor.written());
  };
  select.addEventListener("change", async () => {
    const { value } = select;
    const text = await ready(value);
    // "Your own" is what it becomes by writing.
    if (text === undefined || select.value !== value) return showName();
    chosen = { name: value, text };
    editor.write(text);
    tell();
  });
  showName();
  return {
    part: el("div", { class: "policy-editor" }, field(texts.editor.ready, select), editor.part),
    area,
    written: editor.written,
    state: () => (area.value === chosen.text ? { policy: chosen.name } : { document: area.value }),
  };
}

/** Compiles a document, and says what is wrong with it. */
export function compile(compiler: Compiler, text: string): { compiled: Compiled | null; found: readonly Problem[] } {
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
  const what = el("span", {}, el("strong", {}, texts.editor[severity]), " ", ...coded(message));
  return el("li", { class: severity }, what, help !== null && el("span", { class: "hint" }, ...coded(help)), place);
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
