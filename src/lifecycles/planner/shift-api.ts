import { z } from "zod";
import { defineRoutes, fields } from "../../api/index.ts";
import { OF_PLACE, once, posts, reads, uuidPage, writes } from "./route-rows.ts";
import * as shapes from "./shapes.ts";

const { givenMoment, id, nextCursor, nonEmptyText: words } = fields;

/** The same as in the calendar, which is loaded on demand. */
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const date = z.iso.date().max(10);
const time = z
  .string()
  .max(5)
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 06:30")
  .describe("a local time, such as 06:30");
export const timeZone = words
  .max(100)
  .refine(isTimeZone, "must be a time zone such as Europe/Berlin")
  .describe("a time zone of the IANA database, such as Europe/Berlin");
const members = z.array(id).min(1).max(1_000);
const version = {
  expected_row_version: z.int().nullish().describe("the version you have read; another one is refused"),
};

const pattern = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    name: z.string(),
    starts: z.string(),
    ends: z.string().describe("at or before `starts`: on the next day"),
    time_zone: z.string(),
    weekdays: z.array(z.enum(WEEKDAYS)).nullable(),
    every_weeks: z.int(),
    days_on: z.int().nullable(),
    days_off: z.int().nullable(),
    from_date: date,
    until_date: date.nullable(),
    except_dates: z.array(date),
    members: z.array(z.string()),
    ahead_days: z.int().describe("shifts are made this many days ahead"),
    expanded_through: date.describe("the last date for which shifts were made"),
    row_version: z.int(),
    created_by: z.string().nullable(),
    created_at: fields.moment,
    ended_at: fields.moment.nullable(),
  })
  .meta({ id: "PlannerShiftPattern" });

const patternFields = {
  name: words.max(200),
  starts: time,
  ends: time.describe("a local time; at or before `starts`: on the next day"),
  time_zone: timeZone,
  weekdays: z.array(z.enum(WEEKDAYS)).min(1).max(7).nullish(),
  every_weeks: z.int().min(1).max(52).nullish().describe("default 1; counted from the week of `from_date`"),
  days_on: z
    .int()
    .min(1)
    .max(366)
    .nullish()
    .describe("instead of weekdays: days of work, from `from_date` on"),
  days_off: z.int().min(0).max(366).nullish().describe("days off after `days_on`"),
  from_date: date,
  until_date: date.nullish().describe("the last date"),
  except_dates: z.array(date).max(1_000).nullish().describe("dates without a shift, such as holidays"),
  members,
  ahead_days: z.int().min(1).max(92).nullish().describe("default 14"),
};

const released = {
  released: z.array(z.uuid()).describe("tasks returned to the pool"),
  kept: z
    .array(z.object({ task_id: z.uuid(), code: z.string(), detail: z.string() }))
    .describe("tasks that stayed with their owners, with the reason"),
};
const OF_SHIFT = [...OF_PLACE, "SHIFT_ENDED", "SHIFT_CANCELED"] as const;
const changed = z.object({ shift: shapes.shift, ...released });
const patternAnswer = z.object({
  pattern,
  added: z.int().describe("new shifts"),
  removed: z.int().describe("shifts removed before they began"),
});

