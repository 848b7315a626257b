import { expect, test } from "vitest";
import { followSignals } from "./follow-signals.ts";
import { retryDelayMs, sleep } from "./retry.ts";

test.each([
  { failures: 0, least: 100, most: 200 },
  { failures: 1, least: 200, most: 400 },
  { failures: 4, least: 1_600, most: 3_200 },
  { failures: 9, least: 5_000, most: 10_000 },
  { failures: 5_000, least: 5_000, most: 10_000 },
])("after $failures failures the pause is between $least and $most ms", ({ failures, least, most }) => {
  expect(retryDelayMs(failures, { random: () => 0 })).toBe(least);
  expect(retryDelayMs(failures, { random: () => 1 })).toBe(most);
});

test("who is asked to wait waits at least as long, and not all equally", () => {
  expect(retryDelayMs(0, { retryAfter: 3, random: () => 0 })).toBe(3_000);
  expect(retryDelayMs(0, { retryAfter: 3, random: () => 1 })).toBe(3_200);
  expect(retryDelayMs(9, { retryAfter: 0, random: () => 0 })).toBe(5_000);
});

test("a rest ends with the signal's reason, also if that came before it", async () => {
  const stop = new AbortController();
  const resting = sleep(60_000, stop.signal);
  stop.abort("enough");
  await expect(resting).rejects.toBe("enough");
  await expect(sleep(60_000, stop.signal)).rejects.toBe("enough");
  await expect(sleep(0, new AbortController().signal)).resolves.toBeUndefined();
});

test("a signal follows the first of several, and none after it was let go", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const both = followSignals([one.signal, undefined, other.signal]);
  other.abort("other");
  one.abort("one");
  expect(both.signal.reason).toBe("other");
  expect(followSignals([one.signal]).signal.aborted).toBe(true);

  const third = new AbortController();
  const free = followSignals([third.signal]);
  free.release();
  third.abort();
  expect(free.signal.aborted).toBe(false);
});
