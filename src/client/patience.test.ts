import { expect, test } from "vitest";
import { follow, pauseMs, rest } from "./patience.ts";

test.each([
  { failures: 0, least: 100, most: 200 },
  { failures: 1, least: 200, most: 400 },
  { failures: 4, least: 1_600, most: 3_200 },
  { failures: 9, least: 5_000, most: 10_000 },
  { failures: 5_000, least: 5_000, most: 10_000 },
])("after $failures failures the pause is between $least and $most ms", ({ failures, least, most }) => {
  expect(pauseMs(failures, { random: () => 0 })).toBe(least);
  expect(pauseMs(failures, { random: () => 1 })).toBe(most);
});

test("who is asked to wait waits at least as long, and not all equally", () => {
  expect(pauseMs(0, { retryAfter: 3, random: () => 0 })).toBe(3_000);
  expect(pauseMs(0, { retryAfter: 3, random: () => 1 })).toBe(3_200);
  expect(pauseMs(9, { retryAfter: 0, random: () => 0 })).toBe(5_000);
});

test("a rest ends with the signal's reason, also if that came before it", async () => {
  const stop = new AbortController();
  const resting = rest(60_000, stop.signal);
  stop.abort("enough");
  await expect(resting).rejects.toBe("enough");
  await expect(rest(60_000, stop.signal)).rejects.toBe("enough");
  await expect(rest(0, new AbortController().signal)).resolves.toBeUndefined();
});

test("a signal follows the first of several, and none after it was let go", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const both = follow([one.signal, undefined, other.signal]);
  other.abort("other");
  one.abort("one");
  expect(both.signal.reason).toBe("other");
  expect(follow([one.signal]).signal.aborted).toBe(true);

  const third = new AbortController();
  const free = follow([third.signal]);
  free.letGo();
  third.abort();
  expect(free.signal.aborted).toBe(false);
});
