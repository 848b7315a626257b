import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

test("an idle token may send a burst; after that it is limited, and gets the seconds to wait", () => {
  let now = 0;
  const limit = new RateLimit(6, () => now);
  const burst = Array.from({ length: 8 }, () => limit.secondsToWait("a"));
  expect(burst).toEqual([null, null, null, null, null, null, 10, 10]);
  now += 9_999;
  expect(limit.secondsToWait("a")).toBe(1);
  now += 1;
  expect(limit.secondsToWait("a")).toBeNull();
  expect(limit.secondsToWait("a")).toBe(10);
});

test("a limited token does not slow down other tokens", () => {
  const limit = new RateLimit(1, () => 0);
  expect([limit.secondsToWait("a"), limit.secondsToWait("a"), limit.secondsToWait("b")]).toEqual([
    null,
    60,
    null,
  ]);
});

test("the allowance never exceeds that of one minute", () => {
  let now = 0;
  const limit = new RateLimit(2, () => now);
  limit.secondsToWait("a");
  now += 3_600_000;
  expect([1, 2, 3].map(() => limit.secondsToWait("a"))).toEqual([null, null, 30]);
});
