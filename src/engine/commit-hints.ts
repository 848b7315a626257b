import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Commits } from "./commits.ts";
import { FreedTasks } from "./write/freed.ts";
import type { Freed } from "./write/freed.ts";
import { answerWithin, connect, hasOwnSessions } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { COMMITS_CHANNEL, tellCommits } from "./sql/tell-commits.ts";

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
  const herald = new Herald((told) =>
    tellCommits(
      sql,
      told.map(([org_id, freed]) => written({ node, org_id, freed: freed.list() })),
    ),
  );
  const forget = commits.onCommitted((org_id, where, freed) => {
    if (where === "here") herald.tell(org_id, freed);
  });
  // Through a pooler it would be in somebody else's session that the server listens.
  const canHear = directUrl !== undefined || hasOwnSessions(sql);
  const listening = hears && canHear ? listen(sql, directUrl, heard, onFault) : null;
  let stopped = false;

  function heard(told: string): void {
    const news = stopped ? null : read(told);
    if (news !== null && news.node !== node) commits.tell(news.org_id, "elsewhere", news.freed);
  }
  return {
    stop: async () => {
      stopped = true;
      forget();
      herald.stop();
      await listening?.stop();
    },
  };
}

type Told = { node: string; org_id: string; freed: readonly Freed[] };

/** PostgreSQL hands on no more than 8,000 bytes. */
const MOST_CHARACTERS = 2_000;

/** What is too long to be told is found by looking. */
function written(told: Told): string {
  const text = JSON.stringify(told);
  return text.length <= MOST_CHARACTERS ? text : JSON.stringify({ ...told, freed: [] });
}

/** Anybody may say something there: what is no news of ours is nothing. */
function read(text: string): Told | null {
  try {
    const { node, org_id, freed } = JSON.parse(text) as Told;
    return typeof org_id === "string" && Array.isArray(freed) ? { node, org_id, freed } : null;
  } catch {
    return null;
  }
}

/** Tells at once, and then no more than once in a while. */
class Herald {
  private readonly send: (told: [org_id: string, freed: FreedTasks][]) => Promise<void>;
  private readonly waiting = new Map<string, FreedTasks>();
  private resting: NodeJS.Timeout | null = null;
  private sending = false;

  constructor(send: Herald["send"]) {
    this.send = send;
  }

  tell(org_id: string, freed: readonly Freed[]): void {
    const known = this.waiting.get(org_id) ?? new FreedTasks();
    for (const one of freed) known.add(one);
    this.waiting.set(org_id, known);
    if (this.resting === null && !this.sending) void this.go();
  }

  stop(): void {
    if (this.resting) clearTimeout(this.resting);
    this.waiting.clear();
  }

  private async go(): Promise<void> {
    const told = [...this.waiting];
    this.waiting.clear();
    this.sending = true;
    await this.send(told).catch(() => undefined);
    this.sending = false;
    this.resting = setTimeout(() => {
      this.resting = null;
      if (this.waiting.size > 0) void this.go();
    }, REST_MS);
    // A library must not keep its user's process alive.
    this.resting.unref();
  }
}

const LISTEN_RETRY_INTERVAL_MS = 5_000;

/** Listens until stopped; reports only the first failure. */
function listen(
  sql: Sql,
  directUrl: string | undefined,
  heard: (told: string) => void,
  onFault: (error: unknown) => void,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reportOnce = once(onFault);
  let own: Sql | null = null;
  const listening = (async () => {
    while (!signal.aborted) {
      own = directUrl === undefined ? null : connect(directUrl, { maxConnections: 1 });
      try {
        await answerWithin(undefined, (own ?? sql).listen(COMMITS_CHANNEL, heard), signal);
        return;
      } catch (error) {
        if (isAborted(signal)) return;
        reportOnce(error);
        // On the client's own connections the driver retries by itself.
        if (own === null) return;
        await own.end({ timeout: 0 });
        await pause(LISTEN_RETRY_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await listening;
      // The connection of `sql` listens until its owner ends it.
      await own?.end({ timeout: 0 });
    },
  };
}

/** Reads the flag anew after a wait: the type checker assumes that it keeps its first value. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

function once(report: (error: unknown) => void): (error: unknown) => void {
  let reported = false;
  return (error) => {
    if (!reported) report(error);
    reported = true;
  };
}
