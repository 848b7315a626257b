import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const server = await openCliAtServer();
const cli: typeof server.cli = (...args) => server.cli(...args);
const ask = <T>(...args: Parameters<typeof server.ask>) => server.ask<T>(...args);
const lea = { token: await server.member("lea", "--roles", "lead"), env: { TZ: "Europe/Berlin" } };
const bob = { token: await server.member("bob", "--roles", "executor"), env: { TZ: "Europe/Berlin" } };

type Shift = { id: string; starts_at: string; ends_at: string; members: string[]; row_version: number };
const shifts = (line: string) => ["planner", "shifts", ...line.split(" ")];
const plan = (from: string, to: string) =>
  ask<{ shift: Shift }>(shifts(`plan --from ${from} --to ${to} --members bob`), lea);

test("a lead plans, edits, extends and cancels a shift in local time", async () => {
  const { shift } = await plan("2030-03-30T06:00", "2030-03-30T14:00");
  expect(shift).toMatchObject({ starts_at: "2030-03-30T05:00:00.000Z", ends_at: "2030-03-30T13:00:00.000Z" });
  const edited = await ask<{ shift: Shift }>(
    shifts(`edit ${shift.id} --members bob,lea --expect 1 --to 2030-03-30T15:00`),
    lea,
  );
  expect(edited.shift).toMatchObject({ members: ["bob", "lea"], ends_at: "2030-03-30T14:00:00.000Z" });
  const stale = await cli(shifts(`edit ${shift.id} --members bob --expect 1`), lea);
  expect([stale.code, stale.stderr]).toEqual([3, expect.stringContaining("You saw version 1")]);
  await ask(shifts(`extend ${shift.id} --to 2030-03-30T16:00`), lea);
  const list = await cli(shifts("list --week 2030-03-30"), lea);
  expect(list.stdout).toMatch(/2030-03-30 06:00 +2030-03-30 16:00 +bob, lea +planned/);
  await ask(["planner", "shifts", "cancel", shift.id, "--reason", "No steel"], lea);
  expect((await cli(shifts("list --week 2030-03-30"), lea)).stdout).toBe("No shifts.\n");
  expect((await cli(shifts("list --week 2030-03-30 --canceled"), lea)).stdout).toContain(
    "canceled: No steel",
  );
});

test("a week is copied, and an executor lists only own shifts", async () => {
  await plan("2030-05-06T06:00", "2030-05-06T14:00");
  const copied = await ask<{ shifts: Shift[] }>(shifts("copy --from 2030-05-06 --to 2030-05-13"), lea);
  expect(copied.shifts).toMatchObject([{ starts_at: "2030-05-13T04:00:00.000Z" }]);
  const mine = await ask<{ shifts: Shift[] }>(shifts("list --mine --week 2030-05-15"), bob);
  expect(mine.shifts).toMatchObject([{ id: copied.shifts[0]!.id }]);
  const all = await cli(shifts("list"), bob);
  expect(all.code).not.toBe(0);
  expect(all.stderr).toContain("shift.read");
});

test("a shift is repeated, listed and stopped", async () => {
  const line = "repeat Night --starts 22:00 --ends 06:00 --cycle 2/2 --members bob --except 2030-01-02";
  const { pattern } = await ask<{ pattern: { id: string } }>(shifts(line), lea);
  expect(pattern).toMatchObject({ time_zone: "Europe/Berlin", days_on: 2, days_off: 2, weekdays: null });
  expect((await cli(shifts("patterns"), lea)).stdout).toMatch(/Night +22:00–06:00 +2 on, 2 off/);
  expect((await cli(shifts(`stop-repeating ${pattern.id}`), lea)).stdout).toMatch(/^Removed shifts: \d+\.$/m);
  expect((await cli(shifts("patterns"), lea)).stdout).toBe("No repeating shifts.\n");
});

test.each([
  ["plan --from soon --to 2030-01-01T14:00 --members bob", "2026-12-31T06:00"],
  ["repeat Night --starts 22:00 --ends 06:00 --cycle two --members bob", "2/2"],
  ["list --week tomorrow", "2026-12-31"],
])("`%s` is refused with an example", async (line, example) => {
  const { code, stderr } = await cli(shifts(line), lea);
  expect(code).toBe(2);
  expect(stderr).toContain(example);
});
