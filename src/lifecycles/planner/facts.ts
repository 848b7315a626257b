import { v7 as uuidv7 } from "uuid";
import { canSee } from "../../core/index.ts";
import type { Actor, JsonObject } from "../../core/index.ts";
import { namedBlockers, rowsByTask } from "../../plugin/index.ts";
import type { CreationFactLoader, FactLoader, Tx } from "../../plugin/index.ts";
import { isUuid } from "../../std/uuid.ts";
import { wipKey } from "./effects.ts";
import { lockDefects } from "./sql/defects.ts";
import { lockNamedDeliverables } from "./sql/deliverables.ts";
import { readNamedEscalations } from "./sql/escalations.ts";
import { readOpenWork, readPeople } from "./sql/read-people.ts";
import type { OpenWork } from "./sql/read-people.ts";
import {
  findAbove,
  lockNamedTasks,
  readDependents,
  readHistories,
  readOwnersShifts,
} from "./sql/read-task-facts.ts";

/** Loads the facts of the planner's rules, each for a whole batch at once. */
export const plannerFactLoaders: Record<string, FactLoader> = {
  work_of_actor: async (tx, org_id, asks) => {
    const work = await readOpenWork(tx, org_id, unique(asks.map(({ actor }) => actor.id)));
    return asks.map(({ actor }) => workOf(work, actor.id, actor));
  },
  owner_key_taken: async (tx, org_id, asks) => {
    const work = await readOpenWork(tx, org_id, unique(asks.map(({ task }) => task.assigned_to)));
    return asks.map(({ task: { id, assigned_to } }) =>
      work.some((one) => one.id !== id && one.exclusive_key === wipKey(assigned_to ?? "")),
    );
  },
  target: async (tx, org_id, asks) => {
    const named = asks.map(({ input }) => textOrNull(input.assign_to) ?? textOrNull(input.member_id));
    const ids = unique(named);
    const [people, work] = await Promise.all([readPeople(tx, org_id, ids), readOpenWork(tx, org_id, ids)]);
    return asks.map(({ task, actor }, index) => {
      const person = people.get(named[index] ?? "");
      if (!person) return null;
      const { project_ids, ...rest } = person;
      const works_here = project_ids === null || project_ids.includes(task.project_id);
      return { ...rest, works_here, work: workOf(work, person.id, actor) };
    });
  },
  shift_of_owner: async (tx, org_id, asks) => {
    const owned = asks.flatMap(({ task: { id, assigned_to, project_id, data } }) =>
      assigned_to === null
        ? []
        : [{ task_id: id, owner: assigned_to, project_id, assigned_at: Number(data.assigned_at ?? 0) }],
    );
    const shifts = new Map((await readOwnersShifts(tx, org_id, owned)).map((row) => [row.task_id, row]));
    return asks.map(({ task }) => {
      const known = shifts.get(task.id);
      return known?.any_at_all ? { over: known.any_ended && !known.any_running } : null;
    });
  },
  escalation: async (tx, org_id, asks) => {
    const named = asks.map(({ input }) => uuidIn(input.escalation_id));
    const rows = await readNamedEscalations(tx, org_id, unique(named));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return asks.map(({ task }, index) => {
      const row = byId.get(named[index] ?? "");
      return row?.task_id === task.id ? { id: row.id, open: row.open } : null;
    });
  },
  named_blocker: namedBlockers,
  fresh_id: (_tx, _org_id, asks) => Promise.resolve(asks.map(() => uuidv7())),
  deliverable_here: (tx, org_id, asks) => deliverablesHere(tx, org_id, asks.map(linkRequestOf)),
  parent_here: (tx, org_id, asks) => parentsHere(tx, org_id, asks.map(linkRequestOf)),
  history: async (tx, org_id, asks) => {
    const ids = asks.map(({ task }) => task.id);
    const histories = new Map(
      (await readHistories(tx, org_id, ids)).map(({ task_id, ...history }) => [task_id, history]),
    );
    return asks.map(({ task }) => histories.get(task.id));
  },
  dependents: async (tx, org_id, asks) => {
    const ids = asks.map(({ task }) => task.id);
    const rows = rowsByTask(await readDependents(tx, org_id, ids));
    return asks.map(({ task, actor }) =>
      rows(task.id).map((row) => ({
        id: row.id,
        title: canSee(actor, row) ? row.title : "a task you may not see",
      })),
    );
  },
};

