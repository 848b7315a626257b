import { describeLifecycle, fromOf, PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";
import type { Sql } from "./database/connect.ts";

/** Writes down what the lifecycles declare, for the database's own defences; refuses a definition that live tasks have outgrown. */
export async function registerLifecycles(sql: Sql, lifecycles: readonly Lifecycle[]): Promise<void> {
  await sql.begin(async (tx) => {
    for (const lifecycle of lifecycles) {
      const { name, version } = lifecycle;
      const stranded = await tx<{ status: string; tasks: number }[]>`
        select t.status, count(*)::int as tasks from pawl.task t
        where t.lifecycle = ${name} and not t.final and t.status <> all(${Object.keys(lifecycle.statuses)})
        group by t.status order by t.status`;
      if (stranded.length > 0) {
        const list = stranded.map(({ status, tasks }) => `${tasks} in ${status}`).join(", ");
        throw new PawlError(
          "INVALID_LIFECYCLE",
          `Lifecycle "${name}" v${version} has lost statuses that tasks still are in (${list}); bring them back.`,
          { stranded: [...stranded] },
        );
      }
      const definition = JSON.stringify(describeLifecycle(lifecycle));
      await tx`
        insert into pawl.lifecycle (name, version, definition) values (${name}, ${version}, ${definition}::text::jsonb)
        on conflict (name, version) do update set definition = excluded.definition
        where lifecycle.definition is distinct from excluded.definition`;
      await tx`
        insert into pawl.declared_transition (lifecycle, version, from_status, to_status)
        select ${name}, ${version}, d.from_status, d.to_status
        from json_to_recordset(${JSON.stringify(transitionsOf(lifecycle))}::text::json) as d(from_status text, to_status text)
        on conflict do nothing`;
    }
  });
}

function transitionsOf({ creation, rules }: Lifecycle): { from_status: string | null; to_status: string }[] {
  const births = creation.to.map(({ status }) => ({ from_status: null, to_status: status }));
  const moves = rules.flatMap((rule) =>
    rule.to === undefined
      ? []
      : fromOf(rule).map((from) => ({ from_status: from, to_status: rule.to as string })),
  );
  return [...births, ...moves];
}
