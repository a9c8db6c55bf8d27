/**
 * Bakes the document into an artifact, as the command line does, and hands it over.
 *
 * @module
 */

import { hashOf } from "../../address.js";
import { button, el, fill, save } from "../../dom.js";
import { group } from "../../format.js";
import type { Lab } from "../../lab.js";
import { texts } from "../../texts.js";

const { workshop } = texts;

/** Where artifacts are made. */
export interface Baker {
  readonly part: HTMLElement;
  /** Takes the document that is baked next, `null` if none can be; what was baked before is no longer shown. */
  readonly take: (document: string | null) => void;
}

/** Makes it. */
export function baker(lab: Lab): Baker {
  let document: string | null = null;
  const made = el("div", { class: "baked stack", role: "status" });
  const press = button(workshop.press, () => void bake(document), { class: "primary" });
  const watch = el("a", { class: "button" }, workshop.watch);
  const bake = async (text: string | null): Promise<void> => {
    if (text === null) return;
    try {
      const shown = artifact(await lab.bake(text));
      if (text === document) fill(made, shown);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (text === document) fill(made, el("p", { class: "fault" }, workshop.notBaked(reason)));
    }
  };
  return {
    part: el("div", { class: "stack" }, el("p", { class: "hint" }, workshop.bakeHint), el("div", { class: "row" }, press, watch), made),
    take(next) {
      if (next === document) return;
      document = next;
      press.disabled = next === null;
      watch.hidden = next === null;
      watch.href = hashOf({ panel: "stampede", state: { "b-document": next ?? "" } });
      fill(made);
    },
  };
}

type Pinned = Awaited<ReturnType<Lab["bake"]>>;

/** Shows an artifact, and frees what it was handed over in. */
function artifact(pinned: Pinned): HTMLElement {
  const { name, version, bytes, digest, coreDigest } = pinned;
  pinned.free();
  const file = `${name}.wasm`;
  const row = (label: string, ...value: readonly (Node | string)[]): readonly HTMLElement[] => [
    el("dt", {}, label),
    el("dd", {}, ...value),
  ];
  return el(
    "div",
    { class: "artifact" },
    el(
      "dl",
      {},
      ...row(workshop.policy, `${name} ${version}`),
      ...row(workshop.file, workshop.bytes(file, group(bytes.length))),
      ...row(workshop.digest, el("code", { class: "digest" }, digest)),
      ...row(workshop.coreDigest, el("code", { class: "digest" }, coreDigest)),
    ),
    el("div", { class: "row" }, button(workshop.download(file), () => save(file, "application/wasm", bytes.slice().buffer))),
    el("p", { class: "hint" }, workshop.commandLine),
    el("pre", { class: "code" }, `refrain pin ${name}.toml`),
  );
}
