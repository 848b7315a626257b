/** The first units of a text, and no half of a surrogate pair among them. */
export function firstUnits(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

/** The text itself where it is short enough, else its beginning and an ellipsis. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${firstUnits(text, max - 1)}…`;
}
