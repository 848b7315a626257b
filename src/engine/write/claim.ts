import { admit, canSee, isRefusal, refuse } from "../../core/index.ts";
import type { Actor, Command, JsonObject, Lifecycle, Condition, Refusal, Task } from "../../core/index.ts";
import { fingerprint } from "./fingerprint.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { publicTask } from "../read/public-task.ts";
import type { PublicTask } from "../read/public-task.ts";
import { unknownLifecycle, wrongField } from "../refusals.ts";
import { findRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { holdMark, passClaims } from "../sql/hold-mark.ts";
import { pickFromPool } from "../sql/pick-from-pool.ts";
import { findMarked } from "../sql/read-journal.ts";
import type { EventRow } from "../sql/read-journal.ts";
import { readSettings } from "../sql/read-projects.ts";
import { saveRequests } from "../sql/save-requests.ts";
import type { NewRequest } from "../sql/save-requests.ts";
import type { Tx } from "../transaction.ts";
import { visibleProjects } from "../read/visible-projects.ts";
import { Again } from "./command-queue.ts";
import type { Attempt, Outcome } from "./command-queue.ts";
import { look } from "./look.ts";
import { otherMeaning, retell, taskAt, tasksAt } from "./stored-answers.ts";
import type { StoredTasks } from "./stored-answers.ts";
import type { UnitOfWork } from "./unit-of-work.ts";
import { newMark, workOn } from "./work.ts";
import type { LoadedTask, Work } from "./work.ts";

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

export type ClaimCommand = {
  verb: "claim";
  /** Claims of the same lifecycle and filter share one pick. */
  group: string;
  keys: readonly string[];
  weight: number;
  lifecycle: Lifecycle;
  actor: Actor;
  /** The pool's action, admitted. */
  command: Command;
  pick: PoolFilter;
  client_event_id: string | null;
  /** Fingerprint of the command, stored with its client_event_id. */
  print: string;
  /** Stands in the journal: by it an unknown commit is settled. */
  mark: string;
};

/** Selects tasks of the pool. */
type PoolFilter = {
  limit: number;
  /** null: all of the org's. */
  projects: readonly string[] | null;
  least_priority: number | null;
  unassigned: boolean;
  public: boolean;
  unblocked: boolean;
  unheld: boolean;
  /** A field of `data` that must be null or one of `among`. */
  field: string | null;
  among: readonly string[];
  other_than: string | null;
};

export type ClaimAttempt = Attempt<ClaimCommand>;

const MOST_AT_ONCE = 1_000;

/** A claim as a command, or why it is none; asks nothing of the database. */
export function claimCommand(
  { lifecycles }: LifecycleRegistry,
  request: ClaimRequest,
  actor: Actor,
): ClaimCommand | Refusal {
  const lifecycle = lifecycles.get(request.lifecycle);
  if (!lifecycle) return unknownLifecycle(request.lifecycle);
  const { pool } = lifecycle;
  const { limit = 1, client_event_id: key = null, least_priority = null, project_id = null } = request;
  if (!Number.isSafeInteger(limit) || limit < 1)
    return wrongField("limit", "must be a whole number from 1 on");
  if (!pool) return refuse("VALIDATION_ERROR", `${lifecycle.name} has no pool to claim from.`);
  const { comment } = request;
  // The pool's action may demand a version, a key and a token; a claim sees no version, and has its own key.
  const asked = { action: pool.action, comment: comment ?? null, client_event_id: key ?? "claim" };
  const admitted = admit(lifecycle, actor, { ...asked, expected_row_version: -1, lease_token: "none" });
  if (isRefusal(admitted)) return admitted;
  const command = { ...admitted.command, expected_row_version: null, lease_token: null };
  const pick = {
    limit: Math.min(limit, MOST_AT_ONCE),
    projects: visibleProjects(actor, project_id),
    least_priority,
    ...conditionsOf(pool.where, actor),
  };
  const { limit: _, ...filter } = pick;
  // Where a rule asks what the actor has taken already, two claims of one actor are not decided at once.
  const bySelf = (lifecycle.actions[pool.action]?.facts ?? []).length > 0 ? [`actor ${actor.id ?? ""}`] : [];
  return {
    verb: "claim",
    group: `claim ${lifecycle.name} ${skillOf(pool.where, actor)} ${JSON.stringify(filter)}`,
    keys: key === null ? bySelf : [`key ${key}`, ...bySelf],
    weight: pick.limit,
    lifecycle,
    actor,
    command,
    pick,
    client_event_id: key,
    print:
      key === null
        ? ""
        : fingerprint([
            "claim",
            actor.id,
            lifecycle.name,
            limit,
            project_id,
            least_priority,
            command.comment,
          ]),
    mark: key ?? newMark(),
  };
}

function skillOf(where: readonly Condition[], { skill_level }: Actor): string {
  return where.some((condition) => "at_most" in condition) ? String(skill_level) : "";
}

/** Takes the best free tasks for claims of one group: picked once, and dealt out in the order of the claims. */
export async function claimLocked(
  unit: UnitOfWork,
  attempts: readonly ClaimAttempt[],
  batch: string,
): Promise<Outcome<Claimed | Refusal>[]> {
  const { tx, org_id } = unit;
  const uncertain = [...new Set(attempts.flatMap((attempt) => attempt.uncertain))];
  const keys = attempts.flatMap(({ command }) => command.client_event_id ?? []).sort();
  // A batch that was cut off may still be under way: what it took is known when it is over. The same for a twin on another
  // node. (With the org's name: the same key in another org is another key.)
  const [{ command: first }] = attempts as [ClaimAttempt];
  const held = [...uncertain, batch, ...keys.map((key) => `${org_id} ${key}`)].map((mark) =>
    holdMark(tx, mark),
  );
  if (keys.length > 0) held.push(passClaims(tx, org_id, first.lifecycle.name));
  const [used, marked] = await Promise.all([
    findRequests(tx, org_id, keys),
    findMarked(
      tx,
      org_id,
      attempts.flatMap(({ command, uncertain: cut }) => (cut.length === 0 ? [] : [command.mark])),
    ),
    ...held,
  ]);
  const uses = new Map(used.map((use) => [use.client_event_id, use]));
  const outcomes: Outcome<Claimed | Refusal>[] = [];
  const open: { at: number; command: ClaimCommand }[] = [];
  for (const [at, { command }] of attempts.entries()) {
    const use = uses.get(command.client_event_id ?? "");
    const taken = marked.filter((event) => event.client_event_id === command.mark);
    if (use) outcomes[at] = await replay(unit, command, use);
    else if (taken.length > 0) outcomes[at] = await takenBefore(unit, command, taken);
    else open.push({ at, command });
  }
  if (open.length === 0) return outcomes;
  const commands = open.map(({ command }) => command);
  const wanted = commands.reduce((sum, { pick }) => sum + pick.limit, 0);
  const free = await pick(unit, commands, wanted);
  const hands = deal(commands, free);
  const works = hands.flat();
  await unit.registry.loadFacts(tx, org_id, works);
  const requests: NewRequest[] = [];
  for (const [index, { at, command }] of open.entries()) {
    const hand = hands[index] as Work[];
    // Others in the batch were dealt what this one could have had, or what it picked was not for it.
    if (hand.length === 0 && free.length === wanted && commands.length > 1) {
      outcomes[at] = new Again({ alone: true });
      continue;
    }
    const settled = hand.map((work) => unit.decide(work));
    const answer: Claimed = {
      kind: "claimed",
      tasks: settled.flatMap((one) => (one.kind === "moved" ? [claimedTask(one.task)] : [])),
      refusal: settled.find((one) => isRefusal(one)) ?? null,
      replayed: false,
    };
    outcomes[at] = answer;
    const { client_event_id: key, actor, print } = command;
    if (key === null || answer.tasks.length === 0) continue;
    requests.push({
      client_event_id: key,
      actor_id: actor.id,
      fingerprint: print,
      answer: stored(answer),
      task_id: null,
    });
  }
  await unit.settle();
  unit.write();
  if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));
  return outcomes;
}

