import { expect, test } from "vitest";
import { check } from "../../src/core/index.ts";
import { delivery } from "../../src/lifecycles/delivery/lifecycle.ts";
import { checkInProcess } from "../../src/main/check-process.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";

const { signal } = new AbortController();

test("a lifecycle is checked in a process of its own, with the same report", async () => {
  const report = await checkInProcess(BUILT_PAWL[0] as string, null)("delivery", signal);
  expect(report).toEqual(check(delivery));
});

test("a check that cannot run is an error", async () => {
  await expect(checkInProcess(BUILT_PAWL[0] as string, null)("nonsense", signal)).rejects.toThrow();
});
