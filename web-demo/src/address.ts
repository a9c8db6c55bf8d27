/**
 * The page's address: which panel is open, and its state, as `#panel?name=value`.
 *
 * @module
 */

import { NAMES, type PanelName, type State } from "./panel.js";

/** What an address says. */
export interface Place {
  readonly panel: PanelName;
  readonly state: State;
}

/** Reads the part of an address that begins with `#`. What names no panel opens the first. */
export function placeOf(hash: string): Place {
  const [name, query = ""] = cut(hash.replace(/^#/, ""), "?");
  const panel = NAMES.find((known) => known === name) ?? NAMES[0]!;
  return { panel, state: Object.fromEntries(new URLSearchParams(query)) };
}

/** Writes it. */
export function hashOf({ panel, state }: Place): string {
  const query = new URLSearchParams(state).toString();
  return `#${panel}${query && `?${query}`}`;
}

function cut(text: string, at: string): [string, string?] {
  const position = text.indexOf(at);
  return position < 0 ? [text] : [text.slice(0, position), text.slice(position + 1)];
}
