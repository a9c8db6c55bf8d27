import { afterEach, describe, expect, it, vi } from "vitest";
import { median, take, type Contender } from "../measure/turns.js";

afterEach(() => void vi.unstubAllGlobals());

describe("contenders", () => {
  it("take turns, the first of which do not count, and a turn is divided by what it did", async () => {
    let now = 0;
    vi.stubGlobal("performance", { now: () => now });
    const order: string[] = [];
    const lasting = (name: string, milliseconds: number): Contender => ({
      name,
      turn: (times) => {
        order.push(name);
        now += times * milliseconds * (order.length > 400 ? 1 : 100);
      },
    });
    const times = await take({ count: 4, times: 10 }, [lasting("a", 1), lasting("b", 2)]);
    expect(order).toEqual(Array(204).fill(["a", "b"]).flat());
    expect(times).toEqual([Array(4).fill(1e6), Array(4).fill(2e6)]);
  });

  it.each([
    [[3], 3],
    [[9, 1, 2], 2],
    [[1, 100, 2, 3], 2.5],
  ])("of %j the median is %d", (numbers, middle) => expect(median(numbers)).toBe(middle));
});