/** Loads the facts for creating a task. */
export const plannerCreationFacts: Record<string, CreationFactLoader> = {
  blocker_ids: (_tx, _org_id, asks) =>
    Promise.resolve(
      asks.map(({ input, refs }) =>
        unique((input.depends_on as string[]).map((name) => refs.get(name) ?? name.toLowerCase())),
      ),
    ),
  deliverable_here: (tx, org_id, asks) => deliverablesHere(tx, org_id, asks),
  parent_here: (tx, org_id, asks) => parentsHere(tx, org_id, asks),
  original: async (tx, org_id, asks) => {
    const named = asks.map(({ input }) => uuidIn(input.fix_of_task_id));
    const tasks = await lockNamedTasks(tx, org_id, unique(named));
    return asks.map(({ project_id }, index) => {
      const task = tasks.get(named[index] ?? "");
      return task?.project_id === project_id ? task : null;
    });
  },
  defect: async (tx, org_id, asks) => {
    const named = asks.map(({ input }) => uuidIn(input.defect_id));
    const defects = await lockDefects(tx, org_id, unique(named));
    return asks.map(({ input }, index) => {
      const defect = defects.get(named[index] ?? "");
      return defect?.task_id === uuidIn(input.fix_of_task_id) ? defect : null;
    });
  },
};

type LinkRequest = { task_id?: string; project_id: string; input: JsonObject };

function linkRequestOf({
  task,
  input,
}: {
  task: { id: string; project_id: string };
  input: JsonObject;
}): LinkRequest {
  return { task_id: task.id, project_id: task.project_id, input };
}

async function deliverablesHere(
  tx: Tx,
  org_id: string,
  requests: readonly LinkRequest[],
): Promise<boolean[]> {
  const ids = unique(requests.map(({ input }) => uuidIn(input.deliverable_id)));
  const known = await lockNamedDeliverables(tx, org_id, ids);
  return requests.map(
    ({ project_id, input: { deliverable_id } }) =>
      deliverable_id == null || known.get(uuidIn(deliverable_id) ?? "")?.project_id === project_id,
  );
}

async function parentsHere(tx: Tx, org_id: string, requests: readonly LinkRequest[]): Promise<boolean[]> {
  const ids = unique(requests.map(({ input }) => uuidIn(input.parent_task_id)));
  const known = await lockNamedTasks(tx, org_id, ids);
  const above = rowsByTask(await findAbove(tx, org_id, ids));
  return requests.map(({ task_id, project_id, input: { parent_task_id } }) => {
    if (parent_task_id == null) return true;
    const parent = uuidIn(parent_task_id) ?? "";
    const isCycle = above(parent).some((row) => row.above === task_id);
    return known.get(parent)?.project_id === project_id && parent !== task_id && !isCycle;
  });
}

/** Lists the open work of a member, without the title and status of tasks that the reader may not see. */
export function workOf(work: readonly OpenWork[], member: string | null, { project_ids }: Actor) {
  const sees = ({ project_id }: OpenWork) => project_ids?.includes(project_id) ?? true;
  return work
    .filter(({ assigned_to }) => assigned_to === member)
    .map((one) => ({
      id: one.id,
      title: sees(one) ? one.title : "work in another project",
      status: sees(one) ? one.status : "private",
    }));
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function uuidIn(value: unknown): string | null {
  return typeof value === "string" && isUuid(value) ? value.toLowerCase() : null;
}

function unique(values: readonly (string | null)[]): string[] {
  return [...new Set(values)].filter((value) => value !== null);
}
