import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import { notFound, rowsByTask } from "../../plugin/index.ts";
import type { Caller, Engine, NewTask, Performed, PublicTask, Tx } from "../../plugin/index.ts";
import { blockerFor, codeEvent, codeTask, isStuck } from "./code-task.ts";
import { onWire, onWireOrNull, STATUSES } from "./api.ts";
import type { CodeEvent, CodeRun, CodeStatus, CodeTask } from "./api.ts";
import { runsOf } from "./runs.ts";
import { lastLineOf } from "./last-line.ts";
import { readTaskBlockers } from "./sql/read-task-blockers.ts";
import { countByStatus, findWaiting, readNodes } from "./sql/read-graph.ts";
import { readLastOutput, readLogTail } from "./sql/output.ts";
import { readRunEvents } from "./sql/read-run-events.ts";
import { readRunUsage, readSpentToday } from "./sql/usage.ts";
import type { Spent } from "./sql/usage.ts";
import { code } from "./lifecycle.ts";
import { dayBudgetSpent } from "./usage.ts";

const MAX_AT_WORK = 200;

/** The operations of the code lifecycle. */
export class CodeService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Converts tasks to the fields of this lifecycle. */
  present(caller: Caller, tasks: readonly PublicTask[]): Promise<CodeTask[]> {
    return this.engine.transaction((tx) => presentTasks(tx, caller, tasks));
  }

  async presentMove(
    caller: Caller,
    { task, event }: Performed,
  ): Promise<{ task: CodeTask; event: CodeEvent | null }> {
    const [presented] = (await this.present(caller, [task])) as [CodeTask];
    return { task: presented, event: event && codeEvent(event) };
  }

  /** Finds a task of this lifecycle; one of another lifecycle is refused as not found. */
  async find(caller: Caller, id: string): Promise<PublicTask | Refusal> {
    const task = await this.engine.find(caller, id);
    if (isRefusal(task) || task.lifecycle === "code") return task;
    return notFound(id);
  }

  async show(caller: Caller, id: string): Promise<(CodeTask & { runs: CodeRun[]; log: string }) | Refusal> {
    const task = await this.find(caller, id);
    if (isRefusal(task)) return task;
    return this.engine.transaction(async (tx) => {
      const [[presented], events, log, spent] = await Promise.all([
        presentTasks(tx, caller, [task]),
        readRunEvents(tx, caller.org_id, task.id),
        readLogTail(tx, caller.org_id, task.id),
        readRunUsage(tx, caller.org_id, task.id),
      ]);
      return { ...(presented as CodeTask), runs: runsOf(events, spent), log };
    });
  }

  /** Copies a failed task; tasks that waited for it wait for the copy instead. */
  async retry(
    caller: Caller,
    id: string,
    { max_attempts, client_event_id }: { max_attempts: number | null; client_event_id: string | null },
  ): Promise<{ task: CodeTask; replayed: boolean } | Refusal> {
    const failed = await this.find(caller, id);
    if (isRefusal(failed)) return failed;
    if (failed.status !== "failed")
      return refuse("NOT_FAILED", `The task is ${failed.status}.`, { status: failed.status });
    const copy = copyOf(failed, max_attempts);
    const result = await this.engine.write(caller.org_id, async (within) => {
      const created = await this.engine.create(caller, [copy], { client_event_id, ...within });
      if (isRefusal(created) || created.replayed) return created;
      const [{ id: replacement_id } = { id: "" }] = created.tasks;
      const system = { org_id: caller.org_id, actor: SYSTEM };
      for (const task_id of await findWaiting(within.tx, caller.org_id, failed.id)) {
        const payload = { blocker_id: failed.id, replacement_id };
        // Refused for a task of another lifecycle, which keeps its blocker.
        await this.engine.perform(system, { task_id, action: "replace_blocker", payload }, within);
      }
      return created;
    });
    if (isRefusal(result)) return result;
    const [task] = (await this.present(caller, result.tasks)) as [CodeTask];
    return { task, replayed: result.replayed };
  }

  async graph({ org_id, actor }: Caller, query: { project_id: string; finished: boolean; limit: number }) {
    return this.engine.transaction(async (tx) => {
      const { limit } = query;
      const rows = await readNodes(tx, org_id, { ...query, reader: actor.id, limit: limit + 1 });
      const nodes = rows
        .slice(0, limit)
        .reverse()
        .map(({ attempt, status, ...node }) => ({
          ...node,
          status: status as CodeStatus,
          attempts: attempt,
        }));
      const ids = nodes.map(({ id }) => id);
      const drawn = new Set(ids);
      const edges = (await readTaskBlockers(tx, org_id, ids))
        .filter(({ blocker_id }) => drawn.has(blocker_id))
        .map(({ task_id, blocker_id, on_failure, resolved }) => ({
          from: blocker_id,
          to: task_id,
          on_failure,
          resolved,
        }));
      return { nodes, edges, more: rows.length > limit };
    });
  }

  async summary(
    caller: Caller,
    { id: project_id, settings }: { id: string; settings: JsonObject },
    repository: string | null,
  ) {
    const { org_id, actor } = caller;
    const { tasks } = await this.engine.list(caller, {
      lifecycle: "code",
      project_id,
      status: ["claimed", "in_progress"],
      limit: MAX_AT_WORK,
    });
    return this.engine.transaction(async (tx) => {
      const [counts, spent, output] = await Promise.all([
        countByStatus(tx, org_id, { project_id, reader: actor.id, repository }),
        readSpentToday(tx, org_id, [project_id]),
        readLastOutput(
          tx,
          org_id,
          tasks.map(({ id }) => id),
        ),
      ]);
      const countOf = (status: string) => counts.find((one) => one.status === status)?.tasks ?? 0;
      const at_work = tasks.map((task) => atWork(task, output.get(task.id)));
      return {
        by_status: Object.fromEntries(STATUSES.map((status) => [status, countOf(status)])) as Record<
          CodeStatus,
          number
        >,
        total: sum(counts.map((one) => one.tasks)),
        needs_attention: sum(counts.map((one) => one.needs_attention)),
        held: counts.find((one) => one.status === "ready")?.held ?? 0,
        budget_spent: budgetReason(settings, spent.get(project_id)),
        stuck: at_work.filter(({ stuck }) => stuck).length,
        at_work,
      };
    });
  }
}

