/**
 * Requests that show something.
 *
 * @module
 */

import { hashOf } from "../../address.js";
import { el } from "../../dom.js";
import { texts } from "../../texts.js";

const { examples, exampleNames } = texts.request;

/** Each as a link holds it. */
const EXAMPLES: Readonly<Record<keyof typeof exampleNames, Readonly<Record<string, string>>>> = {
  busy: { policy: "browser-interactive", script: "503,150;429,120,3;200,180" },
  hours: { policy: "browser-interactive", script: "503,150,21600" },
  lost: { policy: "api-client", method: "POST", script: "lost,400;201,150" },
  keyed: { policy: "api-client", method: "POST", key: "yes", script: "lost,400;201,150" },
  unreadable: { policy: "polite-default", script: "429,120,1.5;503,120,99999999999999999999" },
  offline: { policy: "api-client", script: "503,150;200,180", presses: "offline@300;online@4200" },
  signOut: { policy: "polite-default", script: "503,150,20;200,180", presses: "session@8000" },
  silent: { policy: "browser-interactive", script: "silent;200,180" },
};

/** Links to them. */
export function exampleLinks(): HTMLElement {
  const links = Object.entries(EXAMPLES).map(([name, state]) => {
    const href = hashOf({ panel: "request", state: { ...state, until: "0" } });
    return el("li", {}, el("a", { class: "button small", href }, exampleNames[name as keyof typeof exampleNames]));
  });
  return el("nav", { class: "examples", "aria-label": examples }, el("ul", {}, ...links));
}
