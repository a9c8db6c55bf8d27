/**
 * "Policy workshop": a document is written, explained, and baked into an artifact.
 *
 * @module
 */

import "./workshop.css";
import { compiler } from "../../compiler.js";
import { el, section } from "../../dom.js";
import { policyEditor, type Written } from "../../editor/policy.js";
import { loadLab } from "../../lab.js";
import type { Mount } from "../../panel.js";
import { texts } from "../../texts.js";
import { baker } from "./bake.js";
import { helper } from "./help.js";
import { showMeaning } from "./meaning.js";

const { workshop } = texts;

export const mount: Mount = async (root, link) => {
  const [lab, compile] = await Promise.all([loadLab(), compiler()]);
  const { policy, document } = link.state;
  const meaning = el("div", { class: "meaning stack", role: "status" });
  const bake = baker(lab);
  const changed = (written: Written): void => {
    link.save(editor.state());
    show(written);
  };
  const show = ({ text, policy }: Written): void => {
    showMeaning(meaning, policy && lab.explain(text));
    bake.take(policy && text);
  };
  const editor = await policyEditor(compile, { policy, document }, "api-client", changed);
  const help = helper(lab, editor.area, link.signal);
  root.append(
    el(
      "div",
      { class: "workshop" },
      el("div", { class: "stack" }, section(workshop.write, editor.part), section(workshop.help, help)),
      el("div", { class: "stack" }, section(workshop.bake, bake.part), section(workshop.meaning, meaning)),
    ),
  );
  show(editor.written());
};
