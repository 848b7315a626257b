/** Truncates a string to at most `max` UTF-16 units without splitting a surrogate pair. */
export function truncateText(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

/** Truncates a string to at most `max` UTF-16 units, with an ellipsis at the end. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${truncateText(text, max - 1)}…`;
}
