import { readTransactionStatus } from "./sql/transaction-status.ts";
import type { Commits } from "./commits.ts";
import type { Sql } from "../postgres/index.ts";
import { PoolArrivals } from "./write/pool-arrivals.ts";
import type { PoolArrival } from "./write/pool-arrivals.ts";

/** Callers' transactions commit soon after their last command; the interval grows with the time that one stays open. */
const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 500;
/** Transactions that stay open for longer are forgotten: waiters find their tasks by polling. */
const MAX_AGE_MS = 60_000;

/** The tasks that entered pools in a transaction, by org, and the time of its last command. */
type Watched = { arrivals: Map<string, PoolArrivals>; since: number };

/**
 * Polls for the end of callers' transactions and notifies the listeners of those that committed. A NOTIFY inside the transaction
 * would need no polling, but commits with NOTIFY wait for each other, and callers would pay for that.
 */
export class OpenTransactions {
  private readonly sql: () => Sql;
  private readonly commits: Commits;
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | null = null;

  /** `sql` must not share connections with commands: they may wait for the transaction that is watched. */
  constructor(sql: () => Sql, commits: Commits) {
    this.sql = sql;
    this.commits = commits;
  }

  /** Notifies the listeners when the transaction has committed. */
  watch(transaction_id: string, org_id: string, arrivals: readonly PoolArrival[]): void {
    const known = this.watched.get(transaction_id) ?? { arrivals: new Map<string, PoolArrivals>(), since: 0 };
    known.since = Date.now();
    const ofOrg = known.arrivals.get(org_id) ?? new PoolArrivals();
    for (const arrival of arrivals) ofOrg.add(arrival);
    known.arrivals.set(org_id, ofOrg);
    this.watched.set(transaction_id, known);
    this.schedule();
  }

  /** Forgets all transactions. */
  stop(): void {
    this.watched.clear();
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private schedule(): void {
    if (this.timer !== null || this.watched.size === 0) return;
    const newest = Math.max(...[...this.watched.values()].map(({ since }) => since));
    const delay = Math.min(MAX_POLL_MS, Math.max(FIRST_POLL_MS, (Date.now() - newest) / 4));
    this.timer = setTimeout(() => void this.poll(), delay);
    // A library must not keep its user's process alive.
    this.timer.unref();
  }

  private async poll(): Promise<void> {
    try {
      const found = await readTransactionStatus(this.sql(), [...this.watched.keys()]);
      for (const [id, status] of found) this.settle(id, status);
    } catch {
      // The database is unreachable or closed. This is only a hint, so waiters poll.
      this.watched.clear();
    }
    this.timer = null;
    this.schedule();
  }

  private settle(id: string, status: string): void {
    const one = this.watched.get(id);
    if (!one || (status === "in progress" && Date.now() - one.since < MAX_AGE_MS)) return;
    this.watched.delete(id);
    if (status !== "committed") return;
    for (const [org_id, arrivals] of one.arrivals) this.commits.notify(org_id, "here", arrivals.list());
  }
}
