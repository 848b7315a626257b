import { createHash } from "node:crypto";

/**
 * What users know a file by: the same for the same place, so that a button from last month still works, and short enough
 * for a button. It says nothing of the place itself.
 */
export function fileIdOf(org_id: string, path: string): string {
  return createHash("sha256").update(`${org_id}\n${path}`).digest("base64url").slice(0, 16);
}

/** A name as people type it when they seek it. */
export function soughtAs(name: string): string {
  return name.normalize("NFC").toLowerCase().replaceAll("ё", "е");
}