/** Routes that change shifts, and of the caller's own shifts. */
export const SHIFT_CHANGE_ROUTES = defineRoutes({
  listMyShifts: {
    ...reads,
    path: "/api/planner/my-shifts",
    permission: "shift.read_own",
    summary: "Your own shifts, also canceled ones",
    query: z.object({
      project_id: id.optional(),
      from: givenMoment.optional().describe("only shifts that end after this moment"),
      to: givenMoment.optional().describe("only shifts that begin before this moment"),
      ...uuidPage,
    }),
    replies: { 200: z.object({ shifts: z.array(shapes.shift), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  changeShift: {
    ...writes,
    method: "PATCH",
    path: "/api/planner/shifts/{id}",
    permission: "shift.write",
    summary: "Change the times or members of a shift",
    about:
      "The start of a running shift stays. A member who leaves a running shift gets a shift of their own that ends now: the member's tasks return to the pool, as at the end of any shift.",
    body: z.object({
      starts_at: givenMoment.nullish(),
      ends_at: givenMoment.nullish(),
      members: members.nullish(),
      ...version,
      ...once,
    }),
    replies: { 200: changed },
    refusals: [...OF_SHIFT, "SHIFT_STARTED", "VERSION_CONFLICT"],
  },
  extendShift: {
    ...posts,
    path: "/api/planner/shifts/{id}/extend",
    permission: "shift.write",
    summary: "Move the end of a shift to a later moment",
    body: z.object({ ends_at: givenMoment, ...once }),
    replies: { 200: changed },
    refusals: OF_SHIFT,
  },
  cancelShift: {
    ...posts,
    path: "/api/planner/shifts/{id}/cancel",
    permission: "shift.write",
    summary: "Cancel a shift that has not begun",
    about: "It stays on record and releases nothing. A pattern does not make it again.",
    body: z.object({ reason: words.max(10_000), ...once }),
    replies: { 200: changed },
    refusals: [...OF_SHIFT, "SHIFT_STARTED"],
  },
  copyShifts: {
    ...posts,
    path: "/api/planner/shifts/copy",
    permission: "shift.write",
    summary: "Copy the shifts of a week to another week",
    about:
      "Copies the shifts that begin in the seven days from `from`, with the same local times. Leaves out shifts that patterns made, that exist already, or that would be over.",
    body: z.object({
      project_id: id.nullish(),
      from: date.describe("the first day of the week to copy"),
      to: date.describe("the first day of the new week"),
      time_zone: timeZone,
      ...once,
    }),
    replies: {
      201: z.object({
        shifts: z.array(shapes.shift).describe("the new shifts"),
        skipped: z.array(
          z.object({ shift_id: z.uuid(), reason: z.enum(["pattern", "exists", "past", "no_members"]) }),
        ),
      }),
    },
    refusals: OF_PLACE,
  },
});

/** Routes of recurring patterns. */
export const SHIFT_PATTERN_ROUTES = defineRoutes({
  createShiftPattern: {
    ...posts,
    path: "/api/planner/shift-patterns",
    permission: "shift.write",
    summary: "Create a recurring pattern of shifts",
    about:
      "Repeats on weekdays, or in a cycle of days on and off. The times are local: they stay the same when the clocks change. Every node makes the shifts ahead of time, each once.",
    body: z.object({ project_id: id.nullish(), ...patternFields, ...once }),
    replies: { 201: patternAnswer },
    refusals: OF_PLACE,
  },
  listShiftPatterns: {
    ...reads,
    path: "/api/planner/shift-patterns",
    permission: "shift.read",
    summary: "Recurring patterns, oldest first",
    query: z.object({
      project_id: id.optional(),
      ended: z.boolean().optional().describe("also patterns that were ended"),
      ...uuidPage,
    }),
    replies: { 200: z.object({ patterns: z.array(pattern), cursor: nextCursor }) },
    refusals: OF_PLACE,
  },
  getShiftPattern: {
    ...reads,
    path: "/api/planner/shift-patterns/{id}",
    permission: "shift.read",
    summary: "A recurring pattern",
    replies: { 200: pattern },
    refusals: OF_PLACE,
  },
  changeShiftPattern: {
    ...writes,
    method: "PATCH",
    path: "/api/planner/shift-patterns/{id}",
    permission: "shift.write",
    summary: "Change a recurring pattern",
    about:
      "Its coming shifts are made again. Shifts that have begun, or were edited or canceled, stay. Null restores the default of a field that has one; weekdays replace a cycle, and a cycle replaces weekdays.",
    body: z.object({
      ...patternFields,
      name: patternFields.name.nullish(),
      starts: time.nullish(),
      ends: time.nullish(),
      time_zone: timeZone.nullish(),
      from_date: date.nullish(),
      members: members.nullish(),
      ...version,
      ...once,
    }),
    replies: { 200: patternAnswer },
    refusals: [...OF_PLACE, "PATTERN_ENDED", "VERSION_CONFLICT"],
  },
  endShiftPattern: {
    ...posts,
    path: "/api/planner/shift-patterns/{id}/end",
    permission: "shift.write",
    summary: "End a recurring pattern and remove its coming shifts",
    body: z.object(once),
    replies: { 200: patternAnswer },
    refusals: [...OF_PLACE, "PATTERN_ENDED"],
  },
});

export type PlannerShiftPattern = z.output<typeof pattern>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
