import { expect, test } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const never = new Promise<never>(() => undefined);
const fail = () => {
  throw new Error("late");
};

test("a promise that settles in time is returned or thrown, and the timer does not fire", async () => {
  let fired = false;
  const note = () => (fired = true);
  expect(await withTimeout(Promise.resolve("here"), 1, note)).toBe("here");
  await expect(withTimeout(Promise.reject(new Error("broken")), 1, note)).rejects.toThrow("broken");
  // Timers fire in the order of their ends.
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(fired).toBe(false);
});

test("after the time the result is that of `onTimeout`, returned or thrown", async () => {
  expect(await withTimeout(never, 1, () => "late")).toBe("late");
  await expect(withTimeout(never, 1, fail)).rejects.toThrow("late");
});

test("a promise that rejects after the timeout causes no unhandled rejection", async () => {
  let reject: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, no) => (reject = no));
  await withTimeout(work, 1, () => undefined);
  reject(new Error("too late"));
  // Node would report it, and vitest would fail the run.
  await new Promise((resolve) => setImmediate(resolve));
});
