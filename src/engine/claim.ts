import { admit, canSee, refuse } from "../core/index.ts";
import type { Actor, Lifecycle, PoolCondition, Refusal, Task } from "../core/index.ts";
import { fingerprint } from "./fingerprint.ts";
import { publicTask } from "./public-task.ts";
import type { PublicTask } from "./public-task.ts";
import { unknownLifecycle, usedForSomethingElse, wrongField } from "./refusals.ts";
import { settle } from "./settle.ts";
import { findRequests } from "./statements/find-requests.ts";
import { holdMark } from "./statements/hold-mark.ts";
import { pickFromPool } from "./statements/pick-from-pool.ts";
import { findMarked } from "./statements/read-journal.ts";
import { readSettings } from "./statements/read-projects.ts";
import { saveRequests } from "./statements/save-requests.ts";
import type { Tx } from "./transaction.ts";
import { workOn } from "./work.ts";
import type { Locked } from "./work.ts";
import { visibleProjects } from "./visible-projects.ts";
import type { Workshop } from "./workshop.ts";

export type ClaimRequest = {
  lifecycle: string;
  limit?: number;
  project_id?: string | null;
  least_priority?: number | null;
  comment?: string | null;
  client_event_id?: string | null;
};

type ClaimedTask = { task: PublicTask; lease_token: string | null; lease_until: number | null };

export type Claimed = {
  kind: "claimed";
  tasks: ClaimedTask[];
  /** Why the first task that was looked at could not be taken, where none could. */
  refusal: Refusal | null;
  replayed: boolean;
};

export type ClaimItem = {
  request: ClaimRequest;
  actor: Actor;
  /** Stands in the journal where the caller gave no client_event_id: by it an unknown commit is settled. */
  mark: string;
  /** A transaction with this claim was cut off, perhaps after its commit. */
  uncertain: boolean;
};

const MOST_AT_ONCE = 1_000;

/** Takes the best free tasks in one transaction, by the lifecycle's pool action and the same rules as any other command. */
export async function claimWithin(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  { request, actor, mark, uncertain }: ClaimItem,
): Promise<Claimed | Refusal> {
  const lifecycle = workshop.lifecycles.get(request.lifecycle);
  if (!lifecycle) return unknownLifecycle(request.lifecycle);
  const { pool } = lifecycle;
  const limit = request.limit ?? 1;
  if (!Number.isSafeInteger(limit) || limit < 1)
    return wrongField("limit", "must be a whole number from 1 on");
  if (!pool) return refuse("VALIDATION_ERROR", `${lifecycle.name} has no pool to claim from.`);
  const key = request.client_event_id ?? null;
  // The pool's action may demand a version and a key; a claim sees no version, and has its own key.
  const asked = {
    ...request,
    action: pool.action,
    client_event_id: key ?? "claim",
    expected_row_version: -1,
  };
  const admitted = admit(lifecycle, actor, { ...asked, lease_token: "none" });
  if (admitted.kind === "refused") return admitted;
  const command = { ...admitted.command, expected_row_version: null, lease_token: null };

  const { client_event_id: _, ...meant } = request;
  const print = fingerprint(["claim", actor.id, meant]);
  // Of several who come with one key the others wait here for the first, and then find what he got.
  const [, [use]] = await Promise.all([
    // With the org's name: the same key in another org is another key.
    key === null ? null : holdMark(tx, `${org_id} ${key}`),
    findRequests(tx, org_id, key === null ? [] : [key]),
  ]);
  if (use) {
    if (use.fingerprint !== print) return usedForSomethingElse(use.client_event_id);
    const answer = use.answer as Claimed;
    // Leave out tasks of projects that the caller can no longer see.
    const tasks = answer.tasks.filter(({ task }) => canSee(actor, task));
    return { ...answer, tasks, replayed: true };
  }

  if (uncertain && key === null) {
    const taken = await takenBefore(workshop, tx, org_id, actor, mark);
    if (taken.length > 0) return { kind: "claimed", tasks: taken, refusal: null, replayed: false };
  }

  const [, { now, free }] = await Promise.all([
    key === null ? holdMark(tx, mark) : null,
    pick(workshop, tx, org_id, actor, lifecycle, request),
  ]);
  const works = free.map((locked) => workOn(locked, actor, command, key ?? mark));
  await workshop.loadFacts(tx, org_id, works);
  const settled = await settle(workshop, tx, org_id, now, works);
  const answer: Claimed = {
    kind: "claimed",
    tasks: settled.flatMap((one) => (one.kind === "moved" ? [claimedTask(one.task)] : [])),
    refusal: settled.find((one) => one.kind === "refused") ?? null,
    replayed: false,
  };
  if (key !== null && answer.tasks.length > 0) {
    saveRequests(tx, org_id, [{ client_event_id: key, actor_id: actor.id, fingerprint: print, answer }], now);
  }
  return answer;
}

