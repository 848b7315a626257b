import type { Freed, FreedTasks } from "./freed.ts";

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

  /** Tells when it is settled, if anything new came of it. */
  async tellAfter<T extends object | symbol>(
    org_id: string,
    freed: FreedTasks,
    settling: Promise<T[]>,
  ): Promise<T[]> {
    const answers = await settling;
    if (this.listeners.size > 0 && answers.some(isNews)) this.tell(org_id, "here", freed.list());
    return answers;
  }
}

/** Whether an answer stands for something new in the journal. */
function isNews(answer: object | symbol): boolean {
  const { kind, tasks } = answer as { kind?: string; tasks?: readonly unknown[] };
  return kind === "performed" || kind === "created" || (kind === "claimed" && tasks?.length !== 0);
}
