import { v7 as uuidv7 } from "uuid";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { withIdempotencyKey, useCustomPlans, readClock, wrongField } from "../../plugin/index.ts";
import type { Caller, Engine, IdempotentResult, PublicTask, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { newDefect } from "./new-defect.ts";
import type { DefectInput } from "./new-defect.ts";
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
  defect?: DefectInput | null | undefined;
  create_fix?: boolean | null | undefined;
};

export type InspectionResult = {
  inspection: Inspection;
  deliverable: Deliverable;
  defect: Defect | null;
  fix_task: PublicTask | null;
};

/** The operations on defects, deliverables and inspections. They never move a task. */
export class QualityService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Records a defect. An executor must take part in the task. */
  report(
    caller: Caller,
    task_id: string,
    input: DefectInput,
    key: string | null,
  ): Promise<IdempotentResult<Defect> | Refusal> {
    return this.withKey(caller, key, ["report defect", task_id, input], async (tx) => {
      const task = await lockPlannerTask(tx, caller, task_id);
      if (isRefusal(task)) return task;
      const outsider = participantRefusal(caller, task);
      return outsider ?? record(tx, caller, task, input);
    });
  }

  defects({ org_id }: Caller, filter: DefectFilter) {
    return this.engine.transaction(async (tx) => {
      await useCustomPlans(tx);
      const rows = await listDefects(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  async defect({ org_id, actor }: Caller, id: string): Promise<Defect | Refusal> {
    const ids = isUuid(id) ? [id] : [];
    const filter = { projects: actor.project_ids, ids, limit: 1 };
    const [recordFinding] = await this.engine.transaction((tx) => listDefects(tx, org_id, filter));
    return recordFinding ?? refuse("NOT_FOUND", `There is no defect ${id}.`, { id });
  }

  create(
    caller: Caller,
    input: Pick<Deliverable, "project_id" | "type" | "serial">,
    key: string | null,
  ): Promise<IdempotentResult<Deliverable> | Refusal> {
    return this.withKey(caller, key, ["create deliverable", input], async (tx) => {
      const now = await readClock(tx);
      const deliverable: Deliverable = {
        id: uuidv7(),
        ...input,
        status: "open",
        created_by: caller.actor.id,
        created_at: now,
        updated_at: now,
        reopened_at: null,
        reopened_by: null,
        reopened_for: null,
      };
      if (await addDeliverable(tx, caller.org_id, deliverable)) return deliverable;
      const { type, serial } = input;
      return refuse("ALREADY_EXISTS", `The project already has a ${type} with the serial ${serial}.`, {
        serial,
      });
    });
  }

  deliverables({ org_id }: Caller, filter: DeliverableFilter) {
    return this.engine.transaction(async (tx) => {
      await useCustomPlans(tx);
      const rows = await listDeliverables(tx, org_id, { ...filter, limit: filter.limit + 1 });
      return pageOf(rows, filter.limit, ({ id }) => id);
    });
  }

  deliverable(caller: Caller, id: string): Promise<Deliverable | Refusal> {
    return this.engine.transaction((tx) => findDeliverable(tx, caller, id));
  }

  /** Submits an open or rejected deliverable to quality control, if all its tasks are finished. */
  submit(caller: Caller, id: string, key: string | null): Promise<IdempotentResult<Deliverable> | Refusal> {
    return this.withKey(caller, key, ["submit deliverable", id], async (tx) => {
      const deliverable = await findAndLock(tx, caller, id);
      if (isRefusal(deliverable)) return deliverable;
      const { status } = deliverable;
      if (status !== "open" && status !== "qc_rejected") return notFrom(status, ["open", "qc_rejected"]);
      const unfinished = await unfinishedRefusal(tx, caller, id);
      return unfinished ?? this.change(tx, caller, { ...deliverable, status: "submitted_to_qc" });
    });
  }

  async inspections(caller: Caller, id: string): Promise<Inspection[] | Refusal> {
    return this.engine.transaction(async (tx) => {
      const deliverable = await findDeliverable(tx, caller, id);
      return isRefusal(deliverable) ? deliverable : listInspections(tx, caller.org_id, id);
    });
  }

  /** Approves or rejects a deliverable; can record a defect of one of its tasks and create a fix-task. */
  inspect(
    caller: Caller,
    id: string,
    input: NewInspection,
    key: string | null,
  ): Promise<IdempotentResult<InspectionResult> | Refusal> {
    const invalid = shapeRefusal(input);
    if (invalid) return Promise.resolve(invalid);
    return this.withKey(caller, key, ["inspect", id, input], async (tx) => {
      const deliverable = await findAndLock(tx, caller, id);
      if (isRefusal(deliverable)) return deliverable;
      if (deliverable.status !== "submitted_to_qc") return notFrom(deliverable.status, ["submitted_to_qc"]);
      const { result, act = null } = input;
      const unfinished = result === "approved" ? await unfinishedRefusal(tx, caller, id) : null;
      if (unfinished) return unfinished;
      const found = await this.found(tx, caller, id, input);
      if (found && isRefusal(found)) return found;
      const { defect = null, fix_task = null } = found ?? {};
      const changed = await this.change(tx, caller, { ...deliverable, status: `qc_${result}` });
      const inspection: Inspection = {
        id: uuidv7(),
        deliverable_id: deliverable.id,
        result,
        measurements: input.measurements ?? {},
        act,
        inspector: caller.actor.id,
        defect_id: defect?.id ?? null,
        fix_task_id: fix_task?.id ?? null,
        created_at: changed.updated_at,
      };
      await addInspection(tx, caller.org_id, inspection);
      return { inspection, deliverable: changed, defect, fix_task };
    });
  }

  private async found(
    tx: Tx,
    caller: Caller,
    deliverable_id: string,
    { defect: input, task_id, create_fix }: NewInspection,
  ): Promise<{ defect: Defect; fix_task: PublicTask | null } | Refusal | null> {
    if (!input || task_id == null) return null;
    const task = await lockPlannerTask(tx, caller, task_id);
    if (isRefusal(task)) return task;
    if (task.data.deliverable_id !== deliverable_id.toLowerCase())
      return wrongField("task_id", "is not a task of the deliverable");
    if (!create_fix) return { defect: await record(tx, caller, task, input), fix_task: null };
    const { project_id } = task;
    const fix = { lifecycle: "planner", project_id, fix_of_task_id: task.id, defect: input };
    // The request's key belongs to the inspection; the task gets a new one.
    const created = await this.engine.create(caller, [fix], {
      tx,
      client_event_id: `inspection ${uuidv7()}`,
    });
    if (isRefusal(created)) return created;
    return { defect: created.made?.[0]?.record_defect as Defect, fix_task: created.tasks[0] ?? null };
  }

  private async change(tx: Tx, caller: Caller, deliverable: Deliverable): Promise<Deliverable> {
    const changed = { ...deliverable, updated_at: await readClock(tx) };
    await changeDeliverable(tx, caller.org_id, changed);
    return changed;
  }

  private withKey<Answer extends object>(
    { org_id, actor }: Caller,
    client_event_id: string | null,
    meaning: readonly unknown[],
    work: (tx: Tx) => Promise<Answer | Refusal>,
  ): Promise<IdempotentResult<Answer> | Refusal> {
    return this.engine.write(org_id, ({ tx }) =>
      withIdempotencyKey(tx, org_id, { client_event_id, actor, meaning }, () => work(tx)),
    );
  }
}

async function findDeliverable(
  tx: Tx,
  { org_id, actor }: Caller,
  id: string,
): Promise<Deliverable | Refusal> {
  const filter = { projects: actor.project_ids, id, limit: 1 };
  const [found] = isUuid(id) ? await listDeliverables(tx, org_id, filter) : [];
  return found ?? noDeliverable(id);
}

async function findAndLock(tx: Tx, { org_id, actor }: Caller, id: string): Promise<Deliverable | Refusal> {
  const found = isUuid(id) ? await lockDeliverable(tx, org_id, id, actor.project_ids) : null;
  return found ?? noDeliverable(id);
}

function noDeliverable(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no deliverable ${id}.`, { id });
}

async function record(
  tx: Tx,
  { org_id, actor }: Caller,
  task: PublicTask,
  input: DefectInput,
): Promise<Defect> {
  const now = await readClock(tx);
  const links = { project_id: task.project_id, task_id: task.id, fix_task_id: null };
  const defect = newDefect(input, links, actor, now);
  await recordDefects(tx, org_id, [defect], now);
  return defect;
}

function participantRefusal({ actor }: Caller, { assigned_to, data }: PublicTask): Refusal | null {
  const free = actor.roles.some((role) => ["lead", "supervisor", "system"].includes(role));
  const takesPart = [assigned_to, ...(data.contributors as string[])].includes(actor.id);
  return free || takesPart
    ? null
    : refuse(
        "FORBIDDEN",
        "Only the task's owner, its contributors, leads and the system may report a defect.",
        {
          permission: "task.create_defect",
          roles: actor.roles,
        },
      );
}

async function unfinishedRefusal(tx: Tx, { org_id }: Caller, id: string): Promise<Refusal | null> {
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

function shapeRefusal({ result, defect, task_id, create_fix }: NewInspection): Refusal | null {
  if (create_fix && result === "approved")
    return wrongField(
      "create_fix",
      "a deliverable with work left cannot be approved: reject it, or create no fix",
    );
  if (create_fix && !defect) return wrongField("defect", "a fix-task needs a defect");
  if (defect && task_id == null) return wrongField("task_id", "name the task of the defect");
  return null;
}