/** What a claim took whose answer was cut off; first it waits until the transaction that was cut off is over. */
async function takenBefore(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  actor: Actor,
  mark: string,
): Promise<ClaimedTask[]> {
  await holdMark(tx, mark);
  const marked = await findMarked(tx, org_id, [mark]);
  const { tasks } = await workshop.look(
    tx,
    org_id,
    marked.map((event) => event.task_id),
  );
  return marked.flatMap(({ task_id, row_version }) => {
    const task = tasks.get(task_id)?.task;
    // What was taken from him meanwhile is no longer his.
    const stands = task?.row_version === Number(row_version) && (task.lease?.holder ?? actor.id) === actor.id;
    return stands ? [claimedTask(task)] : [];
  });
}

function claimedTask(task: Task): ClaimedTask {
  return {
    task: publicTask(task),
    lease_token: task.lease?.token ?? null,
    lease_until: task.lease?.until ?? null,
  };
}

async function pick(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  actor: Actor,
  lifecycle: Lifecycle,
  request: ClaimRequest,
): Promise<{ now: number; free: Locked[] }> {
  const projects = visibleProjects(actor, request.project_id ?? null);
  const rows = await pickFromPool(tx, {
    org_id,
    lifecycle: lifecycle.name,
    projects: await projectsWithin(workshop, tx, { org_id, lifecycle, actor, projects }),
    actor_id: actor.id,
    ...conditionsOf(lifecycle.pool?.where ?? [], actor),
    least_priority: request.least_priority ?? null,
    limit: Math.min(request.limit ?? 1, MOST_AT_ONCE),
  });
  const { now, tasks } = await workshop.takeIn(tx, org_id, rows);
  return { now, free: [...tasks.values()] };
}

/** Of some projects those whose settings let the actor take from the pool; null is all of the org's. */
export async function projectsWithin(
  workshop: Workshop,
  tx: Tx,
  {
    org_id,
    lifecycle,
    actor,
    projects,
  }: { org_id: string; lifecycle: Lifecycle; actor: Actor; projects: readonly string[] | null },
): Promise<readonly string[] | null> {
  const demands = (lifecycle.pool?.where ?? []).flatMap((one) => ("at_most" in one ? [one.setting] : []));
  if (demands.length === 0) return projects;
  const settings = await readSettings(tx, org_id, projects);
  const reaches = (stored: string) =>
    demands.every(
      (demand) => Number(workshop.settingsFor(lifecycle, stored)[demand]) <= (actor.skill_level ?? 0),
    );
  return [...settings].filter(([, stored]) => reaches(stored)).map(([id]) => id);
}

function conditionsOf(where: readonly PoolCondition[], actor: Actor) {
  const demands = (field: string) =>
    where.some((condition) => "field" in condition && condition.field === field);
  const trade = where.find((condition) => "null_or_in" in condition);
  return {
    unassigned: demands("assigned_to"),
    public: demands("private"),
    unblocked: demands("open_blockers"),
    unheld: demands("open_holds"),
    field: trade ? trade.field.slice("data.".length) : null,
    among: actor.specializations,
  };
}
