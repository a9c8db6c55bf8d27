/**
 * Elements, in one line each. Texts are set as texts: nothing that a person typed or a server sent becomes markup.
 *
 * @module
 */

/** What an element is given: attributes, and listeners as `onclick`. What is `false` or `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/** What an element holds. */
export type Child = Node | string | null | undefined | false;

/** Makes an element. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/** Replaces what an element holds. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== false));
}

/** An identifier that no other element has. */
export function unique(prefix: string): string {
  return `${prefix}-${++made}`;
}

let made = 0;

/** A control with a visible label, and what helps to fill it in; both are read out with it. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  control.id ||= unique("field");
  const described = hint === undefined ? undefined : el("p", { class: "hint", id: unique("hint") }, hint);
  if (described) control.setAttribute("aria-describedby", described.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, described);
}

/**
 * A button that does something on this page. One that is `aria-disabled` does nothing, and keeps the focus: who works by
 * keyboard is not thrown back to the begin of the page by what the button did.
 */
export function button(label: string, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", () => {
    if (made.getAttribute("aria-disabled") !== "true") press();
  });
  return made;
}

/** A choice among values; each is shown by its text. */
export function choice<V extends string>(options: readonly (readonly [V, string])[], value: V): HTMLSelectElement {
  return el(
    "select",
    {},
    ...options.map(([option, text]) => el("option", { value: option, selected: option === value }, text)),
  );
}

/** A part of a panel, with its heading. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  const heading = el("h2", { id: unique("part") }, title);
  return el("section", { class: "card", "aria-labelledby": heading.id }, heading, ...children);
}

/** A text whose words in backticks are code. */
export function coded(text: string): readonly Child[] {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

/** Hands a file to the person, as if it had been downloaded. */
export function save(file: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: file }).click();
  // The browser has taken it when the link was pressed.
  setTimeout(() => URL.revokeObjectURL(url));
}
