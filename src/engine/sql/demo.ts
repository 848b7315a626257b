import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const READ_DEMO = `
  select d.state, d.language, d.made_at, coalesce(d.played_until > now(), false) as is_played from pawl.demo d`;

export type DemoRow = {
  state: "running" | "stopped" | "removing";
  language: "en" | "ru";
  made_at: Instant;
  is_played: boolean;
};

export async function readDemo(tx: Tx): Promise<DemoRow | null> {
  const [row] = await query<DemoRow>(tx, READ_DEMO, []);
  return row ?? null;
}

const LOCK_DEMO = `select d.state, d.language from pawl.demo d for update`;

/** Locks the demo until the transaction ends, and returns its state and language. */
export async function lockDemo(tx: Tx): Promise<Pick<DemoRow, "state" | "language"> | null> {
  const [row] = await query<Pick<DemoRow, "state" | "language">>(tx, LOCK_DEMO, []);
  return row ?? null;
}

// Creates the org in the same statement, so that an existing org of this name never becomes a demo.
const ADD_DEMO = `
  with made as (insert into pawl.org (id) values ('demo') on conflict do nothing returning id)
  insert into pawl.demo (org_id, state, language) select made.id, 'stopped', $1 from made returning org_id`;

/** Returns whether the org was created. */
export async function addDemo(tx: Tx, language: DemoRow["language"]): Promise<boolean> {
  return (await query(tx, ADD_DEMO, [language])).length > 0;
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
  select d.state, d.language, exists (select from held) as held from pawl.demo d`;

type HeldDemo = Pick<DemoRow, "state" | "language"> & { held: boolean };

/** Lets a node play the demo for some time, if it is running and no other node plays it. */
export async function holdDemo(tx: Tx, node: string, ms: number): Promise<HeldDemo | null> {
  const [row] = await query<HeldDemo>(tx, HOLD_DEMO, [node, ms]);
  return row ?? null;
}

const RELEASE_DEMO = `update pawl.demo set played_by = null, played_until = null where played_by = $1`;

export async function releaseDemo(tx: Tx, node: string): Promise<void> {
  await query(tx, RELEASE_DEMO, [node]);
}

const REMOVE_DEMO_ROWS = `select pawl.remove_demo_rows($1::integer) as removed`;

/** Removes at most `max` rows of the demo and returns their number; 0 if none is left. */
export async function removeDemoRows(tx: Tx, max: number): Promise<number> {
  const [row] = await query<{ removed: number }>(tx, REMOVE_DEMO_ROWS, [max]);
  return row?.removed ?? 0;
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
