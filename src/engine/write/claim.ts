import { validateCommand, canSee, isRefusal, refuse } from "../../core/index.ts";
import type { Actor, Command, JsonObject, Lifecycle, Condition, Refusal, Task } from "../../core/index.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { publicTask } from "../read/public-task.ts";
import type { PublicTask } from "../read/public-task.ts";
import { unknownLifecycle, wrongField } from "../refusals.ts";
import { findRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { lockText, waitForClaims } from "../sql/advisory-locks.ts";
import { pickFromPool } from "../sql/pick-from-pool.ts";
import { findByJournalKey } from "../sql/read-journal.ts";
import type { EventRow } from "../sql/read-journal.ts";
import { readSettings } from "../sql/read-projects.ts";
import { expireDecisions } from "../sql/projects.ts";
import { saveRequests } from "../sql/save-requests.ts";
import type { NewRequest } from "../sql/save-requests.ts";
import type { Tx } from "../transaction.ts";
import { visibleProjects } from "../read/visible-projects.ts";
import { Retry } from "./command-queue.ts";
import type { Attempt, Outcome } from "./command-queue.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { keyConflict, restoreTasks, storedTask, storedTasks } from "./stored-answers.ts";
import type { StoredTasks } from "./stored-answers.ts";
import type { UnitOfWork } from "./unit-of-work.ts";
import { newInternalKey, workOn } from "./work.ts";
import type { LoadedTask, Work } from "./work.ts";

/** A request for free tasks of a lifecycle's pool. */
export type ClaimRequest = {
  lifecycle: string;
  limit?: number;
  project_id?: string | null;
  least_priority?: number | null;
  /** Selects by the field that the pool declares as its filter; tasks without a value are selected as well. */
  fields?: Readonly<Record<string, readonly string[]>> | null;
  comment?: string | null;
  client_event_id?: string | null;
};

type ClaimedTask = { task: PublicTask; lease_token: string | null; lease_until: number | null };

/** The answer to a claim. */
export type Claimed = {
  kind: "claimed";
  tasks: ClaimedTask[];
  /** The first refusal among the selected tasks. */
  refusal: Refusal | null;
  replayed: boolean;
};

export type ClaimCommand = {
  verb: "claim";
  /** Claims of the same lifecycle and filter select their tasks together. */
  group: string;
  keys: readonly string[];
  weight: number;
  lifecycle: Lifecycle;
  actor: Actor;
  /** The pool's action, admitted. */
  command: Command;
  filter: PoolFilter;
  client_event_id: string | null;
  /** Fingerprint of the command, stored with its client_event_id. */
  fingerprint: string;
  /** Written to the journal: after a lost connection it shows which tasks the claim took. */
  journalKey: string;
};

/** Selects tasks of the pool. */
type PoolFilter = {
  limit: number;
  /** null: all projects of the org. */
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
  /** The field by which the claim selects: null or one of `wanted_values`. */
  wanted_field: string | null;
  wanted_values: readonly string[];
};

export type ClaimAttempt = Attempt<ClaimCommand>;

const MAX_CLAIM_LIMIT = 1_000;

/** Builds the command for the queue, or refuses the claim; needs no database. */
export function claimCommand(
  { lifecycles }: LifecycleRegistry,
  request: ClaimRequest,
  actor: Actor,
): ClaimCommand | Refusal {
  const lifecycle = lifecycles.get(request.lifecycle);
  if (!lifecycle) return unknownLifecycle(request.lifecycle);
  const { pool } = lifecycle;
  const { limit = 1, client_event_id: key = null, least_priority = null, project_id = null } = request;
  if (!Number.isSafeInteger(limit) || limit < 1) return wrongField("limit", "must be a positive integer");
  if (!pool) return refuse("VALIDATION_ERROR", `${lifecycle.name} has no pool to claim from.`);
  const wanted = wantedBy(pool.filter, request.fields ?? {});
  if (isRefusal(wanted)) return wanted;
  const { comment } = request;
  // The pool's action may require a version, a key and a lease token, which a claim lacks: admit it with placeholders.
  const sent = { action: pool.action, comment: comment ?? null, client_event_id: key ?? "claim" };
  const admitted = validateCommand(lifecycle, actor, {
    ...sent,
    expected_row_version: -1,
    lease_token: "none",
  });
  if (isRefusal(admitted)) return admitted;
  const command = { ...admitted.command, expected_row_version: null, lease_token: null };
  const filter = {
    limit: Math.min(limit, MAX_CLAIM_LIMIT),
    projects: visibleProjects(actor, project_id),
    least_priority,
    ...wanted,
    ...conditionsOf(pool.where, actor),
  };
  const { limit: _, ...conditions } = filter;
  // A rule with facts may count the actor's tasks, so two claims of one actor must not run at the same time.
  const hasFacts = (lifecycle.actions[pool.action]?.facts ?? []).length > 0;
  const actorKeys = hasFacts && !pool.shared_facts ? [`actor ${actor.id ?? ""}`] : [];
  const meaning = ["claim", actor.id, lifecycle.name, limit, project_id, least_priority, command.comment];
  // Without a filter, the fingerprint stays that of earlier versions.
  if (wanted.wanted_field !== null) meaning.push(...wanted.wanted_values);
  return {
    verb: "claim",
    group: `claim ${lifecycle.name} ${skillOf(pool.where, actor)} ${JSON.stringify(conditions)}`,
    keys: key === null ? actorKeys : [`key ${key}`, ...actorKeys],
    weight: filter.limit,
    lifecycle,
    actor,
    command,
    filter,
    client_event_id: key,
    fingerprint: key === null ? "" : fingerprintOf(meaning),
    journalKey: key ?? newInternalKey(),
  };
}

/** Reads the fields by which a claim selects; the pool must declare them. */
function wantedBy(
  filter: string | null,
  fields: Readonly<Record<string, readonly string[]>>,
): Pick<PoolFilter, "wanted_field" | "wanted_values"> | Refusal {
  const declared = filter?.slice("data.".length) ?? null;
  const [unknown] = Object.keys(fields).filter((name) => name !== declared);
  if (unknown !== undefined)
    return wrongField("filter.fields", `"${unknown}" is not a field by which this pool can be filtered`);
  const values = declared === null ? undefined : fields[declared];
  if (values === undefined) return { wanted_field: null, wanted_values: [] };
  return { wanted_field: declared, wanted_values: [...new Set(values)].sort() };
}

function skillOf(where: readonly Condition[], { skill_level }: Actor): string {
  return where.some((condition) => "at_most" in condition) ? String(skill_level) : "";
}

/** Runs claims of one group with locks: selects the best free tasks once and distributes them in the order of the claims. */
export async function claimLocked(
  unit: UnitOfWork,
  attempts: readonly ClaimAttempt[],
  batch: string,
): Promise<Outcome<Claimed | Refusal>[]> {
  const { tx, org_id } = unit;
  const uncertain = [...new Set(attempts.flatMap((attempt) => attempt.uncertain))];
  const keys = attempts.flatMap(({ command }) => command.client_event_id ?? []).sort();
  // A batch whose connection was lost may still be running, and so may an identical request on another node: these locks wait for
  // both. Keys are locked with the org's id, because orgs do not share keys.
  const [{ command: first }] = attempts as [ClaimAttempt];
  const locks = [...uncertain, batch, ...keys.map((key) => `${org_id} ${key}`)].map((name) =>
    lockText(tx, name),
  );
  if (keys.length > 0) locks.push(waitForClaims(tx, org_id, first.lifecycle.name));
  const [used, committedEvents] = await Promise.all([
    findRequests(tx, org_id, keys),
    findByJournalKey(
      tx,
      org_id,
      attempts.flatMap(({ command, uncertain: batches }) =>
        batches.length === 0 ? [] : [command.journalKey],
      ),
    ),
    ...locks,
  ]);
  const uses = new Map(used.map((use) => [use.client_event_id, use]));
  const outcomes: Outcome<Claimed | Refusal>[] = [];
  const open: { at: number; command: ClaimCommand }[] = [];
  for (const [at, { command }] of attempts.entries()) {
    const use = uses.get(command.client_event_id ?? "");
    const events = committedEvents.filter((event) => event.client_event_id === command.journalKey);
    if (use) outcomes[at] = await replay(unit, command, use);
    else if (events.length > 0) outcomes[at] = await committed(unit, command, events);
    else open.push({ at, command });
  }
  if (open.length === 0) return outcomes;
  const commands = open.map(({ command }) => command);
  const wanted = commands.reduce((sum, { filter }) => sum + filter.limit, 0);
  const free = await selectFree(unit, commands, wanted);
  const shares = distribute(commands, free);
  const works = shares.flat();
  await unit.registry.loadFacts(tx, org_id, works);
  const requests: NewRequest[] = [];
  for (const [index, { at, command }] of open.entries()) {
    const share = shares[index] as Work[];
    // The claim got nothing, but there may be more tasks: others of the batch took those that it could see.
    if (share.length === 0 && free.length === wanted && commands.length > 1) {
      outcomes[at] = new Retry({ alone: true });
      continue;
    }
    const results = share.map((work) => unit.decide(work));
    const answer: Claimed = {
      kind: "claimed",
      tasks: results.flatMap((result) => (result.kind === "moved" ? [claimedTask(result.task)] : [])),
      refusal: results.find((result) => isRefusal(result)) ?? null,
      replayed: false,
    };
    outcomes[at] = answer;
    const { client_event_id: key, actor, fingerprint } = command;
    if (key === null || answer.tasks.length === 0) continue;
    requests.push({
      client_event_id: key,
      actor_id: actor.id,
      fingerprint,
      answer: stored(answer),
      task_id: null,
    });
  }
  await unit.settle();
  unit.write();
  if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));
  if (uncertain.length > 0) unit.send(expireDecisions(org_id));
  return outcomes;
}

