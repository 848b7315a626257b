import { randomBytes, randomUUID } from "node:crypto";

const BYTES = 16;
const LENGTH = 36;
const HEX = Buffer.from("0123456789abcdef", "latin1");

/** Makes random UUIDs (version 4). For many, all are cut from one text: `randomUUID` concatenates twenty pieces for each. */
export function randomUuids(count: number): string[] {
  if (count === 1) return [randomUUID()];
  const bytes = randomBytes(count * BYTES);
  const text = Buffer.alloc(count * LENGTH, "-", "latin1");
  for (let n = 0; n < count; n++) {
    const from = n * BYTES;
    bytes[from + 6] = ((bytes[from + 6] as number) & 0x0f) | 0x40;
    bytes[from + 8] = ((bytes[from + 8] as number) & 0x3f) | 0x80;
    let at = n * LENGTH;
    for (let byte = 0; byte < BYTES; byte++) {
      if (byte === 4 || byte === 6 || byte === 8 || byte === 10) at++;
      const value = bytes[from + byte] as number;
      text[at++] = HEX[value >> 4] as number;
      text[at++] = HEX[value & 0x0f] as number;
    }
  }
  const all = text.toString("latin1");
  return Array.from({ length: count }, (_, n) => all.slice(n * LENGTH, (n + 1) * LENGTH));
}
