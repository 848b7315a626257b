import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import type { Caller } from "../caller.ts";
import type { MemberRow } from "../sql/members.ts";
import { findHolders } from "../sql/tokens.ts";
import type { HolderRow } from "../sql/tokens.ts";
import { hashOfToken, orgOfToken } from "./tokens.ts";

/** The member that a token belongs to. */
export type Authenticated = { kind: "known"; token_id: string; member: MemberRow } & Caller;

type Lookup = {
  answer: Promise<Authenticated | Refusal>;
  resolve: (answer: Authenticated | Refusal) => void;
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
  private waiting = new Map<string, Lookup>();
  private running = 0;
  private scheduled = false;

  constructor(sql: Sql, timeoutMs: number) {
    this.sql = sql;
    this.timeoutMs = timeoutMs;
  }

  authenticate(token: string): Promise<Authenticated | Refusal> {
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
      for (const [token, { resolve }] of lookups)
        resolve(answerOf(token, holders.get(hashes.get(token) ?? "")));
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
      [...byOrg].map(([org_id, orgHashes]) => findHolders(this.sql, this.timeoutMs, org_id, orgHashes)),
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
  const { hash: _, token_id, confined_to, ...member } = holder;
  if (!member.active) return refuse("MEMBER_INACTIVE", `The member "${member.id}" is inactive.`);
  const { active: __, ...known } = member;
  // An agent that works on one task has the role of any agent, not the roles of the worker that its token was issued for.
  const actor = confined_to?.kind === "task" ? { ...known, roles: ["agent"] } : known;
  return { kind: "known", org_id: orgOfToken(token), actor, member, token_id, confined_to };
}
