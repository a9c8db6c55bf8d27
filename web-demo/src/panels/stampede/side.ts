/**
 * One of the two policies: which document, how random, how many sends.
 *
 * @module
 */

import { DocumentError, type Compiler } from "@refrain/fetch/dynamic";
import { el, fill, unique } from "../../dom.js";
import type { Shipped } from "../../lab.js";
import type { State } from "../../panel.js";
import { texts } from "../../texts.js";
import { adjusted } from "./adjust.js";
import { pick, type Pick } from "./pick.js";
import { slide } from "./slide.js";
import type { Slider } from "./sliders.js";

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
  readonly offer: (policies: Shipped["policies"], begin: string) => void;
}

/**
 * Makes one.
 *
 * @param letter `a` or `b`, before each name in a link
 * @param changed is called after every change that a person makes
 */
export async function side(compiler: Compiler, letter: "a" | "b", link: State, changed: () => void): Promise<Side> {
  let turned: string | null = null;
  const fault = el("div", { class: "side-fault", role: "status" });
  const check = (): void => {
    const { document, faults } = turn(compiler, picked, jitter.value(), sends.value());
    turned = document;
    fill(fault, ...faults.map((text) => el("p", { class: "fault" }, text)));
  };
  const tell = (): void => {
    check();
    changed();
  };
  const jitter = slide({ ...JITTER, key: `${letter}-jitter` }, link, tell);
  const sends = slide({ ...SENDS, key: `${letter}-sends` }, link, tell);
  const picked = await pick(compiler, letter, tell);
  const heading = el("h2", { id: unique("side") }, el("span", { class: "swatch", "aria-hidden": "true" }), stampede.policy(letter));
  return {
    part: el(
      "section",
      { class: `card side side-${letter}`, "aria-labelledby": heading.id },
      heading,
      picked.chosen,
      el("div", { class: "sliders" }, jitter.part, sends.part),
      fault,
      picked.written,
    ),
    name: () => picked.read().policy?.description.name ?? texts.editor.own,
    document: () => turned,
    state: () => ({ ...picked.state(), ...jitter.state(), ...sends.state() }),
    offer(policies, begin) {
      if (picked.offer(policies, begin)) for (const one of [jitter, sends]) one.set(AS_WRITTEN);
      for (const one of [picked, jitter, sends]) one.take(link);
      // What the link says holds for the scenario that it names, and not for one that is chosen later.
      link = {};
      check();
    },
  };
}

/** A document as it is turned, or why it cannot be. */
function turn(
  compiler: Compiler,
  picked: Pick,
  jitter: number,
  sends: number,
): { readonly document: string | null; readonly faults: readonly string[] } {
  const { policy } = picked.read();
  if (!policy) return { document: null, faults: [stampede.refused] };
  try {
    const document = adjusted(policy.json ?? "", chosen(jitter), chosen(sends));
    compiler.compile(document, "json");
    return { document, faults: [] };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { document: null, faults: error.problems.map(({ message }) => stampede.cannotBeTurned(message)) };
  }
}

function chosen(value: number): number | null {
  return value === AS_WRITTEN ? null : value;
}
