/**
 * A text area with numbered lines, in which the places of problems are underlined. It stays a plain text area, so keyboards
 * and screen readers know it.
 *
 * @module
 */

import type { Problem } from "@refrain/fetch/engine";
import { el, fill } from "../dom.js";

/** A text area with numbered lines. */
export interface CodeArea {
  /** Everything but the text area, which has to be appended to it. */
  readonly part: HTMLElement;
  readonly area: HTMLTextAreaElement;
  /** Numbers the lines of what is written, and underlines where something is wrong with it. */
  readonly mark: (problems: readonly Problem[]) => void;
}

/** Makes one. */
export function codeArea(): CodeArea {
  const area = el("textarea", { rows: 18, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  const numbers = el("div", { class: "line-numbers code", "aria-hidden": "true" });
  const under = el("pre", { class: "underlines code", "aria-hidden": "true" });
  area.addEventListener("scroll", () => {
    numbers.scrollTop = under.scrollTop = area.scrollTop;
    under.scrollLeft = area.scrollLeft;
  });
  return {
    part: el("div", { class: "code-area" }, numbers, under),
    area,
    mark(problems) {
      const lines = area.value.split("\n");
      fill(numbers, ...lines.map((_, at) => el("span", { class: worst(problems, at + 1) }, `${at + 1}\n`)));
      fill(under, ...lines.flatMap((line, at) => [...underlined(line, problems.filter((one) => one.line === at + 1)), "\n"]));
    },
  };
}

function worst(problems: readonly Problem[], line: number): Problem["severity"] | undefined {
  const here = problems.filter((problem) => problem.line === line);
  return here.find(({ severity }) => severity === "error")?.severity ?? here[0]?.severity;
}

/** A line, with the word underlined at which each of its problems begins. */
function* underlined(line: string, problems: readonly Problem[]): Generator<Node | string> {
  // Columns count characters, and a text its UTF-16 units.
  const characters = [...line];
  let done = 0;
  for (const { column, severity } of problems) {
    const from = Math.max(column - 1, done);
    const rest = characters.slice(from).join("");
    const word = /^(?:"[^"]*"?|'[^']*'?|[^\s,={}[\]#]+|\S)/.exec(rest)?.[0] ?? " ";
    yield characters.slice(done, from).join("");
    yield el("mark", { class: severity }, word);
    done = from + [...word].length;
  }
  yield characters.slice(done).join("");
}
