import { v7 as uuidv7 } from "uuid";
import { isStorable, refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import type { Caller } from "../caller.ts";
import { visibleProjects } from "../read/visible-projects.ts";
import { findMember } from "../sql/members.ts";
import { expireToken, findHolderOf, listTokens, lockToken, revokeToken, saveToken } from "../sql/tokens.ts";
import type { LockedToken, TokenRow } from "../sql/tokens.ts";
import { isUuid } from "../../std/uuid.ts";
import type { Tx } from "../transaction.ts";
import type { Confines } from "./confines.ts";
import { adminRefusal, noMember, noToken, reachRefusal } from "./directory-refusals.ts";
import { hashOfToken, makeToken } from "./tokens.ts";

const MAX_TOKENS = 200;

/** A new token, which is returned only once. */
type IssuedToken = { kind: "issued"; id: string; token: string };
type TokenOptions = { name?: string | null | undefined; expires_in_ms?: number | null };

type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The tokens of members: issued, listed and revoked by admins. */
export class AccessTokens {
  private readonly transact: Transact;

  constructor(transact: Transact) {
    this.transact = transact;
  }

  /** Issues a token for a member, which is returned only once. */
  async issueToken(
    { org_id, actor }: Caller,
    member_id: string,
    { name = null, expires_in_ms = null }: TokenOptions = {},
  ): Promise<IssuedToken | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isStorable(member_id)) return noMember(member_id);
    const [id, token] = [uuidv7(), makeToken(org_id)];
    return this.transact(async (tx) => {
      const member = await findMember(tx, org_id, member_id);
      if (!member) return noMember(member_id);
      const beyond = reachRefusal(actor, member);
      if (beyond) return beyond;
      const row = { id, member_id, hash: hashOfToken(token), created_by: actor.id };
      await saveToken(tx, org_id, { ...row, name, expires_in_ms });
      return { kind: "issued" as const, id, token };
    });
  }

  /** Issues a token that replaces another, with its name and lifetime; the other one expires after the overlap. */
  async rotateToken(
    { org_id, actor }: Caller,
    old_id: string,
    { overlap_ms }: { overlap_ms: number },
  ): Promise<IssuedToken | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isUuid(old_id)) return noToken(old_id);
    const [id, token] = [uuidv7(), makeToken(org_id)];
    return this.transact(async (tx) => {
      const [old, holder] = [await lockToken(tx, org_id, old_id), await findHolderOf(tx, org_id, old_id)];
      if (!old || !holder) return noToken(old_id);
      const refusal = reachRefusal(actor, holder) ?? rotationRefusal(old);
      if (refusal) return refusal;
      const { member_id, name, lifetime_ms: expires_in_ms } = old;
      const row = { id, member_id, hash: hashOfToken(token), created_by: actor.id };
      await saveToken(tx, org_id, { ...row, name, expires_in_ms });
      await expireToken(tx, org_id, old_id, overlap_ms);
      return { kind: "issued" as const, id, token };
    });
  }

  /** Issues a token limited to `confined_to`. The caller of this method must check that the actor may issue it. */
  async issueConfinedToken(
    { org_id, actor }: Caller,
    { member_id, ...bounds }: { member_id: string; confined_to: Confines; expires_in_ms?: number },
  ): Promise<{ id: string; token: string }> {
    const [id, token] = [uuidv7(), makeToken(org_id)];
    const row = { id, member_id, hash: hashOfToken(token), created_by: actor.id, ...bounds };
    await this.transact((tx) => saveToken(tx, org_id, row));
    return { id, token };
  }

  /** Lists the valid tokens of a member; with `all`, also the revoked and expired ones. */
  async tokens(
    { org_id, actor }: Caller,
    member_id: string,
    { all = false }: { all?: boolean } = {},
  ): Promise<TokenRow[] | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isStorable(member_id)) return noMember(member_id);
    return this.transact(async (tx) => {
      const member = await findMember(tx, org_id, member_id);
      if (!member) return noMember(member_id);
      const beyond = reachRefusal(actor, member);
      if (beyond) return beyond;
      const tokens = await listTokens(tx, org_id, member_id, { limit: MAX_TOKENS, all });
      return tokens.map((token) => tokenShownTo(actor, token));
    });
  }

  async revokeToken({ org_id, actor }: Caller, id: string): Promise<{ kind: "revoked" } | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isUuid(id)) return noToken(id);
    return this.transact(async (tx) => {
      const holder = await findHolderOf(tx, org_id, id);
      if (!holder) return noToken(id);
      const beyond = reachRefusal(actor, holder);
      if (beyond) return beyond;
      await revokeToken(tx, org_id, id);
      return { kind: "revoked" as const };
    });
  }
}

function rotationRefusal({ ended, confined, made_by_pawl }: LockedToken): Refusal | null {
  if (ended) return refuse("TOKEN_NOT_ROTATED", "This token was revoked or has expired.");
  if (confined)
    return refuse(
      "TOKEN_NOT_ROTATED",
      "This token has one purpose; the lifecycle that uses it creates new ones.",
    );
  if (!made_by_pawl) return null;
  return refuse(
    "TOKEN_NOT_ROTATED",
    "Pawl created this token at its setup; `pawl tokens reset-admin` replaces it.",
  );
}

/** Hides the limits of a token for a project that the reader may not see. */
function tokenShownTo(actor: Actor, token: TokenRow): TokenRow {
  const { confined_to } = token;
  if (confined_to?.workspace_id === undefined) return token;
  const seen = visibleProjects(actor, confined_to.workspace_id)?.length !== 0;
  return seen ? token : { ...token, confined_to: { kind: confined_to.kind } };
}
