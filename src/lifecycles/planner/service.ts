import { canSee, explainAction, isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import {
  findTasks,
  isOpen,
  notFound,
  projectsWithin,
  publicTask,
  readClock,
  readJournal,
  readSettings,
  taskOf,
  visibleProjects,
  wrongField,
} from "../../plugin/index.ts";
import type {
  Caller,
  Engine,
  Performed,
  PerformRequest,
  PublicTask,
  TaskRow,
  Tx,
} from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import type { PlannerTask, PlannerTimedTask, PlannerTransition } from "./api.ts";
import { workOf } from "./facts.ts";
import { withLateness } from "./find-lateness.ts";
import { planner } from "./lifecycle.ts";
import { taskOnWire, transitionOnWire } from "./on-wire.ts";
import { readOpenWork } from "./sql/read-people.ts";
import { lockNamedTasks } from "./sql/read-task-facts.ts";
import { listPlannerTasks, listPool } from "./sql/list-planner-tasks.ts";
import type { PlannerFilter } from "./sql/list-planner-tasks.ts";

/** Roles that see the whole pool; an executor sees tasks of matching trade and skill. */
const SEES_ALL = ["lead", "supervisor", "system", "admin", "viewer"];

export type Paged<T> = { rows: T[]; cursor: string | null };

/** The operations on tasks, their moves and the pool. */
export class PlannerService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async create(caller: Caller, fields: JsonObject, client_event_id: string | null) {
    const result = await this.engine.create(caller, [{ ...fields, lifecycle: "planner" }], {
      client_event_id,
    });
    if (isRefusal(result)) return result;
    const [task] = result.tasks;
    if (!task) throw new Error("the engine created no task");
    return { task: taskOnWire(task), made: result.made?.[0] ?? {}, replayed: result.replayed };
  }

  find(caller: Caller, id: string): Promise<PublicTask | Refusal> {
    return this.engine.transaction((tx) => findPlannerTask(tx, caller, id));
  }

  /** Finds a task, with a warning if it is late or will be. */
  findTimed(caller: Caller, id: string): Promise<PlannerTimedTask | Refusal> {
    return this.engine.transaction(async (tx) => {
      const task = await findPlannerTask(tx, caller, id);
      if (isRefusal(task)) return task;
      const [timed] = await withLateness(tx, caller.org_id, [taskOnWire(task)]);
      return timed ?? notFound(id);
    });
  }

  list({ org_id }: Caller, filter: Omit<PlannerFilter, "unfinished">): Promise<Paged<PlannerTimedTask>> {
    return this.engine.transaction(async (tx) => {
      const { limit, status } = filter;
      const unfinished = status?.every((one) => isOpen(planner, one)) ?? false;
      const rows = await listPlannerTasks(tx, org_id, { ...filter, unfinished, limit: limit + 1 });
      const page = pageOf(rows.map(taskOfRow), limit, ({ id }) => id);
      return { ...page, rows: await withLateness(tx, org_id, page.rows) };
    });
  }

  /** Performs an action; returns the task and the row of its log. */
  async perform(
    caller: Caller,
    request: PerformRequest & { action: string },
  ): Promise<{ done: Performed; task: PlannerTask; transition: PlannerTransition } | Refusal> {
    const done = await this.engine.perform(caller, { ...request, lifecycle: "planner" });
    return isRefusal(done) ? done : { done, ...(await this.presentMove(caller, done)) };
  }

  async presentMove(
    caller: Caller,
    { task, event }: Performed,
  ): Promise<{ task: PlannerTask; transition: PlannerTransition }> {
    if (!event) throw new Error(`a move of ${task.id} added no row to the log`);
    return { task: taskOnWire(task), transition: await this.transition(caller, event) };
  }

  /** Reads the log of a task, also of a deleted one if the caller could see it. */
  log(
    caller: Caller,
    task_id: string,
    page: { after: number; limit: number },
  ): Promise<PlannerTransition[] | Refusal> {
    if (!isUuid(task_id)) return Promise.resolve(notFound(task_id));
    return this.engine.transaction(async (tx) => {
      const [[current], rows] = await Promise.all([
        findTasks(tx, caller.org_id, [task_id]),
        readJournal(tx, caller.org_id, { task_id, ...page }),
      ]);
      if (current && !isVisible(caller, current)) return notFound(task_id);
      const [first] = rows;
      const deleted = first && { ...first, private: false, created_by: null, assigned_to: null };
      if (!current && !(deleted && isVisible(caller, deleted))) return notFound(task_id);
      return rows.map(transitionOnWire);
    });
  }

  /** Reads the pool as the caller sees it, best first, with the reasons why the caller cannot take a task. */
  pool(caller: Caller, project_id: string | null, page: { cursor: string | null; limit: number }) {
    const after = parseCursor(page.cursor);
    if (after !== null && isRefusal(after)) return Promise.resolve(after);
    return this.engine.transaction(async (tx) => {
      const { org_id, actor } = caller;
      const all = actor.roles.some((role) => SEES_ALL.includes(role));
      const visible = visibleProjects(actor, project_id);
      const { registry } = this.engine;
      const projects = all
        ? visible
        : await projectsWithin(registry, tx, { org_id, lifecycle: planner, actor, projects: visible });
      const trades = all ? null : actor.specializations;
      const { limit } = page;
      const [rows, work, stored, now] = await Promise.all([
        listPool(tx, org_id, { projects, trades, after, limit: limit + 1 }),
        readOpenWork(tx, org_id, actor.id === null ? [] : [actor.id]),
        readSettings(tx, org_id, visible),
        readClock(tx),
      ]);
      const tasks = rows.map((row) => {
        const task = taskOf(row, undefined);
        const settings = registry.settingsFor(planner, stored.get(task.project_id));
        const situation = {
          task,
          actor,
          facts: { work_of_actor: workOf(work, actor.id, actor) },
          settings,
          now,
        };
        const reasons = explainAction(planner, situation, "self_assign");
        return { ...taskOfRow(row), can_self_assign: reasons.length === 0, reasons };
      });
      const shown = pageOf(tasks, limit, ({ priority, id }) => `${priority}.${id}`);
      return { ...shown, rows: await withLateness(tx, org_id, shown.rows) };
    });
  }

  /** Takes the caller's best task. If there is none because of the caller's skill or work, returns that refusal. */
  async claim(caller: Caller, project_id: string | null, client_event_id: string | null) {
    const claimed = await this.engine.claim(caller, {
      lifecycle: "planner",
      limit: 1,
      project_id,
      client_event_id,
    });
    if (isRefusal(claimed)) return claimed;
    const task = claimed.tasks[0]?.task;
    if (!task) return claimed.refusal ?? (await this.skillRefusal(caller, project_id)) ?? NOTHING;
    const transition = await this.transition(caller, { task_id: task.id, row_version: task.row_version });
    return { task: taskOnWire(task), transition, replayed: claimed.replayed };
  }

  /** Refuses a caller whose skill is too low in every project. */
  private skillRefusal({ org_id, actor }: Caller, project_id: string | null): Promise<Refusal | null> {
    return this.engine.transaction(async (tx) => {
      const stored = await readSettings(tx, org_id, visibleProjects(actor, project_id));
      const least = [...stored.values()].map(
        (text) => this.engine.registry.settingsFor(planner, text).min_skill_to_take as number,
      );
      const skill_level = actor.skill_level ?? 0;
      if (least.length === 0 || least.some((demand) => demand <= skill_level)) return null;
      const required = Math.min(...least);
      return refuse("SKILL_TOO_LOW", `To take a task, you need skill ${required}; yours is ${skill_level}.`, {
        skill_level: actor.skill_level,
        required,
      });
    });
  }

  private async transition(
    { org_id }: Caller,
    { task_id, row_version }: { task_id: string; row_version: number },
  ): Promise<PlannerTransition> {
    const walk = { task_id, after: row_version - 1, limit: 1 };
    const [row] = await this.engine.transaction((tx) => readJournal(tx, org_id, walk));
    if (!row) throw new Error(`the log has no row ${row_version} of ${task_id}`);
    return transitionOnWire(row);
  }
}

