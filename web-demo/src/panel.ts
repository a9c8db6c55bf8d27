/**
 * What a panel is: one function, in a folder of its own, that is loaded when the panel is first opened.
 *
 * @module
 */

import { texts } from "./texts.js";

/** The state of a panel as a link holds it: short names, and texts. */
export type State = Readonly<Record<string, string>>;

/** What ties a panel to the page's address. */
export interface Link {
  /**
   * What the address said of this panel when it was mounted; empty for a link without state. A person may have written
   * it: what cannot be read stands for its default.
   */
  readonly state: State;

  /** Puts the panel's state into the address, whole, so that a copy of the address reproduces it. */
  save(state: State): void;

  /** Is aborted when the panel is taken down, because a link to another state of it was opened: ends workers and timers. */
  readonly signal: AbortSignal;
}

/**
 * Fills a panel. Its heading and lead stand in `root` already.
 *
 * A panel stays mounted while another one is shown.
 */
export type Mount = (root: HTMLElement, link: Link) => void | Promise<void>;

/** The panels, in their order, and how each is loaded. */
export const PANELS = {
  header: () => import("./panels/header/index.js"),
  request: () => import("./panels/request/index.js"),
  stampede: () => import("./panels/stampede/index.js"),
  workshop: () => import("./panels/workshop/index.js"),
} as const satisfies Record<string, () => Promise<{ readonly mount: Mount }>>;

/** The name of a panel, in addresses and texts. */
export type PanelName = keyof typeof PANELS;

/** The names of the panels, in their order. */
export const NAMES = Object.keys(PANELS) as readonly PanelName[];

/** What is called how: `texts[name]` has at least these. */
export interface PanelTexts {
  /** In the navigation. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly lead: string;
}

/** The texts that every panel has. */
export const panelTexts = (name: PanelName): PanelTexts => texts[name];
