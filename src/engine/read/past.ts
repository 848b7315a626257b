import { removeOldFigures } from "../sql/remove-old-figures.ts";
import { orgsToRollUp } from "../sql/roll-up-progress.ts";
import type { Caller } from "../caller.ts";
import type { Tx } from "../transaction.ts";
import { rollUpOrg } from "../upkeep/roll-up.ts";
import { readInsights } from "./insights.ts";
import type { InsightQuery, Insights } from "./insights.ts";

type RunIn = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Figures about the tasks of an org over a time. */
export class Past {
  private readonly transaction: RunIn;

  constructor(transaction: RunIn) {
    this.transaction = transaction;
  }

  /** Returns figures about a lifecycle's tasks, as far as `rollUp` has added them up. */
  insights(caller: Caller, query: InsightQuery): Promise<Insights> {
    return this.transaction((tx) => readInsights(tx, caller, query));
  }

  /**
   * Adds new events to the figures of all orgs, or of one; returns the number of events. A failing org does not stop the others;
   * the first failure is thrown.
   */
  async rollUp({ org_id: only, batch }: { org_id?: string; batch?: number } = {}): Promise<number> {
    const orgs = only === undefined ? await this.transaction(orgsToRollUp) : [only];
    const options = batch === undefined ? {} : { batch };
    const failures: unknown[] = [];
    let total = 0;
    for (const org_id of orgs) {
      try {
        total += await rollUpOrg(this.transaction, org_id, options);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return total;
  }

  /** Deletes figures of periods that no window reads any more. */
  removeOldFigures(org_id: string): Promise<void> {
    return this.transaction((tx) => removeOldFigures(tx, org_id));
  }
}
