/**
 * The buttons of a run.
 *
 * @module
 */

import { button, choice, el, field } from "../../dom.js";
import { texts } from "../../texts.js";
import type { Player } from "./player.js";
import type { Mode } from "./setup.js";

const { request } = texts;

/** What the buttons of a run do that the player does not. */
export interface Doing {
  readonly restart: () => void;
  readonly roll: () => void;
  /** Something happened that a link should hold. */
  readonly save: () => void;
}

/** The buttons. */
export interface Controls {
  readonly part: HTMLElement;
  /** Lets those be pressed that do something. */
  readonly update: (mode: Mode, isAllowed: boolean) => void;
}

/** Makes them. */
export function controlsOf(player: Player, { restart, roll, save }: Doing): Controls {
  const speed = choice(request.speeds.map((text) => [text.slice(1), text]), "10");
  const saved = (done: Promise<void>): void => void done.then(save);
  const step = button(request.step, () => saved(player.step()));
  const toEnd = button(request.toEnd, () => saved(player.toEnd()));
  const play = button(request.play, () => {
    if (player.isPlaying) player.pause();
    else saved(player.play(() => Number(speed.value)));
  }, { class: "primary" });
  const again = button(request.restart, restart, { class: "small" });
  const dice = button(request.roll, roll, { class: "small" });
  const act = (action: "cancel" | "session"): HTMLButtonElement =>
    button(request[action], () => {
      player.press(action);
      save();
    });
  const [cancel, session] = [act("cancel"), act("session")];
  const network = button(request.offline, () => {
    player.press(isOffline(player) ? "online" : "offline");
    save();
  });
  const pace = field(request.speed, speed);
  pace.classList.add("pace");
  const part = el(
    "div",
    { class: "controls" },
    el("div", { class: "row" }, play, step, toEnd, pace),
    el("div", { class: "row" }, cancel, session, network),
    el("div", { class: "row" }, again, dice, copier(save)),
  );
  const update = (mode: Mode, isAllowed: boolean): void => {
    const isVirtual = mode === "virtual";
    const isOver = player.run?.result != null;
    const isUnderWay = player.run !== null && !isOver;
    for (const one of [step, toEnd, dice, pace]) one.hidden = !isVirtual;
    play.textContent = isVirtual ? (player.isPlaying ? request.pause : request.play) : request.send;
    network.textContent = isOffline(player) ? request.online : request.offline;
    enable(isAllowed && !isOver && !player.isStuck && (isVirtual || !isUnderWay), play);
    enable(isAllowed && !isOver && !player.isStuck, step, toEnd);
    enable(isUnderWay || (isAllowed && !isOver), cancel, network);
    enable(isUnderWay, session);
    enable(player.run !== null, again);
    enable(isAllowed, dice);
  };
  return { part, update };
}

function enable(isEnabled: boolean, ...buttons: readonly HTMLButtonElement[]): void {
  for (const one of buttons) one.setAttribute("aria-disabled", String(!isEnabled));
}

function isOffline({ run }: Player): boolean {
  const last = run?.entries.findLast((entry) => entry.by === "person" && /^o/.test(entry.action));
  return last?.by === "person" && last.action === "offline";
}

function copier(save: () => void): HTMLElement {
  const said = el("span", { role: "status", class: "hint" });
  const copy = async (): Promise<void> => {
    save();
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = request.copied;
    } catch {
      said.textContent = request.notCopied;
    }
  };
  return el("div", { class: "copier" }, button(request.copy, () => void copy(), { class: "small" }), said);
}
