import { InvalidArgumentError } from "commander";

/** Reads a date, which means its end, or a moment. */
export function untilMoment(text: string): string {
  return localMoment(text, "23:59:59");
}

/** Reads a date, which means its start, or a moment. */
export function sinceMoment(text: string): string {
  return localMoment(text, "00:00:00");
}

function localMoment(text: string, timeOfDate: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text);
  const time = isDate ? Date.parse(`${text}T${timeOfDate}`) : isMoment ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      "It must be a date such as 2026-12-31, or a moment such as 2026-12-31T18:00.",
    );
  return new Date(time).toISOString();
}
