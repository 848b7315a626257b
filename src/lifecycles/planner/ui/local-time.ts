const MINUTE_MS = 60_000;

/** Formats a moment for an input field: local time without a zone. */
export function localMoment(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Formats a local date as `2026-12-31`. */
export function localDate(date: Date): string {
  return localMoment(date.getTime()).slice(0, 10);
}

export function browserTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the local midnight some days after a date; days are not always 24 hours long. */
export function addDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