const NOTHING = { task: null, transition: null, replayed: false };

/** Finds a task of the planner that the caller may see. */
async function findPlannerTask(tx: Tx, caller: Caller, id: string): Promise<PublicTask | Refusal> {
  const [row] = isUuid(id) ? await findTasks(tx, caller.org_id, [id]) : [];
  return row && isVisible(caller, row) ? publicTask(taskOf(row, undefined)) : notFound(id);
}

/** Like `findPlannerTask`, and locks the task against deletion until the transaction ends. */
export async function lockPlannerTask(tx: Tx, caller: Caller, id: string): Promise<PublicTask | Refusal> {
  if (isUuid(id)) await lockNamedTasks(tx, caller.org_id, [id.toLowerCase()]);
  return findPlannerTask(tx, caller, id);
}

function isVisible({ actor }: Caller, row: Parameters<typeof canSee>[1] & { lifecycle: string }): boolean {
  return row.lifecycle === "planner" && canSee(actor, row);
}

function taskOfRow(row: TaskRow): PlannerTask {
  return taskOnWire(publicTask(taskOf(row, undefined)));
}

/** Cuts rows to a page. One row more than the limit means that there is a next page. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): Paged<T> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, cursor: rows.length > limit && last ? cursorOf(last) : null };
}

function parseCursor(cursor: string | null): { priority: number; id: string } | null | Refusal {
  if (cursor === null) return null;
  const [, priority = "", id = ""] = /^(-?\d{1,7})\.(.*)$/.exec(cursor) ?? [];
  return isUuid(id) ? { priority: Number(priority), id } : wrongField("cursor", "is invalid");
}
