/**
 * One of the two policies: which document, how random, how many sends.
 *
 * @module
 */

import { DocumentError, type Compiler } from "@refrain/fetch/dynamic";
import { el, field, fill, unique } from "../../dom.js";
import { documentEditor } from "../../editor/policy.js";
import type { Shipped } from "../../lab.js";
import type { State } from "../../panel.js";
import { READY, ready } from "../../policies.js";
import { texts } from "../../texts.js";
import { adjusted } from "./adjust.js";
import { slide } from "./slide.js";
import type { Begin, Slider } from "./sliders.js";

const { stampede } = texts;

/** Left of nothing: as the document says. */
const AS_WRITTEN = -1;

const JITTER: Omit<Slider, "key"> = {
  label: stampede.jitter,
  places: [AS_WRITTEN, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
  begin: AS_WRITTEN,
  say: (value) => (value === AS_WRITTEN ? stampede.asWritten : stampede.jitterOf(value)),
};

const SENDS: Omit<Slider, "key"> = {
  label: stampede.sends,
  places: [AS_WRITTEN, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20],
  begin: AS_WRITTEN,
  say: (value) => (value === AS_WRITTEN ? stampede.asWritten : String(value)),
};

/** One of the two policies. */
export interface Side {
  readonly part: HTMLElement;
  /** What it is called. */
  readonly name: () => string;
  /** The document as it is turned; `null` if it is refused. */
  readonly document: () => string | null;
  /** What a link holds of it. */
  readonly state: () => State;
  /** Takes those of a scenario, and one of them to begin with. */
  readonly offer: (policies: Shipped["policies"], begin: Begin) => void;
}

/**
 * Makes one.
 *
 * @param letter `a` or `b`, before each name in a link
 * @param changed is called after every change that a person makes
 */
export async function side(compiler: Compiler, letter: "a" | "b", link: State, changed: () => void): Promise<Side> {
  const documents = new Map(await Promise.all(READY.map(async (name) => [name, (await ready(name)) ?? ""] as const)));
  const select = el("select");
  const fault = el("div", { class: "side-fault", role: "status" });
  const tell = (): void => {
    check();
    changed();
  };
  const jitter = slide({ ...JITTER, key: `${letter}-jitter` }, link, tell);
  const sends = slide({ ...SENDS, key: `${letter}-sends` }, link, tell);
  const editor = documentEditor(compiler, "", () => {
    select.value = "";
    tell();
  });
  let turned: string | null = null;
  const check = (): void => {
    const { policy } = editor.written();
    turned = null;
    fill(fault);
    if (!policy) return fill(fault, el("p", { class: "fault" }, stampede.refused));
    try {
      const document = adjusted(policy.json ?? "", notes(jitter.value()), notes(sends.value()));
      compiler.compile(document, "json");
      turned = document;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      fill(fault, ...error.problems.map(({ message }) => el("p", { class: "fault" }, stampede.cannotBeTurned(message))));
    }
  };
  select.addEventListener("change", () => {
    const text = documents.get(select.value);
    if (text !== undefined) editor.write(text);
    tell();
  });
  const group = (label: string, names: readonly string[]): HTMLElement =>
    el("optgroup", { label }, ...names.map((name) => el("option", { value: name }, name)));
  const offer = (policies: Shipped["policies"], begin: Begin): void => {
    for (const [name, document] of policies) documents.set(name, document);
    const own = el("option", { value: "" }, texts.editor.own);
    fill(select, own, group(stampede.ofScenario, policies.map(([name]) => name)), group(stampede.readyMade, READY));
    select.value = begin.policy;
    editor.write(documents.get(begin.policy) ?? "");
    jitter.set(begin.jitter ?? AS_WRITTEN);
    sends.set(AS_WRITTEN);
    check();
  };
  const heading = el("h2", { id: unique("side") }, el("span", { class: "swatch", "aria-hidden": "true" }), stampede.policy(letter));
  const written = el("details", {}, el("summary", {}, texts.editor.document), editor.part);
  const part = el(
    "section",
    { class: `card side side-${letter}`, "aria-labelledby": heading.id },
    heading,
    field(texts.editor.ready, select),
    el("div", { class: "sliders" }, jitter.part, sends.part),
    fault,
    written,
  );
  return {
    part,
    name: () => editor.written().policy?.description.name ?? texts.editor.own,
    document: () => turned,
    state: () => ({
      ...(select.value ? { [letter]: select.value } : { [`${letter}-document`]: editor.written().text }),
      ...jitter.state(),
      ...sends.state(),
    }),
    offer: (policies, begin) => {
      const [name, document] = [link[letter], link[`${letter}-document`]];
      offer(policies, begin);
      // What the link says holds for the scenario that it names, and not for one that is chosen later.
      if (document !== undefined) {
        select.value = "";
        editor.write(document);
        written.open = true;
      } else if (name !== undefined && documents.has(name)) {
        select.value = name;
        editor.write(documents.get(name)!);
      }
      jitter.take(link);
      sends.take(link);
      link = {};
      check();
    },
  };
}

function notes(value: number): number | null {
  return value === AS_WRITTEN ? null : value;
}
