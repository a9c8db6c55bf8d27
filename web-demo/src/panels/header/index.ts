/**
 * "Read a header": what a Retry-After says, and what well-known clients made of it.
 *
 * @module
 */

import "./header.css";
import { compiler } from "../../compiler.js";
import { button, choice, el, field, fill, section } from "../../dom.js";
import type { Mount } from "../../panel.js";
import { texts } from "../../texts.js";
import { encode, hex, type Encoding } from "./bytes.js";
import { showMeaning } from "./meaning.js";
import { showClients } from "./clients.js";
import { measuredOf, type Measured } from "./measured.js";
import { reader, type Reader, type Received, type Rules } from "./reading.js";
import { stateOf, given, type Given } from "./state.js";

/** Values that servers sent or that suites test, to begin with. */
const ODD = [
  "120", "0", "1.5", "+5", "-3", "5-", "120s", "0x10", "120, 240", "5123,", "10, 20", "١٢٠",
  "99999999999999999999", "1771404540", "Fri, 29 Sep 2023 16:26:57 GMT", "Mon Jun  3 11:30:12 2019",
  "Sat, 31 Dec 2016 23:59:60 GMT", "2023-09-29T16:26:57Z",
] as const;

const { header } = texts;

export const mount: Mount = async (root, link) => {
  // What was measured can be seen before the engine is there.
  let read: Reader | null = null;
  const controls = form(given(link.state), () => {
    const now = controls.read();
    link.save(stateOf(now));
    show(now);
  });
  const meaning = el("div", { class: "meaning", role: "status" });
  const clients = el("div", { class: "clients", "aria-live": "polite" });
  const show = (now: Given): void => {
    const received = receivedOf(now);
    if (read) showMeaning(meaning, read(received, now.rules), received);
    else fill(meaning, el("p", { class: "loading" }, texts.page.loading));
    const bytes = hex(received.value);
    const seconds = received.now === null ? null : Math.floor(received.now / 1_000);
    showClients(clients, { text: now.value, measured: measuredOf(bytes, seconds, now.date), now: seconds }, controls.take);
  };
  root.append(
    el(
      "div",
      { class: "read" },
      controls.sent,
      el("div", { class: "stack" }, section(header.means, meaning), section(header.clients, clients)),
      controls.circumstances,
    ),
  );
  show(controls.read());
  read = reader(await compiler());
  show(controls.read());
};

function receivedOf({ value, encoding, now, date }: Given): Received {
  return { value: encode(value, encoding), now, date };
}

/** What a person fills in. */
interface Form {
  readonly sent: HTMLElement;
  readonly circumstances: HTMLElement;
  readonly read: () => Given;
  /** Fills in a value, and the clock and the Date with which it was measured. */
  readonly take: (value: string, measured?: Measured) => void;
}

function form(begin: Given, changed: () => void): Form {
  const value = el("input", { type: "text", class: "code", autocomplete: "off", spellcheck: "false", value: begin.value });
  const now = el("input", { type: "datetime-local", step: 1 });
  const date = el("input", { type: "text", autocomplete: "off", spellcheck: "false", value: begin.date });
  const rules = choice<Rules>([["rfc-9110", header.rulesRfc], ["strict", header.rulesStrict]], begin.rules);
  const encoding = choice<Encoding>([["utf-8", header.utf8], ["latin-1", header.latin1]], begin.encoding);
  const setNow = (milliseconds: number | null): void => {
    now.valueAsNumber = milliseconds ?? Number.NaN;
  };
  setNow(begin.now);
  const take = (text: string, measured = measuredOf(hex(encode(text, "utf-8")), null, "")): void => {
    value.value = text;
    encoding.value = "utf-8";
    if (measured) {
      setNow(measured.now * 1_000);
      date.value = measured.date ?? "";
    }
    changed();
  };
  const thisMoment = (): void => {
    setNow(Date.now());
    changed();
  };
  const odd = ODD.map((text) => el("li", {}, button(text, () => take(text), { class: "small code" })));
  const sent = section(
    header.sent,
    field(header.value, value, header.valueHint),
    el("fieldset", {}, el("legend", {}, header.odd), el("ul", { class: "odd" }, ...odd)),
  );
  const circumstances = section(
    header.circumstances,
    el("div", { class: "row" }, field(header.now, now, header.nowHint), button(header.thisMoment, thisMoment, { class: "beside" })),
    field(header.date, date, header.dateHint),
    el("div", { class: "row" }, field(header.rules, rules), field(header.encoding, encoding)),
  );
  for (const part of [sent, circumstances]) part.addEventListener("input", changed);
  const read = (): Given => ({
    value: value.value,
    now: Number.isNaN(now.valueAsNumber) ? null : now.valueAsNumber,
    date: date.value,
    rules: rules.value as Rules,
    encoding: encoding.value as Encoding,
  });
  return { sent, circumstances, read, take };
}

