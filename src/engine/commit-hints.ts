import { randomUUID } from "node:crypto";
import type { Commits } from "./commits.ts";
import { connect, hasOwnSessions } from "./database/connect.ts";
import type { Sql } from "./database/connect.ts";
import { COMMITS_CHANNEL, tellCommits } from "./statements/tell-commits.ts";

export type CommitHintOptions = {
  /** Hear the other nodes too, and not only tell them. */
  hears?: boolean | undefined;
  /** Where to listen, if the client's own way passes through a pooler. */
  directUrl?: string | undefined;
  onFault?: ((error: unknown) => void) | undefined;
};

export type CommitHints = {
  /** Neither tells nor hears any more. May be called twice. */
  stop(): Promise<void>;
};

/** An org is told of no more often than this, however much is committed in it. */
const REST_MS = 20;

/**
 * Nodes tell each other in which orgs they have committed something, so that whoever waits there need not wait for his next
 * look. Only a hint: what is not told, or not heard, is found by looking.
 */
export function startCommitHints(
  commits: Commits,
  sql: Sql,
  { hears = false, directUrl, onFault = () => undefined }: CommitHintOptions = {},
): CommitHints {
  const node = randomUUID();
  const herald = new Herald((orgs) =>
    tellCommits(
      sql,
      orgs.map((org_id) => `${node} ${org_id}`),
    ),
  );
  const forget = commits.onCommitted((org_id, where) => {
    if (where === "here") herald.tell(org_id);
  });
  // Through a pooler it would be in somebody else's session that the server listens.
  const canHear = directUrl !== undefined || hasOwnSessions(sql);
  const listening = hears && canHear ? listen(sql, directUrl, heard) : null;
  listening?.ready.catch(onFault);

  function heard(told: string): void {
    const [from = "", ...org_id] = told.split(" ");
    if (from !== node) commits.tell(org_id.join(" "), "elsewhere");
  }
  return {
    stop: async () => {
      forget();
      herald.stop();
      await listening?.stop();
    },
  };
}

/** Tells at once, and then no more than once in a while. */
class Herald {
  private readonly send: (orgs: readonly string[]) => Promise<void>;
  private readonly waiting = new Set<string>();
  private resting: NodeJS.Timeout | null = null;
  private sending = false;

  constructor(send: (orgs: readonly string[]) => Promise<void>) {
    this.send = send;
  }

  tell(org_id: string): void {
    this.waiting.add(org_id);
    if (this.resting === null && !this.sending) void this.go();
  }

  stop(): void {
    if (this.resting) clearTimeout(this.resting);
    this.waiting.clear();
  }

  private async go(): Promise<void> {
    const orgs = [...this.waiting];
    this.waiting.clear();
    this.sending = true;
    await this.send(orgs).catch(() => undefined);
    this.sending = false;
    this.resting = setTimeout(() => {
      this.resting = null;
      if (this.waiting.size > 0) void this.go();
    }, REST_MS);
    // A library must not keep its user's process alive.
    this.resting.unref();
  }
}

function listen(sql: Sql, directUrl: string | undefined, heard: (told: string) => void) {
  const own = directUrl === undefined ? null : connect(directUrl, { maxConnections: 1 });
  const ready = (own ?? sql).listen(COMMITS_CHANNEL, heard);
  return {
    ready,
    stop: async () => {
      await ready.then((listening) => listening.unlisten()).catch(() => undefined);
      await own?.end({ timeout: 1 });
    },
  };
}
