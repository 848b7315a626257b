import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { answerOnce, planAnew, readClock, wrongField } from "../../plugin/index.ts";
import type { By, Engine, Once, PublicTask, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { newDefect } from "./new-defect.ts";
import type { SaidOfDefect } from "./new-defect.ts";
import { lockPlannerTask, pageOf } from "./service.ts";
import { listDefects, recordDefects } from "./sql/defects.ts";
import type { Defect, DefectFilter } from "./sql/defects.ts";
import {
  addDeliverable,
  addInspection,
  changeDeliverable,
  listDeliverables,
  listInspections,
  lockDeliverable,
  readTasksOf,
} from "./sql/deliverables.ts";
import type { Deliverable, DeliverableFilter, Inspection } from "./sql/deliverables.ts";

type NewInspection = {
  result: Inspection["result"];
  measurements?: Record<string, unknown> | null | undefined;
  act?: string | null | undefined;
  task_id?: string | null | undefined;
  defect?: SaidOfDefect | null | undefined;
  create_fix?: boolean | null | undefined;
};

export type Inspected = {
  inspection: Inspection;
  deliverable: Deliverable;
  defect: Defect | null;
  fix_task: PublicTask | null;
};

/** Quality: defects, deliverables and their inspections. It never moves a task. */
export class QualityDesk {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Records only. An executor speaks of what he takes part in. */
  report(by: By, task_id: string, said: SaidOfDefect, key: string | null): Promise<Once<Defect> | Refusal> {
    return this.once(by, key, ["report defect", task_id, said], async (tx) => {
      const task = await lockPlannerTask(tx, by, task_id);
      if (isRefusal(task)) return task;
      const outsider = participantRefusal(by, task);
      return outsider ?? record(tx, by, task, said);
    });
  }

  defects({ org_id }: By, filter: DefectFilter) {
    return this.engine.transaction(async (tx) => {
      await planAnew(tx);
      const rows = await listDefects(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  async defect({ org_id, actor }: By, id: string): Promise<Defect | Refusal> {
    const ids = isUuid(id) ? [id] : [];
    const filter = { projects: actor.project_ids, ids, limit: 1 };
    const [found] = await this.engine.transaction((tx) => listDefects(tx, org_id, filter));
    return found ?? refuse("NOT_FOUND", `There is no defect ${id}.`, { id });
  }

  create(
    by: By,
    said: Pick<Deliverable, "project_id" | "type" | "serial">,
    key: string | null,
  ): Promise<Once<Deliverable> | Refusal> {
    return this.once(by, key, ["create deliverable", said], async (tx) => {
      const now = await readClock(tx);
      const stamps = { created_by: by.actor.id, created_at: now, updated_at: now };
      const made: Deliverable = { id: uuidv7(), ...said, status: "open", ...stamps };
      if (await addDeliverable(tx, by.org_id, made)) return made;
      const { type, serial } = said;
      return refuse("ALREADY_EXISTS", `The project has a ${type} with the serial ${serial} already.`, {
        serial,
      });
    });
  }

  deliverables({ org_id }: By, filter: DeliverableFilter) {
    return this.engine.transaction(async (tx) => {
      await planAnew(tx);
      const rows = await listDeliverables(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  deliverable(by: By, id: string): Promise<Deliverable | Refusal> {
    return this.engine.transaction((tx) => seen(tx, by, id));
  }

  /** To quality control: from the beginning, or again after it was rejected, when nothing is left to do. */
  submit(by: By, id: string, key: string | null): Promise<Once<Deliverable> | Refusal> {
    return this.once(by, key, ["submit deliverable", id], async (tx) => {
      const deliverable = await locked(tx, by, id);
      if (isRefusal(deliverable)) return deliverable;
      const { status } = deliverable;
      if (status !== "open" && status !== "qc_rejected") return notFrom(status, ["open", "qc_rejected"]);
      const unfinished = await unfinishedRefusal(tx, by, id);
      return unfinished ?? this.change(tx, by, { ...deliverable, status: "submitted_to_qc" });
    });
  }

  async inspections(by: By, id: string): Promise<Inspection[] | Refusal> {
    return this.engine.transaction(async (tx) => {
      const deliverable = await seen(tx, by, id);
      return isRefusal(deliverable) ? deliverable : listInspections(tx, by.org_id, id);
    });
  }

  /** Decides about the deliverable; for a task of it, it may record a defect and have it mended. */
  inspect(by: By, id: string, said: NewInspection, key: string | null): Promise<Once<Inspected> | Refusal> {
    const misshapen = misshapenInspection(said);
    if (misshapen) return Promise.resolve(misshapen);
    return this.once(by, key, ["inspect", id, said], async (tx) => {
      const deliverable = await locked(tx, by, id);
      if (isRefusal(deliverable)) return deliverable;
      if (deliverable.status !== "submitted_to_qc") return notFrom(deliverable.status, ["submitted_to_qc"]);
      const { result, act = null } = said;
      const unfinished = result === "approved" ? await unfinishedRefusal(tx, by, id) : null;
      if (unfinished) return unfinished;
      const found = await this.found(tx, by, id, said);
      if (found && isRefusal(found)) return found;
      const { defect = null, fix_task = null } = found ?? {};
      const changed = await this.change(tx, by, { ...deliverable, status: `qc_${result}` });
      const inspection: Inspection = {
        id: uuidv7(),
        deliverable_id: deliverable.id,
        result,
        measurements: said.measurements ?? {},
        act,
        inspector: by.actor.id,
        defect_id: defect?.id ?? null,
        fix_task_id: fix_task?.id ?? null,
        created_at: changed.updated_at,
      };
      await addInspection(tx, by.org_id, inspection);
      return { inspection, deliverable: changed, defect, fix_task };
    });
  }

  private async found(
    tx: Tx,
    by: By,
    deliverable_id: string,
    { defect: said, task_id, create_fix }: NewInspection,
  ): Promise<{ defect: Defect; fix_task: PublicTask | null } | Refusal | null> {
    if (!said || task_id == null) return null;
    const task = await lockPlannerTask(tx, by, task_id);
    if (isRefusal(task)) return task;
    if (task.data.deliverable_id !== deliverable_id.toLowerCase())
      return wrongField("task_id", "is no task of the deliverable");
    if (!create_fix) return { defect: await record(tx, by, task, said), fix_task: null };
    const { project_id } = task;
    const fix = { lifecycle: "planner", project_id, fix_of_task_id: task.id, defect: said };
    // The inspection has the key; the task needs none of its own.
    const made = await this.engine.create(by, [fix], { tx, client_event_id: `inspection ${uuidv7()}` });
    if (isRefusal(made)) return made;
    return { defect: made.made?.[0]?.record_defect as Defect, fix_task: made.tasks[0] ?? null };
  }

  private async change(tx: Tx, by: By, deliverable: Deliverable): Promise<Deliverable> {
    const changed = { ...deliverable, updated_at: await readClock(tx) };
    await changeDeliverable(tx, by.org_id, changed);
    return changed;
  }

  private once<Answer extends object>(
    { org_id, actor }: By,
    client_event_id: string | null,
    meaning: readonly unknown[],
    work: (tx: Tx) => Promise<Answer | Refusal>,
  ): Promise<Once<Answer> | Refusal> {
    return this.engine.write(org_id, ({ tx }) =>
      answerOnce(tx, org_id, { client_event_id, actor, meaning }, () => work(tx)),
    );
  }
}

async function seen(tx: Tx, { org_id, actor }: By, id: string): Promise<Deliverable | Refusal> {
  const filter = { projects: actor.project_ids, id, limit: 1 };
  const [found] = isUuid(id) ? await listDeliverables(tx, org_id, filter) : [];
  return found ?? noDeliverable(id);
}

async function locked(tx: Tx, { org_id, actor }: By, id: string): Promise<Deliverable | Refusal> {
  const found = isUuid(id) ? await lockDeliverable(tx, org_id, id, actor.project_ids) : null;
  return found ?? noDeliverable(id);
}

function noDeliverable(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no deliverable ${id}.`, { id });
}

async function record(tx: Tx, { org_id, actor }: By, task: PublicTask, said: SaidOfDefect): Promise<Defect> {
  const now = await readClock(tx);
  const place = { project_id: task.project_id, task_id: task.id, fix_task_id: null };
  const defect = newDefect(said, place, actor, now);
  await recordDefects(tx, org_id, [defect], now);
  return defect;
}

function participantRefusal({ actor }: By, { assigned_to, data }: PublicTask): Refusal | null {
  const free = actor.roles.some((role) => ["lead", "supervisor", "system"].includes(role));
  const takesPart = [assigned_to, ...(data.contributors as string[])].includes(actor.id);
  return free || takesPart
    ? null
    : refuse("FORBIDDEN", "A defect is reported by whoever takes part in the task, or by a lead.", {
        permission: "task.create_defect",
        roles: actor.roles,
      });
}

async function unfinishedRefusal(tx: Tx, { org_id }: By, id: string): Promise<Refusal | null> {
  const open = (await readTasksOf(tx, org_id, id)).filter(({ final }) => !final);
  if (open.length === 0) return null;
  const tasks = open.map(({ id: task_id, title, status }) => ({ id: task_id, title, status }));
  const named = tasks.map(({ title, status }) => `"${title}" (${status})`).join(", ");
  return refuse("UNRESOLVED_BLOCKERS", `Not all tasks of the deliverable are done or canceled: ${named}.`, {
    tasks,
  });
}

function notFrom(status: string, starts_from: readonly string[]): Refusal {
  return refuse(
    "INVALID_TRANSITION",
    `The deliverable is ${status}; this starts from ${starts_from.join(", ")}.`,
    {
      status,
      starts_from,
    },
  );
}

function misshapenInspection({ defect, task_id, create_fix }: NewInspection): Refusal | null {
  if (create_fix && !defect) return wrongField("defect", "a fix-task needs a defect");
  if (defect && task_id == null) return wrongField("task_id", "say of which task the defect is");
  return null;
}
