/**
 * The page: shows the panel that the address names.
 *
 * @module
 */

import { hashOf, placeOf, type Place } from "./address.js";
import { el, fill } from "./dom.js";
import { workOffline } from "./offline/register.js";
import { NAMES, PANELS, panelTexts, type PanelName, type State } from "./panel.js";
import { texts } from "./texts.js";
import { followTheme } from "./theme.js";

/** A panel that was opened. */
interface Opened {
  readonly root: HTMLElement;
  /** Its address, as it saved it last. */
  hash: string;
  readonly down: AbortController;
}

const main = document.querySelector("main")!;
const nav = document.querySelector("nav")!;
const opened = new Map<PanelName, Opened>();

followTheme(document.querySelector("#theme")!);
fill(nav, el("ul", {}, ...NAMES.map((name) => el("li", {}, el("a", { href: `#${name}` }, panelTexts(name).name)))));
addEventListener("hashchange", () => {
  show(placeOf(location.hash)).querySelector("h1")!.focus();
});
document.querySelector(".skip")!.addEventListener("click", (event) => {
  // The address is the panel's.
  event.preventDefault();
  main.focus();
});
show(placeOf(location.hash));
void workOffline().then((ready) => {
  if (ready) document.querySelector("#offline")!.textContent = texts.page.offline;
});

/** Shows the panel of an address; one that stands in another state is made anew. */
function show(place: Place): HTMLElement {
  const hash = hashOf(place);
  const known = opened.get(place.panel);
  if (known && known.hash !== hash) {
    known.down.abort();
    known.root.remove();
  }
  const { root } = known?.hash === hash ? known : open(place);
  for (const child of main.children) (child as HTMLElement).hidden = child !== root;
  for (const link of nav.querySelectorAll("a")) link.removeAttribute("aria-current");
  linkTo(place.panel).setAttribute("aria-current", "page");
  document.title = `${panelTexts(place.panel).name} · ${texts.page.name}`;
  return root;
}

function open({ panel, state }: Place): Opened {
  const { title, lead } = panelTexts(panel);
  const body = el("div", { class: "panel-body" }, el("p", { class: "loading" }, texts.page.loading));
  const root = el(
    "div",
    { class: "panel", id: `panel-${panel}` },
    el("h1", { tabindex: -1 }, title),
    el("p", { class: "lead" }, lead),
    body,
  );
  main.append(root);
  const one: Opened = { root, hash: hashOf({ panel, state }), down: new AbortController() };
  opened.set(panel, one);
  linkTo(panel).hash = one.hash;
  void mount(panel, body, one, state);
  return one;
}

function linkTo(panel: PanelName): HTMLAnchorElement {
  return nav.querySelectorAll("a")[NAMES.indexOf(panel)]!;
}

async function mount(panel: PanelName, body: HTMLElement, one: Opened, state: State): Promise<void> {
  const { signal } = one.down;
  const save = (state: State): void => {
    if (signal.aborted) return;
    one.hash = hashOf({ panel, state });
    // A panel that is open is gone back to as it is.
    linkTo(panel).hash = one.hash;
    if (!one.root.hidden) writeAddress(one.hash);
  };
  try {
    const { mount } = await PANELS[panel]();
    if (signal.aborted) return;
    fill(body);
    await mount(body, { state, save, signal });
    // For who has to wait until there is something to see.
    body.dataset["ready"] = "";
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    fill(body, el("p", { class: "fault", role: "alert" }, texts.page.failed(reason)));
  }
}

/** Some browsers refuse to write the address a hundred times in a few seconds: then a later change writes it. */
function writeAddress(hash: string): void {
  try {
    history.replaceState(null, "", hash);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
