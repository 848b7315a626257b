import { isRefusal, PawlError, SYSTEM } from "../../core/index.ts";
import type { Actor, JsonObject, Refusal } from "../../core/index.ts";
import { admitCreations } from "./validate-creations.ts";
import type { AdmittedCreation } from "./validate-creations.ts";
import type { CreateTasks } from "../engine-plugin.ts";
import { saveDependencies } from "../sql/dependencies.ts";
import { findRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { findTasks } from "../sql/find-tasks.ts";
import { readProjects } from "../sql/read-projects.ts";
import { saveCreations } from "../sql/save-creations.ts";
import { saveRequests } from "../sql/save-requests.ts";
import type { NewRequest } from "../sql/save-requests.ts";
import { Retry, CommandFailed } from "./command-queue.ts";
import type { Attempt, Outcome } from "./command-queue.ts";
import { Creations } from "./creations.ts";
import type { CreatedTasks } from "./creations.ts";
import { keyConflict, restoreTasks, storedTask } from "./stored-answers.ts";
import type { StoredTask } from "./stored-answers.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** A creation in the queue. */
export type CreateCommand = {
  verb: "create";
  group: string;
  keys: readonly string[];
  weight: number;
  creation: AdmittedCreation;
};

export type CreateAttempt = Attempt<CreateCommand>;

/** Builds the command for the queue. */
export function createCommand(creation: AdmittedCreation): CreateCommand {
  const { client_event_id: key, tasks } = creation;
  const keys = key === null ? [] : [`key ${key}`];
  return { verb: "create", group: "create", keys, weight: tasks.length, creation };
}

/** Creates tasks in one transaction; each request creates all its tasks or is refused. */
export async function createLocked(
  unit: UnitOfWork,
  attempts: readonly Pick<CreateAttempt, "command" | "uncertain">[],
): Promise<Outcome<CreatedTasks | Refusal>[]> {
  const { tx, org_id, registry } = unit;
  const all = attempts.map(({ command }) => command.creation);
  // A request whose connection was lost may have been committed: then its ids are in the table.
  const uncertain = attempts.filter((attempt) => attempt.uncertain.length > 0);
  const [{ now, settings }, used, committed] = await Promise.all([
    readProjects(tx, org_id, [...new Set(all.flatMap(({ tasks }) => tasks.map((task) => task.project_id)))]),
    findRequests(
      tx,
      org_id,
      all.flatMap(({ client_event_id }) => client_event_id ?? []),
    ),
    uncertain.length === 0 ? [] : findTasks(tx, org_id, uncertain.flatMap(idsOf)),
  ]);
  unit.now ||= now;
  const creations = new Creations({ org_id, registry, now: unit.now, settings });
  creations.committed = new Map(committed.map((row) => [row.id, row]));
  const uses = new Map(used.map((use) => [use.client_event_id, use]));
  await creations.loadFacts(tx, all);
  const drafts = all.map((creation) => creations.draft(creation));
  await creations.lockBlockers(tx, drafts);

  const requests: NewRequest[] = [];
  const outcomes: Outcome<CreatedTasks | Refusal>[] = [];
  for (const [index, creation] of all.entries()) {
    const { client_event_id: key, actor, fingerprint } = creation;
    const plan = drafts[index] as ReturnType<Creations["draft"]>;
    const use = uses.get(key ?? "");
    // Do not replay the earlier answer if the caller can no longer see the project or the task.
    if (use && !isHidden(actor, plan)) {
      outcomes.push(await replay(unit, creation, use));
      continue;
    }
    const answer = creations.decide(creation, plan);
    outcomes.push(answer);
    if (answer instanceof Retry || isRefusal(answer) || key === null || fingerprint === null) continue;
    requests.push({
      client_event_id: key,
      actor_id: actor.id,
      fingerprint,
      answer: stored(answer),
      task_id: null,
    });
  }
  if (creations.effectRequests.length > 0)
    await registry.runEffects(tx, creations.effectRequests, unit.now, makeTasksIn(unit));
  if (creations.dependencies.length > 0) unit.send(saveDependencies(org_id, creations.dependencies));
  const rows = creations.takeRows();
  if (rows.length > 0) unit.send(saveCreations({ org_id, now: unit.now, rows, settings_version: null }));
  if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));
  for (const { lifecycle, task } of rows) unit.arrivals.addPooled(lifecycle, task);
  return outcomes;
}

function isHidden(actor: Actor, plan: ReturnType<Creations["draft"]>): boolean {
  if (isRefusal(plan)) return plan.code === "NOT_FOUND";
  return plan.some(({ draft: { readers } }) => actor.id !== null && readers?.includes(actor.id) === false);
}

function idsOf({ command }: Pick<CreateAttempt, "command">): string[] {
  return command.creation.tasks.map(({ id }) => id);
}

/** The stored form of an answer: new tasks by id and version; replays restore them from their journals. */
export function stored(answer: CreatedTasks): JsonObject {
  const { tasks, existing, made } = answer;
  if (made !== undefined || existing.some(Boolean)) return answer;
  return { at: tasks.map((task) => storedTask(task)) };
}

type StoredCreation = { at: StoredTask[] } | CreatedTasks;

async function replay(
  { tx, org_id }: UnitOfWork,
  { fingerprint }: AdmittedCreation,
  use: RequestRow,
): Promise<CreatedTasks | Refusal> {
  const conflict = keyConflict(use, fingerprint ?? "");
  if (conflict) return conflict;
  const answer = use.answer as StoredCreation;
  if (!("at" in answer)) return { ...answer, replayed: true };
  const restored = await restoreTasks(tx, org_id, answer.at);
  const tasks = answer.at.flatMap(({ id }) => restored.get(id)?.task ?? []);
  return { kind: "created", tasks, existing: tasks.map(() => false), replayed: true };
}

/** Returns a function for effects that creates tasks in this unit; it throws on a refusal, which rolls back the causing command. */
export function makeTasksIn(unit: UnitOfWork): CreateTasks {
  return async (actor: Actor, tasks) => {
    // Admitted as the system, without a key: the rule has checked the actor, and its command has the key.
    const admitted = admitCreations(unit.registry.lifecycles, { tasks, actor: SYSTEM });
    const command = isRefusal(admitted) ? admitted : createCommand({ ...admitted, actor });
    const [outcome] = isRefusal(command) ? [command] : await createLocked(unit, [{ command, uncertain: [] }]);
    if (outcome === undefined || outcome instanceof Retry || outcome instanceof CommandFailed)
      throw new Error("an effect could not create its tasks in the transaction of its move");
    if (isRefusal(outcome)) throw new PawlError(outcome.code, outcome.detail, outcome.params);
    return { tasks: outcome.tasks, made: outcome.made ?? outcome.tasks.map(() => null) };
  };
}
