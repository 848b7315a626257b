/** The first units of a text, and no half of a surrogate pair among them. */
export function firstUnits(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

/** Truncates a text to at most `max` UTF-16 units, with an ellipsis at the end. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${firstUnits(text, max - 1)}…`;
}
