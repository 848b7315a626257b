import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

test("who was quiet may come in a burst; after that he is held to the measure, and told how long", () => {
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

test("one who comes too often is in nobody else's way", () => {
  const limit = new RateLimit(1, () => 0);
  expect([limit.secondsToWait("a"), limit.secondsToWait("a"), limit.secondsToWait("b")]).toEqual([
    null,
    60,
    null,
  ]);
});

test("what is left does not grow beyond a minute's worth", () => {
  let now = 0;
  const limit = new RateLimit(2, () => now);
  limit.secondsToWait("a");
  now += 3_600_000;
  expect([1, 2, 3].map(() => limit.secondsToWait("a"))).toEqual([null, null, 30]);
});
