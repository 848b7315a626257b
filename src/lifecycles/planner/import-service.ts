import { v7 as uuidv7 } from "uuid";
import { canSee, isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { findTasks, withIdempotencyKey } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, PublicTask, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import type { PlannerImportMistake, PlannerPlannedTask } from "./import-api.ts";
import { firstMistakes, mistakeAt } from "./import-mistake.ts";
import type { ImportRow, ReadImport } from "./read-import.ts";
import { findDeliverablesBySerial } from "./sql/deliverables.ts";

export type ImportRequest = { project_id: string; csv: string; time_zone: string | null };

type PlannedRow = Omit<ImportRow, "deliverable"> & {
  deliverable_id: string | null;
  status: PlannerPlannedTask["status"];
};
type Plan = { rows: PlannedRow[]; mistakes: PlannerImportMistake[] };
type Imported = { tasks: (PublicTask & { line: number; ref: string })[] };

/** Creates tasks from tables. */
export class ImportService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Reads a table and what it names, and creates nothing. */
  async preview(caller: Caller, { project_id, csv, time_zone }: ImportRequest): Promise<Plan> {
    const { rows, mistakes } = await read(csv, time_zone);
    return this.engine.transaction((tx) => resolve(tx, caller, project_id, { rows, mistakes }));
  }

  /** Creates all tasks of a table in one transaction, once per key. */
  async run(
    caller: Caller,
    { project_id, csv, time_zone }: ImportRequest,
    client_event_id: string | null,
  ): Promise<IdempotentResult<Imported> | Refusal> {
    const { org_id, actor } = caller;
    // Parsed before the transaction, which holds the lock of the key.
    const table = await read(csv, time_zone);
    const meaning = ["import tasks", project_id, csv, time_zone];
    return this.engine.write(org_id, (within) =>
      withIdempotencyKey<Imported>(within.tx, org_id, { client_event_id, actor, meaning }, async () => {
        const { rows, mistakes } = await resolve(within.tx, caller, project_id, table);
        if (mistakes.length > 0) return invalidImport(mistakes);
        const tasks = rows.map(({ line: _, status: __, ...row }) => ({
          lifecycle: "planner",
          project_id,
          ...row,
        }));
        // The request's key belongs to the import; its tasks get a new one.
        const created = await this.engine.create(caller, tasks, {
          ...within,
          client_event_id: `import ${uuidv7()}`,
        });
        if (isRefusal(created)) return created;
        return {
          tasks: created.tasks.map((task, index) => {
            const { line = 0, ref = "" } = rows[index] ?? {};
            return { ...task, line, ref };
          }),
        };
      }),
    );
  }
}

/** Reads a table; its calendar is loaded with the first one. */
async function read(csv: string, time_zone: string | null): Promise<ReadImport> {
  const { readImport } = await import("./read-import.ts");
  return readImport(csv, time_zone);
}

function invalidImport(errors: readonly PlannerImportMistake[]): Refusal {
  const [first] = errors;
  const detail = first ? `${first.path}: ${first.message}.` : "";
  const more = errors.length > 1 ? ` There are ${errors.length - 1} more mistakes.` : "";
  return refuse("INVALID_IMPORT", `${detail}${more}`, { errors });
}

/** Finds the deliverables and existing tasks that rows name. */
async function resolve(
  tx: Tx,
  { org_id, actor }: Caller,
  project_id: string,
  { rows, mistakes }: { rows: readonly ImportRow[]; mistakes: readonly PlannerImportMistake[] },
): Promise<Plan> {
  const refs = new Set(rows.map(({ ref }) => ref));
  const isExisting = (named: string) => !refs.has(named) && isUuid(named);
  const ids = unique(rows.flatMap((row) => row.depends_on.filter(isExisting)).map((id) => id.toLowerCase()));
  const serials = unique(rows.flatMap(({ deliverable }) => deliverable ?? []));
  const [tasks, deliverables] = await Promise.all([
    ids.length === 0 ? [] : findTasks(tx, org_id, ids),
    findDeliverablesBySerial(tx, org_id, { project_id, serials }),
  ]);
  const known = new Map(
    tasks
      .filter((task) => task.lifecycle === "planner" && task.project_id === project_id && canSee(actor, task))
      .map((task) => [task.id, task]),
  );
  const found: PlannerImportMistake[] = [...mistakes];
  const planned = rows.map(({ deliverable, ...row }): PlannedRow => {
    const matches = deliverables.filter(({ id, serial }) => deliverable === serial || deliverable === id);
    if (deliverable !== null && matches.length !== 1)
      found.push(mistakeAt(row.line, "deliverable", deliverableMistake(deliverable, matches.length)));
    for (const named of row.depends_on.filter(isExisting))
      if (!known.has(named.toLowerCase()))
        found.push(
          mistakeAt(
            row.line,
            "depends_on",
            `there is no task ${named} in the project; use another id or a ref`,
          ),
        );
    const waits = row.depends_on.some(
      (named) => refs.has(named) || known.get(named.toLowerCase())?.status !== "done",
    );
    return { ...row, deliverable_id: matches[0]?.id ?? null, status: waits ? "blocked" : "available" };
  });
  return { rows: planned, mistakes: firstMistakes(found) };
}

function deliverableMistake(named: string, matches: number): string {
  return matches === 0
    ? `the project has no deliverable "${named}"; create it first, or leave the cell empty`
    : `several deliverables have the serial "${named}"; write the id instead`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