/** Selects and locks the best free tasks that any of the claimers may see. */
async function selectFree(
  unit: UnitOfWork,
  commands: readonly ClaimCommand[],
  limit: number,
): Promise<LoadedTask[]> {
  const { tx, org_id, registry } = unit;
  const [{ lifecycle, filter, actor }] = commands as [ClaimCommand];
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

/** Gives each claim, in order, the best remaining tasks that its actor may see. */
function distribute(commands: readonly ClaimCommand[], free: readonly LoadedTask[]): Work[][] {
  const left = [...free];
  return commands.map(({ filter: { limit }, actor, command, journalKey }) => {
    const share: Work[] = [];
    for (let at = 0; at < left.length && share.length < limit;) {
      const loaded = left[at] as LoadedTask;
      if (!canSee(actor, loaded.task)) at++;
      else {
        left.splice(at, 1);
        share.push(workOn(loaded, actor, command, journalKey));
      }
    }
    return share;
  });
}

function stored({ tasks, refusal }: Claimed): JsonObject {
  const at = tasks.map(({ task, lease_token }) => storedTask(task, { lease_token }));
  return refusal === null ? { at } : { at, refusal };
}

type StoredClaim = (StoredTasks & { refusal?: Refusal }) | Claimed;

async function replay(
  unit: UnitOfWork,
  { actor, fingerprint }: ClaimCommand,
  use: RequestRow,
): Promise<Claimed | Refusal> {
  const conflict = keyConflict(use, fingerprint);
  if (conflict) return conflict;
  const answer = await restoreAnswer(unit, use.answer as StoredClaim);
  // Leave out tasks that the caller can no longer see.
  return { ...answer, tasks: answer.tasks.filter(({ task }) => canSee(actor, task)), replayed: true };
}

async function restoreAnswer({ tx, org_id }: UnitOfWork, answer: StoredClaim): Promise<Claimed> {
  if (!("at" in answer)) return answer;
  const restored = await restoreTasks(tx, org_id, storedTasks(answer));
  const tasks = answer.at.flatMap(({ id }) => restored.get(id) ?? []);
  return {
    kind: "claimed",
    tasks: tasks.map(({ task, lease_token }) => ({
      task,
      lease_token,
      lease_until: task.lease?.until ?? null,
    })),
    refusal: answer.refusal ?? null,
    replayed: false,
  };
}

/** Rebuilds the answer that a lost connection swallowed; leaves out tasks that have moved on since. */
async function committed(
  unit: UnitOfWork,
  { actor }: ClaimCommand,
  events: readonly EventRow[],
): Promise<Claimed> {
  const { tasks } = await readSnapshot(
    unit.registry,
    unit.tx,
    unit.org_id,
    events.map((event) => event.task_id),
  );
  const taken = events.flatMap(({ task_id, row_version }) => {
    const task = tasks.get(task_id)?.task;
    const isCurrent =
      task?.row_version === Number(row_version) && (task.lease?.holder ?? actor.id) === actor.id;
    return isCurrent ? [claimedTask(task)] : [];
  });
  return { kind: "claimed", tasks: taken, refusal: null, replayed: false };
}

/** A claimed task with its lease, as the claimer gets it. */
export function claimedTask(task: Task): ClaimedTask {
  const { token = null, until = null } = task.lease ?? {};
  return { task: publicTask(task), lease_token: token, lease_until: until };
}

/** Returns those of the projects in which the actor's skill level allows claims; null means all projects of the org. */
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
  const levels = (lifecycle.pool?.where ?? []).flatMap((one) => ("at_most" in one ? [one.setting] : []));
  if (levels.length === 0) return projects;
  const settings = await readSettings(tx, org_id, projects);
  const isSkilled = (stored: string) =>
    levels.every(
      (level) => Number(registry.settingsFor(lifecycle, stored)[level]) <= (actor.skill_level ?? 0),
    );
  return [...settings].filter(([, stored]) => isSkilled(stored)).map(([id]) => id);
}

function conditionsOf(where: readonly Condition[], actor: Actor) {
  const restricts = (field: string) =>
    where.some((condition) => "field" in condition && condition.field === field);
  const membership = where.find((condition) => "null_or_in" in condition);
  return {
    unassigned: restricts("assigned_to"),
    public: restricts("private"),
    unblocked: restricts("open_blockers"),
    unheld: restricts("open_holds"),
    field: membership ? membership.field.slice("data.".length) : null,
    among: membership ? actor.specializations : [],
    other_than: where.some((condition) => "is_not" in condition) ? actor.id : null,
  };
}
