import { v7 as uuidv7 } from "uuid";
import { isStorable, refuse, truncateText } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import type { Caller } from "../caller.ts";
import { deleteLoginCodes, findLoginCode, saveLoginCode, useLoginCode } from "../sql/login-codes.ts";
import { wrongField } from "../refusals.ts";
import { findMember } from "../sql/members.ts";
import { deleteEndedSessions, endSession, saveSession } from "../sql/sessions.ts";
import type { Tx } from "../transaction.ts";
import type { Authenticated } from "./authenticator.ts";
import { adminRefusal, noMember, reachRefusal } from "./directory-refusals.ts";
import { hashOfToken, makeLoginCode, makeToken, orgOfLoginCode, orgOfToken } from "./tokens.ts";

/** How long sessions last: at most in all, and at most without a request. */
export type SessionTimes = { lifetimeMs: number; idleMs: number };

export const DAY_MS = 86_400_000;
export const DEFAULT_SESSION_TIMES: SessionTimes = { lifetimeMs: 30 * DAY_MS, idleMs: 7 * DAY_MS };

/** How long the one-time code of a sign-in link is valid. */
const LOGIN_CODE_MS = 600_000;
const MAX_USER_AGENT_LENGTH = 300;

type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A one-time code, which is returned only once. */
export type LoginCode = { kind: "issued"; code: string; expires_at: Instant };

/** The browser that signs in, as it describes itself. */
export type Browser = { user_agent: string | undefined };

/** Starts and ends sessions of browsers. Each sign-in gets a new secret, which only the session's cookie contains. */
export class Sessions {
  readonly times: SessionTimes;
  private readonly transact: Transact;

  constructor(transact: Transact, times: SessionTimes) {
    this.transact = transact;
    this.times = times;
  }

  /** Starts a session for the member of a token and returns its secret. */
  async start({ org_id, member, token_id }: Authenticated, browser: Browser): Promise<string> {
    const secret = makeToken(org_id);
    const session = this.newSession(member.id, secret, browser);
    await this.transact(async (tx) => {
      await deleteEndedSessions(tx, org_id, member.id);
      await saveSession(tx, org_id, { ...session, parent_id: token_id });
    });
    return secret;
  }

  /** Ends the session with this secret; any other token is left alone. */
  async end(secret: string): Promise<void> {
    await this.transact((tx) => endSession(tx, orgOfToken(secret), hashOfToken(secret)));
  }

  /** Creates a one-time code with which a member can sign in. */
  async createLoginCode({ org_id, actor }: Caller, member_id: string): Promise<LoginCode | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isStorable(member_id)) return noMember(member_id);
    const [id, code] = [uuidv7(), makeLoginCode(org_id)];
    return this.transact(async (tx) => {
      const member = await findMember(tx, org_id, member_id);
      if (!member) return noMember(member_id);
      const beyond = reachRefusal(actor, member);
      if (beyond) return beyond;
      if (!member.active) return wrongField("id", "must be an active member");
      await deleteLoginCodes(tx, org_id, null);
      const row = { id, member_id, hash: hashOfToken(code), created_by: actor.id };
      const expires_at = await saveLoginCode(tx, org_id, { ...row, expires_in_ms: LOGIN_CODE_MS });
      return { kind: "issued" as const, code, expires_at };
    });
  }

  /** Uses a one-time code: starts a session for its member and returns the session's secret. */
  async redeemLoginCode(
    code: string,
    browser: Browser,
  ): Promise<{ kind: "started"; secret: string } | Refusal> {
    const org_id = orgOfLoginCode(code);
    if (org_id === null) return invalidLink("This link is unknown: it may be incomplete.");
    const secret = makeToken(org_id);
    const hash = hashOfToken(code);
    const session = this.newSession("", secret, browser);
    return this.transact(async (tx) => {
      const member_id = await useLoginCode(tx, org_id, hash, session.id);
      if (member_id === null) return whyInvalid(tx, org_id, hash);
      await deleteEndedSessions(tx, org_id, member_id);
      await saveSession(tx, org_id, { ...session, member_id, parent_id: null });
      return { kind: "started" as const, secret };
    });
  }

  private newSession(member_id: string, secret: string, { user_agent = "" }: Browser) {
    const hash = hashOfToken(secret);
    const stored = isStorable(user_agent) ? truncateText(user_agent, MAX_USER_AGENT_LENGTH) : "";
    const expires_in_ms = this.times.lifetimeMs;
    return { id: uuidv7(), member_id, hash, user_agent: stored === "" ? null : stored, expires_in_ms };
  }
}

/** The console's address of a sign-in link. The fragment stays in the browser: no server, log or Referer gets it. */
export function loginLinkPath(code: string): string {
  return `/sign-in#${code}`;
}

async function whyInvalid(tx: Tx, org_id: string, hash: string): Promise<Refusal> {
  const found = await findLoginCode(tx, org_id, hash);
  if (!found) return invalidLink("This link is unknown: it may be incomplete.");
  if (found.used) return invalidLink("This link was used already. Each link signs in once.");
  return found.active
    ? invalidLink("This link has expired.")
    : refuse("MEMBER_INACTIVE", `The member "${found.member_id}" is inactive.`);
}

function invalidLink(detail: string): Refusal {
  return refuse("LINK_INVALID", detail);
}
