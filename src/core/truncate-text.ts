/** Truncates a text to at most `max` UTF-16 units without splitting a surrogate pair. */
export function firstUnits(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

/** Truncates a text to at most `max` UTF-16 units, with an ellipsis at the end. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${firstUnits(text, max - 1)}…`;
}
