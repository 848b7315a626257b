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
import type { By, Engine, Performed, PerformRequest, PublicTask, TaskRow, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import type { PlannerTask, PlannerTransition } from "./api.ts";
import { workOf } from "./facts.ts";
import { planner } from "./lifecycle.ts";
import { taskOnWire, transitionOnWire } from "./on-wire.ts";
import { readOpenWork } from "./sql/read-people.ts";
import { lockNamedTasks } from "./sql/read-task-facts.ts";
import { listPlannerTasks, listPool } from "./sql/list-planner-tasks.ts";
import type { PlannerFilter } from "./sql/list-planner-tasks.ts";

/** These see the whole pool; an executor sees what is for him. */
const SEES_ALL = ["lead", "supervisor", "system", "admin", "viewer"];

export type Paged<T> = { rows: T[]; cursor: string | null };

/** The planner's verbs over the engine's: tasks, their moves, the pool. */
export class PlannerDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async create(by: By, fields: JsonObject, client_event_id: string | null) {
    const made = await this.engine.create(by, [{ ...fields, lifecycle: "planner" }], { client_event_id });
    if (isRefusal(made)) return made;
    const [task] = made.tasks;
    if (!task) throw new Error("a creation without a task");
    return { task: taskOnWire(task), made: made.made?.[0] ?? {}, replayed: made.replayed };
  }

  find(by: By, id: string): Promise<PublicTask | Refusal> {
    return this.engine.transaction((tx) => findPlannerTask(tx, by, id));
  }

  list({ org_id }: By, filter: Omit<PlannerFilter, "unfinished">): Promise<Paged<PlannerTask>> {
    return this.engine.transaction(async (tx) => {
      const { limit, status } = filter;
      const unfinished = status?.every((one) => isOpen(planner, one)) ?? false;
      const rows = await listPlannerTasks(tx, org_id, { ...filter, unfinished, limit: limit + 1 });
      return pageOf(rows.map(tell), limit, ({ id }) => id);
    });
  }

  /** A move, and what the log says of it. */
  async perform(
    by: By,
    request: PerformRequest & { action: string },
  ): Promise<{ done: Performed; task: PlannerTask; transition: PlannerTransition } | Refusal> {
    const done = await this.engine.perform(by, { ...request, lifecycle: "planner" });
    return isRefusal(done) ? done : { done, ...(await this.tellMove(by, done)) };
  }

  async tellMove(
    by: By,
    { task, event }: Performed,
  ): Promise<{ task: PlannerTask; transition: PlannerTransition }> {
    if (!event) throw new Error(`a move of ${task.id} left nothing in the log`);
    return { task: taskOnWire(task), transition: await this.transition(by, event) };
  }

  /** The log of a task, and of one that was deleted: whoever could see it can still read what became of it. */
  log(
    by: By,
    task_id: string,
    walk: { after: number; limit: number },
  ): Promise<PlannerTransition[] | Refusal> {
    if (!isUuid(task_id)) return Promise.resolve(notFound(task_id));
    return this.engine.transaction(async (tx) => {
      const [[there], rows] = await Promise.all([
        findTasks(tx, by.org_id, [task_id]),
        readJournal(tx, by.org_id, { task_id, ...walk }),
      ]);
      if (there && !isVisible(by, there)) return notFound(task_id);
      const [first] = rows;
      const seen = first && { ...first, private: false, created_by: null, assigned_to: null };
      if (!there && !(seen && isVisible(by, seen))) return notFound(task_id);
      return rows.map(transitionOnWire);
    });
  }

  /** The pool as it is for the caller, best first; each task with whether he may take it, and why not. */
  pool(by: By, project_id: string | null, page: { cursor: string | null; limit: number }) {
    const after = placeIn(page.cursor);
    if (after !== null && isRefusal(after)) return Promise.resolve(after);
    return this.engine.transaction(async (tx) => {
      const { org_id, actor } = by;
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
      const told = rows.map((row) => {
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
        return { ...tell(row), can_self_assign: reasons.length === 0, reasons };
      });
      return pageOf(told, limit, ({ priority, id }) => `${priority}.${id}`);
    });
  }

  /** Takes the caller's best task. Where there is none, the reason is told if it lies with him. */
  async claim(by: By, project_id: string | null, client_event_id: string | null) {
    const claimed = await this.engine.claim(by, {
      lifecycle: "planner",
      limit: 1,
      project_id,
      client_event_id,
    });
    if (isRefusal(claimed)) return claimed;
    const task = claimed.tasks[0]?.task;
    if (!task) return claimed.refusal ?? (await this.unskilled(by, project_id)) ?? NOTHING;
    const transition = await this.transition(by, { task_id: task.id, row_version: task.row_version });
    return { task: taskOnWire(task), transition, replayed: claimed.replayed };
  }

  /** Where the caller's skill is enough in no project at all. */
  private unskilled({ org_id, actor }: By, project_id: string | null): Promise<Refusal | null> {
    return this.engine.transaction(async (tx) => {
      const stored = await readSettings(tx, org_id, visibleProjects(actor, project_id));
      const least = [...stored.values()].map(
        (text) => this.engine.registry.settingsFor(planner, text).min_skill_to_take as number,
      );
      const skill_level = actor.skill_level ?? 0;
      if (least.length === 0 || least.some((demand) => demand <= skill_level)) return null;
      const required = Math.min(...least);
      return refuse("SKILL_TOO_LOW", `To take a task takes skill ${required}; yours is ${skill_level}.`, {
        skill_level: actor.skill_level,
        required,
      });
    });
  }

  private async transition(
    { org_id }: By,
    { task_id, row_version }: { task_id: string; row_version: number },
  ): Promise<PlannerTransition> {
    const walk = { task_id, after: row_version - 1, limit: 1 };
    const [row] = await this.engine.transaction((tx) => readJournal(tx, org_id, walk));
    if (!row) throw new Error(`the log has no row ${row_version} of ${task_id}`);
    return transitionOnWire(row);
  }
}

const NOTHING = { task: null, transition: null, replayed: false };

/** A task of the planner that the caller may see. */
async function findPlannerTask(tx: Tx, by: By, id: string): Promise<PublicTask | Refusal> {
  const [row] = isUuid(id) ? await findTasks(tx, by.org_id, [id]) : [];
  return row && isVisible(by, row) ? publicTask(taskOf(row, undefined)) : notFound(id);
}

/** Like `findPlannerTask`, and locks the task against deletion until the transaction ends. */
export async function lockPlannerTask(tx: Tx, by: By, id: string): Promise<PublicTask | Refusal> {
  if (isUuid(id)) await lockNamedTasks(tx, by.org_id, [id.toLowerCase()]);
  return findPlannerTask(tx, by, id);
}

function isVisible({ actor }: By, row: Parameters<typeof canSee>[1] & { lifecycle: string }): boolean {
  return row.lifecycle === "planner" && canSee(actor, row);
}

function tell(row: TaskRow): PlannerTask {
  return taskOnWire(publicTask(taskOf(row, undefined)));
}

/** One row more than a page has tells that there is another. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): Paged<T> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, cursor: rows.length > limit && last ? cursorOf(last) : null };
}

function placeIn(cursor: string | null): { priority: number; id: string } | null | Refusal {
  if (cursor === null) return null;
  const [, priority = "", id = ""] = /^(-?\d{1,7})\.(.*)$/.exec(cursor) ?? [];
  return isUuid(id) ? { priority: Number(priority), id } : wrongField("cursor", "is not one of Pawl's");
}
