import { describe, expect, test } from "vitest";
import { addDays, dateAt, moveByDays, occurrencesOf, startOfDate } from "./shift-calendar.ts";
import type { Recurrence } from "./shift-calendar.ts";

const weekly: Recurrence = {
  starts: "06:00",
  ends: "14:00",
  time_zone: "Europe/Berlin",
  weekdays: ["mon", "wed"],
  every_weeks: 1,
  days_on: null,
  days_off: null,
  from_date: "2026-03-02",
  until_date: null,
  except_dates: [],
};
const datesOf = (more: Partial<Recurrence>, first: string, last: string) =>
  occurrencesOf({ ...weekly, ...more }, first, last).map(({ date }) => date);
const timesOf = (more: Partial<Recurrence>, date: string) =>
  occurrencesOf({ ...weekly, weekdays: ["sat", "sun"], ...more }, date, date).map(
    ({ starts_at, ends_at }) => [new Date(starts_at).toISOString(), new Date(ends_at).toISOString()],
  );

describe("dates", () => {
  test.each<[string, Partial<Recurrence>, string[]]>([
    ["weekdays", {}, ["2026-03-02", "2026-03-04", "2026-03-09", "2026-03-11", "2026-03-16"]],
    ["every second week", { every_weeks: 2 }, ["2026-03-02", "2026-03-04", "2026-03-16"]],
    [
      "an exception",
      { except_dates: ["2026-03-04"] },
      ["2026-03-02", "2026-03-09", "2026-03-11", "2026-03-16"],
    ],
    ["a last date", { until_date: "2026-03-09" }, ["2026-03-02", "2026-03-04", "2026-03-09"]],
    ["a later first date", { from_date: "2026-03-11" }, ["2026-03-11", "2026-03-16"]],
    [
      "two days on, two off",
      { weekdays: null, days_on: 2, days_off: 2, from_date: "2026-03-05" },
      ["2026-03-05", "2026-03-06", "2026-03-09", "2026-03-10", "2026-03-13", "2026-03-14"],
    ],
  ])("%s", (_, more, expected) => {
    expect(datesOf(more, "2026-03-01", "2026-03-16")).toEqual(expected);
  });
});

describe("times across a change of the clocks in Berlin", () => {
  test.each<[string, Partial<Recurrence>, string, [string, string]]>([
    ["winter", {}, "2026-03-28", ["2026-03-28T05:00:00.000Z", "2026-03-28T13:00:00.000Z"]],
    ["summer", {}, "2026-03-29", ["2026-03-29T04:00:00.000Z", "2026-03-29T12:00:00.000Z"]],
    [
      "a night of seven hours",
      { starts: "22:00", ends: "06:00" },
      "2026-03-28",
      ["2026-03-28T21:00:00.000Z", "2026-03-29T04:00:00.000Z"],
    ],
    [
      "a night of nine hours",
      { starts: "22:00", ends: "06:00" },
      "2026-10-24",
      ["2026-10-24T20:00:00.000Z", "2026-10-25T05:00:00.000Z"],
    ],
    [
      "a start in the hour that is skipped",
      { starts: "02:30", ends: "03:00" },
      "2026-03-29",
      ["2026-03-29T01:30:00.000Z", "2026-03-29T02:00:00.000Z"],
    ],
  ])("%s", (_, more, date, expected) => {
    expect(timesOf(more, date)).toEqual([expected]);
  });
});

test("a shift moved by a week keeps its local times", () => {
  const saturday = {
    starts_at: Date.parse("2026-03-28T05:00:00Z"),
    ends_at: Date.parse("2026-03-28T13:00:00Z"),
  };
  const moved = moveByDays(saturday, 7, "Europe/Berlin");
  expect(new Date(moved.starts_at).toISOString()).toBe("2026-04-04T04:00:00.000Z");
  expect(new Date(moved.ends_at).toISOString()).toBe("2026-04-04T12:00:00.000Z");
});

test("dates depend on the time zone", () => {
  const moment = Date.parse("2026-03-01T23:30:00Z");
  expect(dateAt(moment, "Europe/Berlin")).toBe("2026-03-02");
  expect(dateAt(moment, "America/New_York")).toBe("2026-03-01");
  expect(startOfDate("2026-03-02", "Europe/Berlin")).toBe(Date.parse("2026-03-01T23:00:00Z"));
  expect(addDays("2026-02-28", 1)).toBe("2026-03-01");
});
