import fc from "fast-check";
import { expect, test } from "vitest";
import { taskIn, NOW } from "../../test/support/situation.ts";
import { code } from "../lifecycles/code/lifecycle.ts";
import { backoffMs } from "./backoff.ts";
import { didYouMean } from "./nearest.ts";
import { durationMs, nextTimer } from "./timers.ts";

test.each([
  [{ seconds: 3 }, 3_000],
  [{ minutes: 0.5 }, 30_000],
  [{ hours: 2 }, 7_200_000],
  [{ days: 1 }, 86_400_000],
  [{ minutes: "wait.long" }, 420_000],
])("%j is %i ms", (duration, ms) => {
  expect(durationMs(duration, { wait: { long: 7 } })).toBe(ms);
});

test("the next timer is the one that runs out first", () => {
  const timers = code.statuses.in_progress?.timers ?? [];
  const settings = code.settings.parse({});
  const lease = { token: "t", holder: "w", until: NOW, heartbeat_at: NOW };
  const at = (task: object) =>
    nextTimer(timers, taskIn(code, "in_progress", { entered_at: NOW, lease, ...task }), settings);
  expect(at({})).toEqual({ due_at: NOW + 60_000, due_action: "lease_lost" });
  expect(at({ entered_at: NOW - 3_590_000 })).toEqual({ due_at: NOW + 10_000, due_action: "report_stuck" });
  expect(at({ entered_at: NOW - 3_590_000, needs_attention: true })).toEqual({
    due_at: NOW + 60_000,
    due_action: "lease_lost",
  });
});

test("backoff doubles up to a maximum, with a jitter of up to half that is the same for the same task", () => {
  const limits = { baseMs: 1_000, capMs: 60_000 };
  fc.assert(
    fc.property(fc.uuid(), fc.nat({ max: 40 }), (seed, attempt) => {
      const full = Math.min(60_000, 1_000 * 2 ** attempt);
      const wait = backoffMs(attempt, seed, limits);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
      expect(backoffMs(attempt, seed, limits)).toBe(wait);
    }),
  );
  const waits = Array.from({ length: 1_000 }, (_, n) => backoffMs(0, `task-${n}`, limits));
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  expect(new Set(waits).size).toBeGreaterThan(350);
  expect(Math.abs(mean - 750)).toBeLessThan(25);
});

test.each([
  ["doen", ["open", "done"], '; did you mean "done"?'],
  ["STATR", ["start", "stop"], '; did you mean "start"?'],
  ["xyz", ["open", "done"], ""],
])("%s among %j%s", (word, candidates, hint) => {
  expect(didYouMean(word, candidates)).toBe(hint);
});
