import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_DEMO = `
  select d.state, d.made_at, coalesce(d.played_until > now(), false) as is_played from pawl.demo d`;

export type DemoRow = { state: "running" | "stopped" | "removing"; made_at: Instant; is_played: boolean };

export async function readDemo(tx: Tx): Promise<DemoRow | null> {
  const [row] = await query<DemoRow>(tx, READ_DEMO, []);
  return row ?? null;
}

const LOCK_DEMO = `select d.state from pawl.demo d for update`;

/** Locks the demo until the transaction ends, and returns its state. */
export async function lockDemo(tx: Tx): Promise<Pick<DemoRow, "state"> | null> {
  const [row] = await query<Pick<DemoRow, "state">>(tx, LOCK_DEMO, []);
  return row ?? null;
}

// In one statement with its org: an org of this name that somebody made himself never becomes a demo.
const ADD_DEMO = `
  with made as (insert into pawl.org (id) values ('demo') on conflict do nothing returning id)
  insert into pawl.demo (org_id, state) select made.id, 'stopped' from made returning org_id`;

/** Says whether the org was made. */
export async function addDemo(tx: Tx): Promise<boolean> {
  return (await query(tx, ADD_DEMO, [])).length > 0;
}

const SET_DEMO = `
  update pawl.demo set state = $1, played_by = null, played_until = null
  where state <> 'removing' and state <> $1`;

export async function setDemo(tx: Tx, state: DemoRow["state"]): Promise<void> {
  await query(tx, SET_DEMO, [state]);
}

const HOLD_DEMO = `
  with held as (
    update pawl.demo set played_by = $1, played_until = now() + $2::float8 * interval '1 ms'
    where state = 'running' and (played_by = $1 or played_until is null or played_until < now())
    returning org_id)
  select d.state, exists (select from held) as held from pawl.demo d`;

/** Lets a node's actors play for a while, if the demo runs and no other node's do. */
export async function holdDemo(
  tx: Tx,
  node: string,
  ms: number,
): Promise<{ state: DemoRow["state"]; held: boolean } | null> {
  const [row] = await query<{ state: DemoRow["state"]; held: boolean }>(tx, HOLD_DEMO, [node, ms]);
  return row ?? null;
}

const LET_GO_OF_DEMO = `update pawl.demo set played_by = null, played_until = null where played_by = $1`;

export async function letGoOfDemo(tx: Tx, node: string): Promise<void> {
  await query(tx, LET_GO_OF_DEMO, [node]);
}

const TAKE_PIECE_OF_DEMO = `select pawl.remove_demo_rows($1::integer) as gone`;

/** Takes a piece of it away and tells how many rows that was; 0: nothing is left. */
export async function takePieceOfDemo(tx: Tx, most: number): Promise<number> {
  const [row] = await query<{ gone: number }>(tx, TAKE_PIECE_OF_DEMO, [most]);
  return row?.gone ?? 0;
}

const REMOVE_DEMO_ORG = `
  delete from pawl.org o
  where o.id = 'demo' and exists (select from pawl.demo d where d.org_id = o.id and d.state = 'removing')`;

export async function removeDemoOrg(tx: Tx): Promise<void> {
  await query(tx, REMOVE_DEMO_ORG, []);
}

const FORGET_DEMO = `delete from pawl.demo d where d.state = 'removing'`;

export async function forgetDemo(tx: Tx): Promise<void> {
  await query(tx, FORGET_DEMO, []);
}
