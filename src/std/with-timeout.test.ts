import { expect, test } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const never = new Promise<never>(() => undefined);
const fail = () => {
  throw new Error("late");
};

test("a promise that settles in time is returned or thrown, and `onTimeout` is not called", async () => {
  let called = false;
  const onTimeout = () => (called = true);
  expect(await withTimeout(Promise.resolve("here"), 1, onTimeout)).toBe("here");
  await expect(withTimeout(Promise.reject(new Error("broken")), 1, onTimeout)).rejects.toThrow("broken");
  // Timers expire in order: this one ends after those of `withTimeout` would have.
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(called).toBe(false);
});

test("after the timeout, the result of `onTimeout` is returned or thrown", async () => {
  expect(await withTimeout(never, 1, () => "late")).toBe("late");
  await expect(withTimeout(never, 1, fail)).rejects.toThrow("late");
});

test("a promise that rejects after the timeout causes no unhandled rejection", async () => {
  let reject: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, rejectWork) => (reject = rejectWork));
  await withTimeout(work, 1, () => undefined);
  reject(new Error("too late"));
  // Node would report it, and vitest would fail the run.
  await new Promise((resolve) => setImmediate(resolve));
});
