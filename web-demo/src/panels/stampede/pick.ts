/**
 * Where one of the two documents is chosen or written.
 *
 * @module
 */

import type { Compiler } from "@refrain/fetch/dynamic";
import { el, field, fill } from "../../dom.js";
import { documentEditor, type Written } from "../../editor/policy.js";
import type { Shipped } from "../../lab.js";
import type { State } from "../../panel.js";
import { READY, ready } from "../../policies.js";
import { texts } from "../../texts.js";

const { stampede } = texts;

/** Where a document is chosen or written. */
export interface Pick {
  readonly chosen: HTMLElement;
  readonly written: HTMLElement;
  readonly read: () => Written;
  /**
   * Offers the documents of a scenario, and takes one by its name, unless a person has chosen a ready-made one or has
   * written one: that is kept.
   *
   * @returns whether it was taken
   */
  readonly offer: (policies: Shipped["policies"], name: string) => boolean;
  /** Takes what a link says, if it says something. */
  readonly take: (link: State) => void;
  /** What a link holds of it. */
  readonly state: () => State;
}

/**
 * Makes it.
 *
 * @param letter `a` or `b`: the name in a link
 * @param changed is called after every change that a person makes
 */
export async function pick(compiler: Compiler, letter: "a" | "b", changed: () => void): Promise<Pick> {
  const documents = new Map(await Promise.all(READY.map(async (name) => [name, (await ready(name)) ?? ""] as const)));
  const select = el("select");
  const editor = documentEditor(compiler, "", () => {
    // "Your own" is what it becomes by writing.
    select.value = "";
    changed();
  });
  const written = el("details", {}, el("summary", {}, texts.editor.document), editor.part);
  const choose = (name: string): void => {
    select.value = name;
    editor.write(documents.get(name) ?? "");
  };
  select.addEventListener("change", () => {
    if (select.value) choose(select.value);
    else written.open = true;
    changed();
  });
  return {
    chosen: field(texts.editor.ready, select),
    written,
    read: editor.written,
    offer(policies, name) {
      const kept = select.value;
      const keeps = READY.includes(kept) || (kept === "" && editor.written().text !== "");
      for (const [name, document] of policies) documents.set(name, document);
      const own = el("option", { value: "" }, texts.editor.own);
      fill(select, own, group(stampede.ofScenario, policies.map(([name]) => name)), group(stampede.readyMade, READY));
      if (keeps) select.value = kept;
      else choose(name);
      return !keeps;
    },
    take(link) {
      const [name, document] = [link[letter], link[`${letter}-document`]];
      if (name !== undefined && documents.has(name)) choose(name);
      if (document === undefined) return;
      select.value = "";
      editor.write(document);
      written.open = true;
    },
    state: () => (select.value ? { [letter]: select.value } : { [`${letter}-document`]: editor.written().text }),
  };
}

function group(label: string, names: readonly string[]): HTMLElement {
  return el("optgroup", { label }, ...names.map((name) => el("option", { value: name }, name)));
}
