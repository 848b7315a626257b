import { expect, test } from "vitest";
import type { InsightsOnWire } from "../../src/api/index.ts";
import { until } from "../support/until.ts";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();

test("`pawl insights` prints the figures that the server has added up, and refuses unknown names", async () => {
  await at.task("Paint");
  await until(async () => (await at.ask<InsightsOnWire>("insights board --window hour")).behind === 0);
  const shown = await at.cli("insights board --window year");
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("board, the last year: 1 created, 0 finished.");
  expect(shown.stdout).toMatch(/^NEW +1 +0 +1$/m);
  expect(await at.ask("insights board")).toMatchObject({ lifecycle: "board", window: "week", behind: 0 });
  expect((await at.cli("insights bord")).code).toBe(2);
  expect((await at.cli("insights board --window decade")).code).toBe(2);
  expect((await at.cli("insights board --member no-one")).code).toBe(3);
});
