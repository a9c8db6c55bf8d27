import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFetch } from "../src/fetch.js";
import { resumed } from "../src/resume.js";
import { systemTime } from "../src/time.js";
import { TestTime } from "../src/testing.js";
import { engineOf } from "./policy.js";

const DAY = 86_400_000;

describe("the page's time", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("rounds down, and up by more than a coarse clock can be wrong", () => {
    vi.spyOn(performance, "now").mockReturnValue(1_000.3);
    expect([systemTime.mark(false), systemTime.mark(true)]).toEqual([1_000, 1_003]);
    vi.restoreAllMocks();
  });

  it("has a wall clock of whole milliseconds", () => {
    expect(systemTime.wall()).toBe(1_700_000_000_000);
  });

  it("cuts a long wait into pieces, and sets no timer that fires at once because it is too long", () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    const spans = [40 * DAY, 2 ** 31, Number.MAX_SAFE_INTEGER, 10, -5];
    for (const span of spans) systemTime.sleep(performance.now() + span, () => {});
    expect(set.mock.calls.map(([, span]) => Math.round(span!))).toEqual([15_000, 15_000, 15_000, 10, 0]);
    vi.restoreAllMocks();
  });

  it("calls off what it is told to", () => {
    const woken = vi.fn();
    systemTime.sleep(performance.now() + 10, woken)();
    vi.advanceTimersByTime(20);
    expect(woken).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits a wait of many pieces to its end, whatever happens to the system time", async () => {
    const sends: number[] = [];
    const begun = performance.now();
    const server = async (): Promise<Response> => {
      sends.push(performance.now() - begun);
      return new Response("", sends.length > 1 ? {} : { status: 503, headers: { "retry-after": "50" } });
    };
    const running = createFetch({ engine: engineOf(), fetch: server })("https://example.com/");
    await vi.advanceTimersByTimeAsync(30_000);
    vi.setSystemTime(1_800_000_000_000);
    await vi.advanceTimersByTimeAsync(19_900);
    expect(sends).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect((await running).status).toBe(200);
    expect(sends[1]).toBeGreaterThanOrEqual(50_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("what is left of a wait", () => {
  const saved = { delay: 90_000, notBefore: 100_000, attemptsUsed: 1 };

  it.each([
    ["what the wall clock says", 70_000, 35_001],
    ["nothing when the moment has passed", 200_000, 5_000],
    ["nothing but the rounding at the moment itself", 100_000, 5_001],
    ["never more than the whole delay", 0, 95_001],
    ["the whole delay without a wall clock", null, 95_001],
  ])("is %s", (_, wall, mark) => {
    const time = new TestTime();
    time.setMark(5_000);
    time.setWall(wall);
    expect(resumed(saved, time)).toEqual({ notBefore: mark, attemptsUsed: 1 });
  });

  it("is the whole delay where the server named no moment, and no mark is beyond all", () => {
    const time = new TestTime();
    time.setMark(5_000);
    time.setWall(1);
    expect(resumed({ ...saved, notBefore: null }, time).notBefore).toBe(95_001);
    const never = { delay: Number.MAX_SAFE_INTEGER, notBefore: null, attemptsUsed: 0 };
    expect(resumed(never, time).notBefore).toBe(Number.MAX_SAFE_INTEGER);
  });
});
