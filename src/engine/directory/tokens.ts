import { hash, randomBytes } from "node:crypto";
import { isStorable } from "../../core/index.ts";

/** The org of a token that names none, such as `PAWL_ADMIN_TOKEN`. */
const HOME_ORG = "main";

/** Generates a random token. It contains its org, so that it is looked up among the tokens of that org only. */
export function makeToken(org_id: string): string {
  return `pawl_${encodeURIComponent(org_id)}_${randomBytes(24).toString("hex")}`;
}

/** Generates the one-time code of a sign-in link; its prefix differs from that of tokens. */
export function makeLoginCode(org_id: string): string {
  return `pawllink_${encodeURIComponent(org_id)}_${randomBytes(24).toString("hex")}`;
}

/** Returns the org in a one-time code; null if the text has another form. */
export function orgOfLoginCode(code: string): string | null {
  const [, org] = /^pawllink_(.+)_[0-9a-f]{48}$/.exec(code) ?? [];
  return org === undefined ? null : decodedOrg(org);
}

/** Returns the org in a token; whether the token is valid is checked by its hash. */
export function orgOfToken(token: string): string {
  const [, org = HOME_ORG] = /^pawl_(.+)_[0-9a-f]{48}$/.exec(token) ?? [];
  // Tokens are looked up in batches: one that the database cannot store must not fail the others.
  return decodedOrg(org) ?? HOME_ORG;
}

/** Decodes the org in a secret; null if it is invalid. */
function decodedOrg(org: string): string | null {
  try {
    const decoded = decodeURIComponent(org);
    return isStorable(decoded) ? decoded : null;
  } catch {
    return null;
  }
}

/** Hashes a token for storage. It has 192 random bits, so it needs no salt and no slow hash. */
export function hashOfToken(token: string): string {
  return hash("sha256", token);
}
