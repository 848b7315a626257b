import { hash } from "node:crypto";

/** What a request means, in 32 bytes: the same for the same intention, however it was written down. */
export function fingerprint(meaning: unknown): string {
  return hash("sha256", canonical(meaning), "hex");
}

/** JSON with strings trimmed, keys in one order, and nothing said of what is absent or null. */
function canonical(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.trim());
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "{";
  for (const key of Object.keys(fields).sort())
    if (fields[key] !== undefined && fields[key] !== null)
      text += `${JSON.stringify(key)}:${canonical(fields[key])},`;
  return `${text}}`;
}
