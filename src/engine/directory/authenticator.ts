import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { Caller } from "../caller.ts";
import type { MemberRow } from "../sql/members.ts";
import { findHolders } from "../sql/tokens.ts";
import type { HolderRow } from "../sql/tokens.ts";
import { LastUses } from "./last-uses.ts";
import { hashOfToken, orgOfToken } from "./tokens.ts";

/** The member that a token belongs to. A `session` is the token of a browser that signed in. */
export type Authenticated = {
  kind: "known";
  token_id: string;
  token_kind: "token" | "session";
  /** The token that the session was started with. */
  parent_id: string | null;
  member: MemberRow;
} & Caller;

type Found = { known: Authenticated | Refusal; unrecorded: boolean };

type Lookup = {
  answer: Promise<Found>;
  resolve: (answer: Found) => void;
  reject: (error: unknown) => void;
};

/** Maximum number of concurrent lookups; further tokens wait, so that a slow database gets larger lookups, not more of them. */
const MAX_RUNNING = 2;

/**
 * Finds the members that tokens belong to. Nothing is cached: every request is answered from a statement that was sent after
 * the request arrived, so a revoked token is refused from the next request on. All requests that arrive in one turn of the
 * event loop share one statement per org, and requests with the same token share its answer.
 */
export class Authenticator {
  private readonly sql: Sql;
  private readonly timeoutMs: number;
  private readonly idleMs: number;
  private readonly lastUses: LastUses;
  private waiting = new Map<string, Lookup>();
  private running = 0;
  private scheduled = false;

  constructor(sql: Sql, { timeoutMs, idleMs }: { timeoutMs: number; idleMs: number }) {
    this.sql = sql;
    this.timeoutMs = timeoutMs;
    this.idleMs = idleMs;
    this.lastUses = new LastUses(sql, timeoutMs);
  }

  /** Finds the member of a token. With `isUse`, this counts as a use of the token. */
  async authenticate(token: string, isUse: boolean): Promise<Authenticated | Refusal> {
    const { known, unrecorded } = await this.lookUp(token);
    if (isUse && unrecorded && !isRefusal(known)) this.lastUses.add(known.org_id, known.token_id);
    return known;
  }

  private lookUp(token: string): Promise<Found> {
    const shared = this.waiting.get(token);
    if (shared) return shared.answer;
    const lookup = newLookup();
    this.waiting.set(token, lookup);
    this.schedule();
    return lookup.answer;
  }

  private schedule(): void {
    if (this.scheduled || this.running >= MAX_RUNNING || this.waiting.size === 0) return;
    this.scheduled = true;
    // An immediate runs after all sockets that are readable in this turn were read; a microtask would run after the first.
    setImmediate(() => {
      this.scheduled = false;
      const lookups = this.waiting;
      this.waiting = new Map();
      this.running++;
      void this.run(lookups).then(() => {
        this.running--;
        this.schedule();
      });
      this.schedule();
    });
  }

  private async run(lookups: ReadonlyMap<string, Lookup>): Promise<void> {
    try {
      const hashes = new Map([...lookups.keys()].map((token) => [token, hashOfToken(token)]));
      const holders = await this.find(hashes);
      for (const [token, { resolve }] of lookups) {
        const holder = holders.get(hashes.get(token) ?? "");
        resolve({ known: answerOf(token, holder), unrecorded: holder?.unrecorded ?? false });
      }
    } catch (error) {
      for (const { reject } of lookups.values()) reject(error);
    }
  }

  /** The org is part of the token, so a hash found in one org cannot belong to a token of another. */
  private async find(hashes: ReadonlyMap<string, string>): Promise<Map<string, HolderRow>> {
    const byOrg = new Map<string, string[]>();
    for (const [token, hash] of hashes) {
      const org_id = orgOfToken(token);
      const others = byOrg.get(org_id);
      if (others) others.push(hash);
      else byOrg.set(org_id, [hash]);
    }
    const found = await Promise.all(
      [...byOrg].map(([org_id, orgHashes]) =>
        findHolders(this.sql, this.timeoutMs, org_id, { hashes: orgHashes, idleMs: this.idleMs }),
      ),
    );
    return new Map(found.flat().map((row) => [row.hash, row]));
  }
}

function newLookup(): Lookup {
  const lookup = {} as Lookup;
  lookup.answer = new Promise((resolve, reject) => {
    lookup.resolve = resolve;
    lookup.reject = reject;
  });
  return lookup;
}

function answerOf(token: string, holder: HolderRow | undefined): Authenticated | Refusal {
  if (!holder) return refuse("INVALID_TOKEN", "This token is unknown or was revoked.");
  const { hash: _, unrecorded: __, token_id, token_kind, parent_id, confined_to, ...member } = holder;
  if (!member.active) return refuse("MEMBER_INACTIVE", `The member "${member.id}" is inactive.`);
  const { active: ___, ...known } = member;
  // An agent that works on one task has the role of any agent, not the roles of the worker that its token was issued for.
  const actor = confined_to?.kind === "task" ? { ...known, roles: ["agent"] } : known;
  return {
    kind: "known",
    org_id: orgOfToken(token),
    actor,
    member,
    token_id,
    token_kind,
    parent_id,
    confined_to,
  };
}
