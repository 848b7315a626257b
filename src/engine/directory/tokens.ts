import { hash, randomBytes } from "node:crypto";
import { isStorable } from "../../core/index.ts";

/** The org of a token that names none: the one that `PAWL_ADMIN_TOKEN` is for. */
const HOME_ORG = "main";

/** A fresh token. It names its org, so that it is looked up among that org's only; the rest is chance. */
export function makeToken(org_id: string): string {
  return `pawl_${encodeURIComponent(org_id)}_${randomBytes(24).toString("hex")}`;
}

/** The org a token says it is of; whether that is true is found by its hash. */
export function orgOfToken(token: string): string {
  const [, org = HOME_ORG] = /^pawl_(.+)_[0-9a-f]{48}$/.exec(token) ?? [];
  try {
    const decoded = decodeURIComponent(org);
    // Tokens are looked up together: one that the database cannot even read must not spoil the others.
    return isStorable(decoded) ? decoded : HOME_ORG;
  } catch {
    return HOME_ORG;
  }
}

/** What a token is recognised by. It holds 192 bits of chance, so there is nothing to stretch or salt. */
export function hashOfToken(token: string): string {
  return hash("sha256", token);
}
