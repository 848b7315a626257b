/** Formats cents as a decimal number: 123450 is `1234.50`. */
export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
