import { hash, randomBytes } from "node:crypto";
import { isStorable } from "../../core/index.ts";

/** The org of a token that names none, such as `PAWL_ADMIN_TOKEN`. */
const HOME_ORG = "main";

/** Generates a random token. It contains its org, so that it is looked up among the tokens of that org only. */
export function makeToken(org_id: string): string {
  return `pawl_${encodeURIComponent(org_id)}_${randomBytes(24).toString("hex")}`;
}

/** Returns the org in a token; whether the token is valid is checked by its hash. */
export function orgOfToken(token: string): string {
  const [, org = HOME_ORG] = /^pawl_(.+)_[0-9a-f]{48}$/.exec(token) ?? [];
  try {
    const decoded = decodeURIComponent(org);
    // Tokens are looked up in batches: one that the database cannot store must not fail the others.
    return isStorable(decoded) ? decoded : HOME_ORG;
  } catch {
    return HOME_ORG;
  }
}

/** Hashes a token for storage. It has 192 random bits, so it needs no salt and no slow hash. */
export function hashOfToken(token: string): string {
  return hash("sha256", token);
}
