import type { PoolArrival } from "./write/pool-arrivals.ts";

type Where = "here" | "elsewhere";

/** Called after a commit in an org, by this engine or on another node, with the tasks that entered pools. */
export type CommitListener = (org_id: string, where: Where, arrivals: readonly PoolArrival[]) => void;

/**
 * Notifies listeners of commits. Only a hint: commits of which a notification is lost, and those of callers' transactions
 * that stay open for long, have to be found by polling.
 */
export class Commits {
  private readonly listeners = new Set<CommitListener>();

  /** Subscribes; returns the function that unsubscribes. */
  onCommitted(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Notifies all listeners. */
  notify(org_id: string, where: Where = "here", arrivals: readonly PoolArrival[] = []): void {
    for (const listener of this.listeners) listener(org_id, where, arrivals);
  }
}
