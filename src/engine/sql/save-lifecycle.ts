import { asRows, query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const SAVE_LIFECYCLE = `
  insert into pawl.lifecycle (name, version, definition) values ($1, $2, $3::text::jsonb)
  on conflict (name, version) do update set definition = excluded.definition
  where lifecycle.definition is distinct from excluded.definition`;

export async function saveLifecycle(
  tx: Tx,
  { name, version, definition }: { name: string; version: number; definition: object },
): Promise<void> {
  await query(tx, SAVE_LIFECYCLE, [name, version, JSON.stringify(definition)]);
}

export type DeclaredTransition = { from_status: string | null; to_status: string };

const FORGET_TRANSITIONS = `
  delete from pawl.declared_transition d
  where d.lifecycle = $1 and d.version = $2 and not exists (
    select from json_to_recordset($3::text::json) as n(from_status text, to_status text)
    where n.from_status is not distinct from d.from_status and n.to_status = d.to_status)`;

const SAVE_TRANSITIONS = `
  insert into pawl.declared_transition (lifecycle, version, from_status, to_status)
  select $1, $2, n.from_status, n.to_status
  from json_to_recordset($3::text::json) as n(from_status text, to_status text)
  on conflict do nothing`;

/** Replaces the transitions of a version; those of other versions stay, for the nodes that run them. */
export async function saveTransitions(
  tx: Tx,
  { name, version }: { name: string; version: number },
  transitions: readonly DeclaredTransition[],
): Promise<void> {
  const params = [name, version, asRows(transitions)];
  await query(tx, FORGET_TRANSITIONS, params);
  await query(tx, SAVE_TRANSITIONS, params);
}

// Serializes nodes that start at the same time, since they write the same rows.
const LOCK_REGISTER = `select pg_advisory_xact_lock(731903 + 0 /* pawl */)`;

export async function lockRegister(tx: Tx): Promise<void> {
  await query(tx, LOCK_REGISTER, []);
}
