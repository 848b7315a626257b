import { InvalidArgumentError } from "commander";

/** Describes an option with a moment, for the help. */
export const MOMENT = "local time such as 2026-12-31T06:00, or with an offset";

/** Parses local time, or a time with an offset. */
export function moment(text: string): string {
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("It must be a moment such as 2026-12-31T06:00.");
  return new Date(time).toISOString();
}
