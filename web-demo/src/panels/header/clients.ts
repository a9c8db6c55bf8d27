/**
 * What well-known clients made of a value, as it was measured.
 *
 * @module
 */

import { button, el, fill } from "../../dom.js";
import { texts } from "../../texts.js";
import { shown, textOf } from "./bytes.js";
import { CLIENTS, inWords, measuredAt, nearest, sourceOf, type Measured } from "./measured.js";

const { header } = texts;

/** What is asked about. */
export interface Asked {
  readonly text: string;
  readonly measured: Measured | undefined;
  /** In seconds since 1970. */
  readonly now: number | null;
}

/** Shows it. `take` fills in another value. */
export function showClients(root: HTMLElement, asked: Asked, take: (text: string, measured?: Measured) => void): void {
  const { text, measured, now } = asked;
  if (measured) fill(root, table(measured), origin(measured, now, take));
  else fill(root, el("p", {}, header.notMeasured), suggestions(text, take));
}

function table({ answers }: Measured): HTMLElement {
  const rows = CLIENTS.map((client, at) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, client.name, " ", el("span", { class: "soft" }, client.version)),
      el("td", {}, inWords(answers[at]!, client), " ", el("code", { class: "soft" }, answers[at]!)),
    ),
  );
  const head = [header.client, header.answer].map((text) => el("th", { scope: "col" }, text));
  return el(
    "table",
    {},
    el("caption", {}, header.clientsCaption),
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...rows),
  );
}

function origin(measured: Measured, now: number | null, take: (text: string, measured?: Measured) => void): HTMLElement {
  return el(
    "p",
    { class: "hint" },
    `${measuredAt(measured)} ${sourceOf(measured)} `,
    measured.now !== now && button(header.setClock, () => take(textOf(measured.bytes), measured), { class: "small" }),
  );
}

function suggestions(text: string, take: (text: string) => void): HTMLElement {
  const like = nearest(text, 6).map((other) => el("li", {}, button(shown(other), () => take(other), { class: "small code" })));
  return el("ul", { class: "odd" }, ...like);
}
