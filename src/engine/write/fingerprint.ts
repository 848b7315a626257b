import { hash } from "node:crypto";

/** What a request means, in 32 bytes: the same for the same intention, however it was written down. */
export function fingerprint(meaning: unknown): string {
  return hash("sha256", canonical(meaning), "hex");
}

/**
 * One text for each meaning: strings trimmed and with their lengths, keys in one order, and nothing said of what is absent or null.
 * It is only hashed, and cheaper than JSON.
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
