/**
 * "Follow a request": a policy, a scripted server, and every step in between, on virtual time or for real.
 *
 * @module
 */

import "./request.css";
import { compiler } from "../../compiler.js";
import { el, fill, section } from "../../dom.js";
import { clock } from "../../format.js";
import type { Mount } from "../../panel.js";
import { texts } from "../../texts.js";
import { controlsOf } from "./controls.js";
import { exampleLinks } from "./examples.js";
import { formOf } from "./form.js";
import { showLog, showResult } from "./log.js";
import { Player } from "./player.js";
import { followedOf, setupOf, stateOf } from "./setup.js";
import { drawTimeline } from "./timeline.js";

const { request } = texts;

/** How far the request of a link without state is: in a wait that the server asked for, so that there is something to see. */
const WELCOME = { presses: [], until: 2_600 } as const;

export const mount: Mount = async (root, link) => {
  const shown = view();
  const player = new Player(() => update(), link.signal);
  const save = (): void => link.save(stateOf(form.setup(), player.followed));
  const load = (): void => {
    player.load(form.setup(), form.policy());
    save();
  };
  const form = await formOf(await compiler(), setupOf(link.state), load);
  const controls = controlsOf(player, { restart: load, roll: form.roll, save });
  const update = (): void => {
    controls.update(form.setup().mode, form.policy() !== null);
    shown.update(player, form.setup().mode, form.policy() !== null);
  };
  const run = section(request.run, controls.part, shown.part);
  root.append(exampleLinks(), el("div", { class: "follow" }, el("div", { class: "stack run" }, run), form.part));
  player.load(form.setup(), form.policy());
  await player.follow(Object.keys(link.state).length ? followedOf(link.state) : WELCOME);
};

/** What is seen of a run. */
interface View {
  readonly part: HTMLElement;
  readonly update: (player: Player, mode: "virtual" | "real", isAllowed: boolean) => void;
}

function view(): View {
  const now = el("p", { class: "now" });
  const said = el("p", { class: "note", role: "status" });
  const timeline = el("div", { class: "timeline", role: "img" });
  const list = el("ol");
  const log = el("div", { class: "log", role: "log", "aria-label": request.log, tabindex: 0 }, list);
  const result = el("div", { class: "result", role: "status" });
  let followed: Player["run"] = null;
  return {
    part: el("div", { class: "stack" }, now, said, timeline, result, log),
    update(player, mode, isAllowed) {
      const { run } = player;
      if (run !== followed) list.replaceChildren();
      followed = run;
      const text = isAllowed ? noteOf(player, mode) : request.noPolicy;
      if (said.textContent !== text) said.textContent = text;
      said.hidden = !text;
      for (const part of [now, timeline, log]) part.hidden = !run;
      if (run) {
        fill(now, `${request.now} `, el("strong", {}, clock(run.now)));
        drawTimeline(timeline, run);
        showLog(list, run);
      }
      if (result.dataset["of"] !== String(run?.result?.type)) showResult(result, run?.result ?? null);
      result.dataset["of"] = String(run?.result?.type);
    },
  };
}

function noteOf({ run, isStuck }: Player, mode: "virtual" | "real"): string {
  if (!run) return mode === "virtual" ? request.ready : request.readyReal;
  return isStuck ? request.stuck : "";
}
