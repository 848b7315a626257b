import type { Freed } from "./write/freed.ts";

type Where = "here" | "elsewhere";

/**
 * Hears of orgs in which something was committed, by this engine or (as far as that is told) on another node, and of what
 * came into pools by it.
 */
export type CommitListener = (org_id: string, where: Where, freed: readonly Freed[]) => void;

/**
 * Tells at once that something was committed. Only a hint: what was done in a transaction of the caller's own, or is not
 * told by another node, is found by looking.
 */
export class Commits {
  private readonly listeners = new Set<CommitListener>();

  /** Gives what ends it. */
  onCommitted(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  tell(org_id: string, where: Where = "here", freed: readonly Freed[] = []): void {
    for (const listener of this.listeners) listener(org_id, where, freed);
  }
}
