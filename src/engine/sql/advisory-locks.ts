import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const HOLD_MARK = `select pg_advisory_xact_lock(hashtextextended($1, 0 /* pawl */)) is not null as locked`;

/** Takes an advisory lock on a string until the transaction ends. */
export async function lockText(tx: Tx, mark: string): Promise<void> {
  await query(tx, HOLD_MARK, [mark]);
}

const PASS_CLAIMS = `
  select pg_advisory_lock(hashtextextended($1 || ' ' || $2, 0 /* pawl */)), pg_advisory_unlock(hashtextextended($1 || ' ' || $2, 0 /* pawl */))`;

/** Waits until the optimistic claims now running on a pool have ended, by taking and releasing their lock. */
export async function waitForClaims(tx: Tx, org_id: string, lifecycle: string): Promise<void> {
  await query(tx, PASS_CLAIMS, [org_id, lifecycle]);
}
