import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Commits } from "./commits.ts";
import { PoolArrivals } from "./write/pool-arrivals.ts";
import type { PoolArrival } from "./write/pool-arrivals.ts";
import { answerWithin, connect, hasOwnSessions, schemaOf } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { COMMITS_CHANNEL, notifyCommits } from "./sql/notify-commits.ts";

export type CommitHintOptions = {
  /** Also receive the notifications of other nodes; default false. */
  listens?: boolean | undefined;
  /** Where to LISTEN, if the client connects through a pooler. */
  directUrl?: string | undefined;
  /** Called once, when LISTEN fails. */
  onFault?: ((error: unknown) => void) | undefined;
};

export type CommitHints = {
  /** Stops sending and receiving. May be called twice. */
  stop(): Promise<void>;
};

/** Minimum interval between two notifications. */
const NOTIFY_INTERVAL_MS = 20;

/**
 * Notifies other nodes (NOTIFY) of the orgs in which this one committed something, so that their waiters need not wait for the
 * next poll. Only a hint: waiters find by polling what a lost notification would have reported.
 */
export function startCommitHints(
  commits: Commits,
  sql: Sql,
  { listens: listens = false, directUrl, onFault = () => undefined }: CommitHintOptions = {},
): CommitHints {
  const node = randomUUID();
  const throttle = new NotifyThrottle((pending) =>
    notifyCommits(
      sql,
      pending.map(([org_id, arrivals]) => serialize({ node, org_id, freed: arrivals.list() })),
    ),
  );
  const unsubscribe = commits.onCommitted((org_id, where, arrivals) => {
    if (where === "here") throttle.notify(org_id, arrivals);
  });
  // Behind a pooler the session belongs to another client, so LISTEN needs a direct connection.
  const canListen = directUrl !== undefined || hasOwnSessions(sql);
  const listening = listens && canListen ? listen(sql, directUrl, receive, onFault) : null;
  let stopped = false;

  function receive(payload: string): void {
    const hint = stopped ? null : parse(payload);
    if (hint !== null && hint.node !== node) commits.notify(hint.org_id, "elsewhere", hint.freed);
  }
  return {
    stop: async () => {
      stopped = true;
      unsubscribe();
      throttle.stop();
      await listening?.stop();
    },
  };
}

/** The payload of a notification. */
type CommitHint = { node: string; org_id: string; freed: readonly PoolArrival[] };

/** Maximum payload length: PostgreSQL accepts at most 8,000 bytes. */
const MAX_PAYLOAD_LENGTH = 2_000;

/** Drops the pool arrivals if the payload is too long; waiting claims then find the tasks by polling. */
function serialize(hint: CommitHint): string {
  const text = JSON.stringify(hint);
  return text.length <= MAX_PAYLOAD_LENGTH ? text : JSON.stringify({ ...hint, freed: [] });
}

/** Returns null for payloads of other senders: any client of the database can notify the channel. */
function parse(payload: string): CommitHint | null {
  try {
    const { node, org_id, freed } = JSON.parse(payload) as CommitHint;
    return typeof org_id === "string" && Array.isArray(freed) ? { node, org_id, freed } : null;
  } catch {
    return null;
  }
}

/** Sends the first notification immediately, then at most one batch per interval. */
class NotifyThrottle {
  private readonly send: (pending: [org_id: string, arrivals: PoolArrivals][]) => Promise<void>;
  private readonly pending = new Map<string, PoolArrivals>();
  private timer: NodeJS.Timeout | null = null;
  private sending = false;

  constructor(send: NotifyThrottle["send"]) {
    this.send = send;
  }

  notify(org_id: string, arrivals: readonly PoolArrival[]): void {
    const known = this.pending.get(org_id) ?? new PoolArrivals();
    for (const arrival of arrivals) known.add(arrival);
    this.pending.set(org_id, known);
    if (this.timer === null && !this.sending) void this.flush();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.pending.clear();
  }

  private async flush(): Promise<void> {
    const batch = [...this.pending];
    this.pending.clear();
    this.sending = true;
    await this.send(batch).catch(() => undefined);
    this.sending = false;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.pending.size > 0) void this.flush();
    }, NOTIFY_INTERVAL_MS);
    // A library must not keep its user's process alive.
    this.timer.unref();
  }
}

const LISTEN_RETRY_INTERVAL_MS = 5_000;

/** Listens until stopped; reports only the first failure. */
function listen(
  sql: Sql,
  directUrl: string | undefined,
  onPayload: (payload: string) => void,
  onFault: (error: unknown) => void,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reportOnce = once(onFault);
  let own: Sql | null = null;
  const listening = (async () => {
    while (!signal.aborted) {
      own = directUrl === undefined ? null : connect(directUrl, { maxConnections: 1, schema: schemaOf(sql) });
      try {
        await answerWithin(undefined, (own ?? sql).listen(COMMITS_CHANNEL, onPayload), signal);
        return;
      } catch (error) {
        if (isAborted(signal)) return;
        reportOnce(error);
        // On the client's own connections the driver retries.
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
      // The connection of `sql` keeps listening until its owner closes it.
      await own?.end({ timeout: 0 });
    },
  };
}

/** Reads the flag again after a wait: the type checker assumes that it keeps its first value. */
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