/** The best free tasks that any of the claimers may see, locked. */
async function pick(
  unit: UnitOfWork,
  commands: readonly ClaimCommand[],
  limit: number,
): Promise<LoadedTask[]> {
  const { tx, org_id, registry } = unit;
  const [{ lifecycle, pick: filter, actor }] = commands as [ClaimCommand];
  const { projects } = filter;
  const rows = await pickFromPool(tx, {
    ...filter,
    org_id,
    lifecycle: lifecycle.name,
    projects: await projectsWithin(registry, tx, { org_id, lifecycle, actor, projects }),
    actors: [...new Set(commands.flatMap((command) => command.actor.id ?? []))],
    limit,
  });
  return rows.length === 0 ? [] : unit.take(rows);
}

/** Gives each claim, in its turn, the best of what is left that its actor may see. */
function deal(commands: readonly ClaimCommand[], free: readonly LoadedTask[]): Work[][] {
  const left = [...free];
  return commands.map(({ pick: { limit }, actor, command, mark }) => {
    const hand: Work[] = [];
    for (let at = 0; at < left.length && hand.length < limit;) {
      const loaded = left[at] as LoadedTask;
      if (!canSee(actor, loaded.task)) at++;
      else {
        left.splice(at, 1);
        hand.push(workOn(loaded, actor, command, mark));
      }
    }
    return hand;
  });
}

