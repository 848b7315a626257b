import { hash } from "node:crypto";

/** What a request means, in 32 bytes: the same for the same intention, however it was written down. */
export function fingerprint(meaning: unknown): string {
  return hash("sha256", JSON.stringify(normalised(meaning)), "hex");
}

/** Strings trimmed, absent = null, keys in one order. */
function normalised(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => [key, normalised(field)]);
}
