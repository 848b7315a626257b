import { createHash } from "node:crypto";

/**
 * Returns the public id of a file: the same for the same path, so that old buttons keep working, and short enough for a
 * button. It does not reveal the path.
 */
export function fileIdOf(org_id: string, path: string): string {
  return createHash("sha256").update(`${org_id}\n${path}`).digest("base64url").slice(0, 16);
}
