import { isRefusal, refuse, SYSTEM } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { notFound, rowsByTask } from "../../plugin/index.ts";
import type { By, Engine, NewTask, Performed, PublicTask, Tx } from "../../plugin/index.ts";
import { awaitedFor, codeEvent, codeTask, isStuck } from "./code-task.ts";
import { onWire, onWireOrNull, STATUSES } from "./api.ts";
import type { CodeEvent, CodeRun, CodeStatus, CodeTask } from "./api.ts";
import { runsOf } from "./runs.ts";
import { lastLineOf } from "./last-line.ts";
import { readAwaited } from "./sql/read-awaited.ts";
import { countByStatus, findWaiting, readNodes } from "./sql/read-graph.ts";
import { readLastOutput, readLogTail } from "./sql/output.ts";
import { readRunEvents } from "./sql/read-run-events.ts";

const MOST_AT_WORK = 200;

/** Code's verbs over the engine's. */
export class CodeDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Tasks of the engine's in code's own words. */
  tell(by: By, tasks: readonly PublicTask[]): Promise<CodeTask[]> {
    return this.engine.transaction((tx) => tellWithin(tx, by, tasks));
  }

  async tellMove(by: By, { task, event }: Performed): Promise<{ task: CodeTask; event: CodeEvent | null }> {
    const [told] = (await this.tell(by, [task])) as [CodeTask];
    return { task: told, event: event && codeEvent(event) };
  }

  /** A task of this lifecycle; of any other there is none here. */
  async find(by: By, id: string): Promise<PublicTask | Refusal> {
    const task = await this.engine.find(by, id);
    if (isRefusal(task) || task.lifecycle === "code") return task;
    return notFound(id);
  }

  async show(by: By, id: string): Promise<(CodeTask & { runs: CodeRun[]; log: string }) | Refusal> {
    const task = await this.find(by, id);
    if (isRefusal(task)) return task;
    return this.engine.transaction(async (tx) => {
      const [[told], events, log] = await Promise.all([
        tellWithin(tx, by, [task]),
        readRunEvents(tx, by.org_id, task.id),
        readLogTail(tx, by.org_id, task.id),
      ]);
      return { ...(told as CodeTask), runs: runsOf(events), log };
    });
  }

  /** A copy of a failed task, for which those wait from now on who waited for it. */
  async retry(
    by: By,
    id: string,
    { max_attempts, client_event_id }: { max_attempts: number | null; client_event_id: string | null },
  ): Promise<{ task: CodeTask; replayed: boolean } | Refusal> {
    const failed = await this.find(by, id);
    if (isRefusal(failed)) return failed;
    if (failed.status !== "failed")
      return refuse("NOT_FAILED", `The task is ${failed.status}.`, { status: failed.status });
    const copy = copyOf(failed, max_attempts);
    const made = await this.engine.write(by.org_id, async (within) => {
      const created = await this.engine.create(by, [copy], { client_event_id, ...within });
      if (isRefusal(created) || created.replayed) return created;
      const [{ id: replacement_id } = { id: "" }] = created.tasks;
      const system = { org_id: by.org_id, actor: SYSTEM };
      for (const task_id of await findWaiting(within.tx, by.org_id, failed.id)) {
        const payload = { blocker_id: failed.id, replacement_id };
        // Of another lifecycle: it has its own way to deal with it.
        await this.engine.perform(system, { task_id, action: "replace_blocker", payload }, within);
      }
      return created;
    });
    if (isRefusal(made)) return made;
    const [task] = (await this.tell(by, made.tasks)) as [CodeTask];
    return { task, replayed: made.replayed };
  }

  async graph({ org_id, actor }: By, asked: { project_id: string; finished: boolean; limit: number }) {
    return this.engine.transaction(async (tx) => {
      const { limit } = asked;
      const rows = await readNodes(tx, org_id, { ...asked, reader: actor.id, limit: limit + 1 });
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
      const edges = (await readAwaited(tx, org_id, ids))
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

  async summary(by: By, project_id: string) {
    const { org_id, actor } = by;
    const { tasks } = await this.engine.list(by, {
      lifecycle: "code",
      project_id,
      status: ["claimed", "in_progress"],
      limit: MOST_AT_WORK,
    });
    return this.engine.transaction(async (tx) => {
      const [counts, said] = await Promise.all([
        countByStatus(tx, org_id, { project_id, reader: actor.id }),
        readLastOutput(
          tx,
          org_id,
          tasks.map(({ id }) => id),
        ),
      ]);
      const of = (status: string) => counts.find((one) => one.status === status)?.tasks ?? 0;
      const at_work = tasks.map((task) => atWork(task, said.get(task.id)));
      return {
        by_status: Object.fromEntries(STATUSES.map((status) => [status, of(status)])) as Record<
          CodeStatus,
          number
        >,
        total: sum(counts.map((one) => one.tasks)),
        needs_attention: sum(counts.map((one) => one.needs_attention)),
        stuck: at_work.filter(({ stuck }) => stuck).length,
        at_work,
      };
    });
  }
}

async function tellWithin(tx: Tx, { org_id, actor }: By, tasks: readonly PublicTask[]): Promise<CodeTask[]> {
  const ids = tasks.map(({ id }) => id);
  const rows = rowsByTask(await readAwaited(tx, org_id, ids));
  return tasks.map((task) =>
    codeTask(
      task,
      rows(task.id).map((row) => awaitedFor(actor, row)),
    ),
  );
}

function copyOf({ id, title, priority, project_id, data }: PublicTask, max_attempts: number | null): NewTask {
  const { description, acceptance, auto_unblock, may_be_empty } = data;
  return {
    lifecycle: "code",
    project_id,
    title,
    priority,
    description,
    acceptance,
    auto_unblock,
    may_be_empty,
    max_attempts: max_attempts ?? data.max_attempts,
    retry_of: id,
  };
}

function atWork(task: PublicTask, said: string | undefined) {
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
    last_line: said === undefined ? null : lastLineOf(said),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
