/**
 * Where a request, its policy and the server's answers are set up.
 *
 * @module
 */

import type { Compiled, Compiler } from "@refrain/fetch/dynamic";
import { METHODS } from "@refrain/fetch/names";
import { choice, el, field, section } from "../../dom.js";
import { policyEditor } from "../../editor/policy.js";
import { texts } from "../../texts.js";
import { scriptEditor } from "./script.js";
import { DEFAULT_POLICY, type Body, type Mode, type Setup } from "./setup.js";

const { request } = texts;

/** What a person set up. */
export interface Form {
  readonly part: HTMLElement;
  readonly setup: () => Setup;
  /** `null` for a document that is refused. */
  readonly policy: () => Compiled | null;
  /** Takes other random numbers. */
  readonly roll: () => void;
}

/** Makes the form. `changed` is called after every change. */
export async function formOf(compiler: Compiler, begin: Setup, changed: () => void): Promise<Form> {
  const policy = await policyEditor(compiler, begin.policy, DEFAULT_POLICY, changed);
  const script = scriptEditor(begin.script, changed);
  const mode = choice<Mode>([["virtual", request.virtual], ["real", request.real]], begin.mode);
  const method = choice(METHODS.filter((name) => !NEVER_SENT.includes(name)).map((name) => [name, name]), begin.method);
  const key = el("input", { type: "checkbox", id: "request-key", checked: begin.hasKey });
  const body = choice<Body>([["text", request.bodyText], ["stream", request.bodyStream]], begin.body);
  const url = el("input", { type: "text", inputmode: "url", autocomplete: "off", spellcheck: "false", value: begin.url });
  let { seed } = begin;
  const address = field(request.url, url, request.urlHint);
  const bodyField = field(request.body, body);
  const server = section(request.server, el("p", { class: "hint" }, request.serverHint), script.part);
  const arrange = (): void => {
    const isReal = mode.value === "real";
    server.hidden = isReal;
    address.hidden = !isReal;
    // A browser streams to few servers, and not to the one of this page.
    bodyField.hidden = isReal || method.value === "GET" || method.value === "HEAD";
  };
  const asked = section(
    request.request,
    el("div", { class: "row" }, field(request.mode, mode), field(request.method, method)),
    address,
    el("div", { class: "check" }, key, el("label", { for: key.id }, request.key)),
    bodyField,
  );
  asked.addEventListener("input", () => {
    arrange();
    changed();
  });
  arrange();
  return {
    part: el("div", { class: "stack" }, asked, server, section(request.policy, policy.part)),
    setup: () => ({
      mode: mode.value as Mode,
      policy: policy.state(),
      method: method.value,
      hasKey: key.checked,
      body: mode.value === "real" ? "text" : (body.value as Body),
      script: script.script(),
      seed,
      url: url.value.trim(),
    }),
    policy: () => policy.written().policy,
    roll() {
      seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
      changed();
    },
  };
}

/** Methods that `fetch` refuses to send. */
const NEVER_SENT: readonly string[] = ["TRACE", "CONNECT"];
