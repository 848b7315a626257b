import type { Refusal } from "../core/index.ts";
import type { AdmittedCreation } from "./admit-creations.ts";
import { Batch, Failed } from "./batch.ts";
import type { DEFERRED } from "./batch.ts";
import { claimWithin } from "./claim.ts";
import type { Claimed, ClaimItem } from "./claim.ts";
import type { Commits } from "./commits.ts";
import { createWithin } from "./create.ts";
import type { CreatedTasks } from "./create.ts";
import type { Sql } from "./database/connect.ts";
import { FreedTasks } from "./freed.ts";
import { observed } from "./observer.ts";
import type { EngineObserver, Settled as SettledBatch } from "./observer.ts";
import { performWithin } from "./perform.ts";
import type { Performed, PerformItem } from "./perform.ts";
import { settleBatch } from "./settle-batch.ts";
import type { Patience } from "./transact.ts";
import type { Tx } from "./transaction.ts";
import type { Workshop } from "./workshop.ts";

/** Where commands wait for their transaction: those of an org that come together share one, and whoever listens hears of it. */
export class Lanes {
  private readonly sql: Sql;
  private readonly patience: Patience;
  private readonly workshop: Workshop;
  private readonly commits: Commits;
  private readonly observer: EngineObserver | undefined;
  private readonly performs = new Map<string, Batch<PerformItem, Performed | Refusal>>();
  private readonly creations = new Map<string, Batch<AdmittedCreation, CreatedTasks | Refusal>>();
  /** Claims that are under way. */
  private readonly claims = new Set<Promise<unknown>>();

  constructor(
    sql: Sql,
    patience: Patience,
    workshop: Workshop,
    commits: Commits,
    observer: EngineObserver | undefined,
  ) {
    this.sql = sql;
    this.patience = patience;
    this.workshop = workshop;
    this.commits = commits;
    this.observer = observer;
  }

  create(org_id: string, creation: AdmittedCreation): Promise<CreatedTasks | Refusal> {
    return this.creationsOf(org_id).add(creation);
  }

  perform(org_id: string, item: PerformItem): Promise<Performed | Refusal> {
    return this.performsOf(org_id).add(item);
  }

  /** A claim goes alone: it has nothing to share with others. */
  async claim(org_id: string, item: ClaimItem): Promise<Claimed | Refusal> {
    const settle = async (tx: Tx, [tried = item]: readonly ClaimItem[]) => [
      await claimWithin(this.workshop, tx, org_id, tried),
    ];
    const claim = this.settle("claim", org_id, [item], settle);
    this.claims.add(claim);
    try {
      const [answer] = await claim;
      if (answer instanceof Failed) throw answer.error;
      return answer as Claimed | Refusal;
    } finally {
      this.claims.delete(claim);
    }
  }

  /** Waits until everything that was asked for is answered. */
  async drain(): Promise<void> {
    const batches = [...this.performs.values(), ...this.creations.values()];
    await Promise.all([...batches.map((batch) => batch.drain()), Promise.allSettled(this.claims)]);
  }

  private performsOf(org_id: string): Batch<PerformItem, Performed | Refusal> {
    const settle = (tx: Tx, items: readonly PerformItem[]) => performWithin(this.workshop, tx, org_id, items);
    const isPlain = ({ request }: PerformItem) =>
      request.client_event_id == null && this.workshop.onlyMoves(request.action, request.lifecycle);
    const run = (items: readonly PerformItem[]) => this.settle("perform", org_id, items, settle, isPlain);
    return batchOf(this.performs, org_id, () => new Batch(run, { keysOf: keysOfPerform }));
  }

  private creationsOf(org_id: string): Batch<AdmittedCreation, CreatedTasks | Refusal> {
    const settle = (tx: Tx, items: readonly AdmittedCreation[]) =>
      createWithin(this.workshop, tx, org_id, items);
    const run = (items: readonly AdmittedCreation[]) =>
      this.settle("create", org_id, items, settle, isPlainCreation);
    return batchOf(
      this.creations,
      org_id,
      () => new Batch(run, { keysOf: keysOfCreation, weightOf: ({ tasks }) => tasks.length }),
    );
  }

  /** Settles a batch, and tells what came of it to whoever watches and whoever waits. */
  private settle<Item, Answer extends object>(
    verb: SettledBatch["verb"],
    org_id: string,
    items: readonly Item[],
    work: (tx: Tx, items: readonly Item[]) => Promise<(Answer | typeof DEFERRED)[]>,
    isPlain?: (item: Item) => boolean,
  ): Promise<(Answer | Refusal | typeof DEFERRED | Failed)[]> {
    const freed = new FreedTasks();
    const settling = settleBatch(this.sql, this.patience, items, freed.noting(work), isPlain);
    return this.commits.tellAfter(org_id, freed, observed(this.observer, { verb, items }, settling));
  }
}

/** A task, and a client_event_id: whoever comes second is decided against what the first has done. */
function keysOfPerform({ request }: PerformItem): string[] {
  const { task_id, client_event_id } = request;
  return client_event_id == null ? [task_id] : [task_id, `key ${client_event_id}`];
}

/** No key to write down, and nothing to be known before. */
function isPlainCreation({ client_event_id, tasks }: AdmittedCreation): boolean {
  return client_event_id === null && tasks.every(({ lifecycle }) => lifecycle.creation.facts === undefined);
}

function keysOfCreation({ client_event_id }: AdmittedCreation): string[] {
  return client_event_id === null ? [] : [client_event_id];
}

function batchOf<Item, Answer>(
  batches: Map<string, Batch<Item, Answer>>,
  org_id: string,
  make: () => Batch<Item, Answer>,
): Batch<Item, Answer> {
  let batch = batches.get(org_id);
  if (!batch) batches.set(org_id, (batch = make()));
  return batch;
}