function stored({ tasks, refusal }: Claimed): JsonObject {
  const at = tasks.map(({ task, lease_token }) => taskAt(task, { lease_token }));
  return refusal === null ? { at } : { at, refusal };
}

type StoredClaim = (StoredTasks & { refusal?: Refusal }) | Claimed;

async function replay(
  unit: UnitOfWork,
  { actor, print }: ClaimCommand,
  use: RequestRow,
): Promise<Claimed | Refusal> {
  const other = otherMeaning(use, print);
  if (other) return other;
  const answer = await restored(unit, use.answer as StoredClaim);
  // Tasks of projects that the caller can no longer see are left out.
  return { ...answer, tasks: answer.tasks.filter(({ task }) => canSee(actor, task)), replayed: true };
}

async function restored({ tx, org_id }: UnitOfWork, kept: StoredClaim): Promise<Claimed> {
  if (!("at" in kept)) return kept;
  const told = await retell(tx, org_id, tasksAt(kept));
  const tasks = kept.at.flatMap(({ id }) => told.get(id) ?? []);
  return {
    kind: "claimed",
    tasks: tasks.map(({ task, lease_token }) => ({
      task,
      lease_token,
      lease_until: task.lease?.until ?? null,
    })),
    refusal: kept.refusal ?? null,
    replayed: false,
  };
}

/** The tasks taken by a claim whose answer was lost; tasks that have moved on since are left out. */
async function takenBefore(
  unit: UnitOfWork,
  { actor }: ClaimCommand,
  events: readonly EventRow[],
): Promise<Claimed> {
  const { tasks } = await look(
    unit.registry,
    unit.tx,
    unit.org_id,
    events.map((event) => event.task_id),
  );
  const taken = events.flatMap(({ task_id, row_version }) => {
    const task = tasks.get(task_id)?.task;
    const stands = task?.row_version === Number(row_version) && (task.lease?.holder ?? actor.id) === actor.id;
    return stands ? [claimedTask(task)] : [];
  });
  return { kind: "claimed", tasks: taken, refusal: null, replayed: false };
}

export function claimedTask(task: Task): ClaimedTask {
  const { token = null, until = null } = task.lease ?? {};
  return { task: publicTask(task), lease_token: token, lease_until: until };
}

/** Of some projects those whose settings let the actor take from the pool; null is all of the org's. */
export async function projectsWithin(
  registry: LifecycleRegistry,
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
  const reaches = (kept: string) =>
    demands.every(
      (demand) => Number(registry.settingsFor(lifecycle, kept)[demand]) <= (actor.skill_level ?? 0),
    );
  return [...settings].filter(([, kept]) => reaches(kept)).map(([id]) => id);
}

function conditionsOf(where: readonly Condition[], actor: Actor) {
  const demands = (field: string) =>
    where.some((condition) => "field" in condition && condition.field === field);
  const trade = where.find((condition) => "null_or_in" in condition);
  return {
    unassigned: demands("assigned_to"),
    public: demands("private"),
    unblocked: demands("open_blockers"),
    unheld: demands("open_holds"),
    field: trade ? trade.field.slice("data.".length) : null,
    among: trade ? actor.specializations : [],
    other_than: where.some((condition) => "is_not" in condition) ? actor.id : null,
  };
}
