/**
 * What a value means, in words.
 *
 * @module
 */

import type { RetryAfter } from "@refrain/fetch/engine";
import { HINTS } from "@refrain/fetch/names";
import { el, fill } from "../../dom.js";
import { group, isMoment, moment, span } from "../../format.js";
import { texts } from "../../texts.js";
import { visible } from "./bytes.js";
import type { Consequence, Reading, Received } from "./reading.js";

const { header } = texts;

/** Shows it. */
export function showMeaning(root: HTMLElement, reading: Reading, received: Received): void {
  const [verdict, detail] = meaningOf(reading, received);
  const isRefused = "refused" in reading.says;
  fill(
    root,
    el("p", { class: isRefused ? "verdict bad" : "verdict" }, verdict),
    el("p", {}, detail),
    el(
      "dl",
      { class: "facts" },
      ...fact(header.byWall, consequence(reading.byWall, reading.says)),
      ...(reading.byDate ? fact(header.byDate, consequence(reading.byDate, reading.says)) : []),
      ...fact(header.bytes, ...bytes(received.value)),
    ),
  );
}

function meaningOf({ says, byWall }: Reading, { now }: Received): readonly [string, string] {
  if ("refused" in says) {
    const [name, why] = reasonOf(says.refused);
    return [header.refused(name), why];
  }
  if ("delaySeconds" in says) {
    const { delaySeconds } = says;
    if (delaySeconds === 0n) return [header.noWait, header.zero];
    const detail = delaySeconds === 1n ? header.oneSecond : header.digits(group(delaySeconds));
    return [header.wait(span(Number(delaySeconds) * 1_000)), detail];
  }
  const date = moment(Number(says.at));
  if (now === null) return [header.refused(reasonOf(NO_WALL_CLOCK)[0]), header.unknownNow(date)];
  return byWall.delay ? [header.wait(span(byWall.delay)), header.at(date)] : [header.noWait, header.past(date)];
}

/** A key of `HINTS`. */
const NO_WALL_CLOCK = 21;

function reasonOf(code: number): readonly [string, string] {
  const name = HINTS[code as keyof typeof HINTS] as keyof typeof header.reasons;
  return header.reasons[name] ?? header.otherReason;
}

function consequence({ type, delay, notBefore, isHint }: Consequence, says: RetryAfter): string {
  if (!isHint) return header.backoff;
  const words = span(delay);
  if (type === "deferred") return delay < Number.MAX_SAFE_INTEGER ? header.deferred(words) : header.deferredUnknown;
  if ("refused" in says) return header.proves(words);
  if (!delay) return header.atOnce;
  const isTold = "delaySeconds" in says && isMoment(notBefore);
  return isTold ? header.waitsUntil(words, moment(notBefore / 1_000)) : header.waits(words);
}

function bytes(value: string): readonly (Node | string)[] {
  if (!value) return [header.noBytes];
  return [el("code", { class: "bytes" }, visible(value)), ` ${header.byteCount(value.length)}`];
}

function fact(name: string, ...value: readonly (Node | string)[]): readonly HTMLElement[] {
  return [el("dt", {}, name), el("dd", {}, ...value)];
}
