/**
 * What the tests of a file play on: the served page, and Chromium.
 *
 * @module
 */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { PanelName } from "../src/panel.js";
import { browser, site, type Site } from "./site.js";
import { opened, visit, type Visit } from "./visit.js";

/** Is there while the tests of a file run. */
export interface Stage {
  readonly chromium: Browser;
  /** Of the page; ends with a slash. */
  readonly url: string;
  /** Visits a panel, at a state of it, and waits until it is filled. */
  readonly open: (panel: PanelName, query?: string) => Promise<Visit>;
}

/**
 * Sets the stage before the tests of this file, and clears it after them.
 *
 * @param answer see `site`
 */
export function stage(...answer: Parameters<typeof site>): Stage {
  let chromium: Browser;
  let served: Site;
  beforeAll(async () => {
    served = await site(...answer);
    chromium = await browser();
  });
  afterAll(async () => {
    await chromium?.close();
    served?.close();
  });
  return {
    get chromium() {
      return chromium;
    },
    get url() {
      return served.url;
    },
    async open(panel, query = "") {
      const visited = await visit(chromium, `${served.url}#${panel}${query}`);
      await opened(visited.page, panel);
      return visited;
    },
  };
}