async function presentTasks(
  tx: Tx,
  { org_id, actor }: Caller,
  tasks: readonly PublicTask[],
): Promise<CodeTask[]> {
  const ids = tasks.map(({ id }) => id);
  const rows = rowsByTask(await readTaskBlockers(tx, org_id, ids));
  return tasks.map((task) =>
    codeTask(
      task,
      rows(task.id).map((row) => blockerFor(actor, row)),
    ),
  );
}

function copyOf({ id, title, priority, project_id, data }: PublicTask, max_attempts: number | null): NewTask {
  const { description, acceptance, auto_unblock, may_be_empty, repository, review } = data;
  return {
    lifecycle: "code",
    project_id,
    title,
    priority,
    description,
    acceptance,
    auto_unblock,
    may_be_empty,
    repository,
    review,
    max_attempts: max_attempts ?? data.max_attempts,
    retry_of: id,
  };
}

function atWork(task: PublicTask, output: string | undefined) {
  return {
    task_id: task.id,
    title: task.title,
    status: task.status as CodeStatus,
    worker: task.data.worker as string | null,
    branch: task.status === "in_progress" ? (task.data.branch as string | null) : null,
    attempts: task.attempt,
    since: onWire(task.entered_at),
    heartbeat_at: onWireOrNull(task.lease?.heartbeat_at ?? null),
    stuck: isStuck(task),
    last_line: output === undefined ? null : lastLineOf(output),
  };
}

/** Explains why no task of a project is claimed today; null: its budget is not spent. */
function budgetReason(settings: JsonObject, spent: Spent | undefined): string | null {
  const { data } = code.settings.safeParse(settings.code ?? {});
  if (data === undefined || spent === undefined) return null;
  return dayBudgetSpent(data as Parameters<typeof dayBudgetSpent>[0], spent)?.detail ?? null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
