/** The first units of a text, and no half of a surrogate pair among them. */
export function firstUnits(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}
