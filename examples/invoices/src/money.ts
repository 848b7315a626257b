/** 123450 cents as `1234.50`. */
export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
