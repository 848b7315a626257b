import { describe, expect, test } from "vitest";
import { z } from "zod";
import { rule, ticket } from "../../test/support/ticket.ts";
import type { PawlError } from "./problems.ts";

const settings = z.object({
  wait_minutes: z.number().default(5),
  name: z.string().default("x"),
  ago: z.number().default(-1),
});
const timer = { action: "close", since: "entered_at", after: { minutes: 1 } };
/** The ticket with a timer in the status `open`, and a rule that the system can use. */
const timed = (changed: Record<string, unknown>) => ({
  settings,
  statuses: { open: { timers: [{ ...timer, ...changed }] }, done: { final: true } },
  rules: [{ ...rule, who: "system" }],
});

describe("defineLifecycle reports a", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "timer for an unknown action",
      {
        statuses: {
          open: { timers: [{ action: "rot", since: "entered_at", after: { minutes: 1 } }] },
          done: { final: true },
        },
      },
      'status "open" has a timer for the unknown action "rot"',
    ],
    [
      "timer by an unknown setting",
      {
        settings,
        statuses: {
          open: { timers: [{ action: "close", since: "entered_at", after: { minutes: "wait" } }] },
          done: { final: true },
        },
      },
      'status "open" has a timer for "close" that counts by "wait", which is not a numeric setting',
    ],
    [
      "timer by a setting that is a string",
      {
        settings,
        statuses: {
          open: { timers: [{ action: "close", since: "entered_at", after: { minutes: "name" } }] },
          done: { final: true },
        },
      },
      'counts by "name", which is not a numeric setting',
    ],
    [
      "settings without defaults",
      { settings: z.object({ wait: z.number() }) },
      "the settings have no complete defaults (wait)",
    ],
    [
      "due without a timer",
      { rules: [{ ...rule, guards: ["due"] }] },
      'has the guard "due", but status "open" has no timer for it',
    ],
    [
      "lease without a duration",
      { statuses: { open: { lease: true }, done: { final: true } } },
      'status "open" needs a lease, but the lifecycle has no "lease" with its duration',
    ],
    [
      "timer whose action is not for the system",
      {
        ...timed({}),
        rules: [{ ...rule, who: ["anyone", "creator", "assignee", "not_assignee", "lease_holder"] }],
      },
      'status "open" has a timer for "close", but no rule from there is for the system',
    ],
    [
      "timer in a final status",
      { statuses: { open: {}, done: { final: true, timers: [timer] } } },
      'status "done" has a timer for "close", but it is final',
    ],
    [
      "timer since an unknown moment",
      timed({ since: "enterd_at" }),
      'status "open" has a timer since the unknown moment "enterd_at"; did you mean "entered_at"?',
    ],
    [
      "timer in an unknown unit",
      timed({ after: { minuts: 1 } }),
      'status "open" has a timer for "close" that counts in the unknown unit "minuts"; did you mean "minutes"?',
    ],
    ["timer without a duration", timed({ after: {} }), 'timer for "close" that has no duration'],
    ["timer without an after", timed({ after: undefined }), 'timer for "close" that has no duration'],
    [
      "timer in two units",
      timed({ after: { hours: 1, minutes: 30 } }),
      "counts in hours and in minutes: choose one unit",
    ],
    ["timer of NaN", timed({ after: { hours: NaN } }), "counts NaN hours, which is not a duration"],
    [
      "timer of Infinity",
      timed({ after: { days: Infinity } }),
      "counts Infinity days, which is not a duration",
    ],
    ["timer of 101 years", timed({ after: { days: 36_865 } }), "counts 36865 days, more than 100 years"],
    [
      "timer with a negative duration",
      timed({ after: { hours: -1 } }),
      "counts -1 hours, which is not a duration",
    ],
    [
      "timer by a negative setting",
      timed({ after: { hours: "ago" } }),
      'counts by "ago", whose default -1 is not a duration',
    ],
    [
      "lease without a unit",
      { lease: { lasts: {} } },
      'the lease has no duration; write { minutes: 5 } or { minutes: "a_setting" }',
    ],
    [
      "settings whose schema throws",
      { settings: z.object({}).refine(() => Boolean(JSON.parse("{"))) },
      "the settings cannot be read: their schema throws SyntaxError",
    ],
    [
      "unblocks by an action that the system may not perform",
      { unblocks: { action: "close", from: "open" } },
      'unblocks performs "close" in "open", but no rule of it from there is for the system',
    ],
    [
      "flag that starts elsewhere",
      {
        actions: { close: {}, warn: {} },
        rules: [
          { ...rule, who: "system" },
          { action: "warn", from: "done", who: "system" },
        ],
        unblocks: { action: "close", from: "open", flag: "warn" },
      },
      'unblocks performs "warn" in "open", but no rule of it from there is for the system',
    ],
    [
      "fail that is not for the system",
      {
        actions: { close: {}, drop: {} },
        rules: [
          { ...rule, who: "system" },
          { ...rule, action: "drop" },
        ],
        unblocks: { action: "close", from: "open", fail: "drop" },
      },
      'unblocks performs "drop" in "open", but no rule of it from there is for the system',
    ],
    [
      "pool whose action starts elsewhere",
      { pool: { action: "close", from: "done", where: [] } },
      'the pool takes tasks by "close" from "done", where no rule of it starts',
    ],
  ])("%s", (_, broken, message) => {
    expect(() => ticket(broken)).toThrow(message);
    expect(() => ticket(broken)).toThrow(expect.objectContaining({ code: "INVALID_LIFECYCLE" }) as PawlError);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a timer whose action the system may perform", timed({})],
    [
      "a timer whose action a who of the lifecycle may perform",
      {
        ...timed({ after: { minutes: 0 } }),
        rules: [{ ...rule, who: "clerk" }],
        who: { clerk: { label: "clerk", test: () => true } },
      },
    ],
  ])("but accepts %s", (_, definition) => {
    expect(() => ticket(definition)).not.toThrow();
  });
});
