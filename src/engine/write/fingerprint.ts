import { hash } from "node:crypto";

/** Hashes a request (SHA-256, hex); spaces around strings, key order and null fields make no difference. */
export function fingerprintOf(request: unknown): string {
  return hash("sha256", canonical(request), "hex");
}

/**
 * Serializes a value canonically: strings are trimmed and prefixed with their lengths, keys are sorted, absent and null fields are
 * left out. The text is only hashed; it is cheaper to make than JSON.
 */
function canonical(value: unknown): string {
  if (typeof value === "string") {
    const text = value.trim();
    return `${text.length}"${text}`;
  }
  if (typeof value !== "object" || value === null) return `${(value ?? null) as boolean | number | null};`;
  let text = "";
  if (Array.isArray(value)) {
    for (const one of value) text += canonical(one);
    return `[${text}]`;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields).sort())
    if (fields[key] !== undefined && fields[key] !== null)
      text += `${key.length}"${key}${canonical(fields[key])}`;
  return `{${text}}`;
}
