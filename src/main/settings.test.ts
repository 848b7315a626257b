import { expect, test } from "vitest";
import { PLUGINS } from "../lifecycles/index.ts";
import { SETTINGS } from "./settings.ts";

/** DATABASE_URL is what platforms set; the other two are part of the contract of bot-actions. */
const WITHOUT_PREFIX = [
  "DATABASE_URL",
  "BOT_ACTION_MAX_PROCESSING_HOURS",
  "BOT_ACTION_WATCHDOG_INTERVAL_MINUTES",
];

test("the variables of all settings begin with PAWL_, so that they cannot collide with those of other programs", () => {
  const variables = [SETTINGS, ...PLUGINS.map(({ settings }) => settings)].flatMap((settings) =>
    Object.values<{ env: string }>(settings).map(({ env }) => env),
  );
  expect(variables.filter((name) => !name.startsWith("PAWL_"))).toEqual(WITHOUT_PREFIX);
});
