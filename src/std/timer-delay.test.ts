import { expect, test } from "vitest";
import { timerDelay } from "./timer-delay.ts";

test.each([
  [4_000 / 3, 1_334],
  [8.2 * 60_000, 492_000],
  [2 ** 31, 2_147_483_647],
  [Infinity, 2_147_483_647],
  [-1, 0],
  [0, 0],
])("a duration of %d ms becomes a delay of %d ms", (ms, delay) => {
  expect(timerDelay(ms)).toBe(delay);
  AbortSignal.timeout(timerDelay(ms));
});

test("NaN is refused as a delay", () => {
  expect(() => timerDelay(NaN)).toThrow(RangeError);
});
