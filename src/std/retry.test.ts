import { expect, test } from "vitest";
import { followSignals } from "./follow-signals.ts";
import { retryDelayMs, sleep } from "./retry.ts";

test.each([
  { failures: 0, min: 100, max: 200 },
  { failures: 1, min: 200, max: 400 },
  { failures: 4, min: 1_600, max: 3_200 },
  { failures: 9, min: 5_000, max: 10_000 },
  { failures: 5_000, min: 5_000, max: 10_000 },
])("after $failures failures the delay is between $min and $max ms", ({ failures, min, max }) => {
  expect(retryDelayMs(failures, { random: () => 0 })).toBe(min);
  expect(retryDelayMs(failures, { random: () => 1 })).toBe(max);
});

test("the delay is at least retryAfter, with random jitter on top", () => {
  expect(retryDelayMs(0, { retryAfter: 3, random: () => 0 })).toBe(3_000);
  expect(retryDelayMs(0, { retryAfter: 3, random: () => 1 })).toBe(3_200);
  expect(retryDelayMs(9, { retryAfter: 0, random: () => 0 })).toBe(5_000);
});

test("sleep rejects with the signal's reason, also if the signal aborted before", async () => {
  const stop = new AbortController();
  const sleeping = sleep(60_000, stop.signal);
  stop.abort("enough");
  await expect(sleeping).rejects.toBe("enough");
  await expect(sleep(60_000, stop.signal)).rejects.toBe("enough");
  await expect(sleep(0, new AbortController().signal)).resolves.toBeUndefined();
});

test("followSignals aborts with the first signal, and with none after release", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const both = followSignals([one.signal, undefined, other.signal]);
  other.abort("other");
  one.abort("one");
  expect(both.signal.reason).toBe("other");
  expect(followSignals([one.signal]).signal.aborted).toBe(true);

  const third = new AbortController();
  const released = followSignals([third.signal]);
  released.release();
  third.abort();
  expect(released.signal.aborted).toBe(false);
});
