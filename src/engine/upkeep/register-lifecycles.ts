import { describeLifecycle, fromOf, PawlError } from "../../core/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { Sql } from "../../postgres/index.ts";
import { Commits } from "../commits.ts";
import type { EnginePlugin } from "../engine-plugin.ts";
import { LifecycleRegistry } from "../lifecycle-registry.ts";
import { migrateOutdated } from "./lifecycle-versions.ts";
import { findStranded } from "../sql/find-stranded.ts";
import { orgsWithOutdated } from "../sql/pick-outdated.ts";
import { lockRegister, saveLifecycle, saveTransitions } from "../sql/save-lifecycle.ts";
import type { DeclaredTransition } from "../sql/save-lifecycle.ts";
import { transact } from "../transact.ts";
import type { Tx } from "../transaction.ts";
import { Writer } from "../write/writer.ts";

const TIMEOUTS = { retryTimeoutMs: 10_000, statementTimeoutMs: 60_000 };
const BATCH_SIZE = 200;

/**
 * Saves the declared transitions, which the database's triggers check. Refuses a definition without the statuses or actions
 * that unfinished tasks need, and migrates the tasks that it maps. Any number of nodes may do this at once.
 */
export async function registerLifecycles(sql: Sql, plugins: readonly EnginePlugin[]): Promise<void> {
  const lifecycles = plugins.map(({ lifecycle }) => lifecycle);
  await transact(sql, TIMEOUTS, async (tx) => {
    await lockRegister(tx);
    for (const lifecycle of lifecycles) {
      await refuseIfStranded(tx, lifecycle);
      await saveLifecycle(tx, { ...lifecycle, definition: describeLifecycle(lifecycle) });
      await saveTransitions(tx, lifecycle, transitionsOf(lifecycle));
    }
  });
  const writer = new Writer(sql, TIMEOUTS, new LifecycleRegistry(plugins), new Commits());
  for (const lifecycle of lifecycles) {
    for (const org_id of await transact(sql, TIMEOUTS, (tx) => orgsWithOutdated(tx, lifecycle)))
      await migrateOutdated(writer, org_id, lifecycle, BATCH_SIZE);
  }
}

async function refuseIfStranded(tx: Tx, lifecycle: Lifecycle): Promise<void> {
  const { name, version, statuses, actions, migrations } = lifecycle;
  const stranded = await findStranded(tx, name, {
    statuses: Object.keys(statuses),
    mappedStatuses: Object.keys(migrations.statuses),
    actions: [...Object.keys(actions), ...Object.keys(migrations.actions)],
  });
  if (stranded.length === 0) return;
  const list = stranded.map(
    ({ tasks, kind, name: lost }) =>
      `${tasks} ${kind === "status" ? "in status" : "waiting for action"} "${lost}"`,
  );
  throw new PawlError(
    "INVALID_LIFECYCLE",
    `Lifecycle "${name}" v${version} lacks what unfinished tasks need (${list.join(", ")}); add it again, or map it in "migrations".`,
    { stranded },
  );
}

function transitionsOf({ creation, rules, migrations }: Lifecycle): DeclaredTransition[] {
  const creations = creation.to.map(({ status }) => ({ from_status: null, to_status: status }));
  const moves = rules.flatMap((rule) =>
    rule.to === undefined
      ? []
      : fromOf(rule).map((from) => ({ from_status: from, to_status: rule.to as string })),
  );
  const mapped = Object.entries(migrations.statuses).map(([old, now]) => ({
    from_status: old,
    to_status: now,
  }));
  return [...creations, ...moves, ...mapped];
}
