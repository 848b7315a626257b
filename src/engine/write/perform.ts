import { admit, canSee, isRefusal } from "../../core/index.ts";
import type { Actor, Command, JsonObject, Refusal, Request, Task } from "../../core/index.ts";
import { fingerprint } from "./fingerprint.ts";
import { publicTask } from "../read/public-task.ts";
import type { PublicTask } from "../read/public-task.ts";
import { notFound, usedForSomethingElse } from "../refusals.ts";
import { isUuid } from "../../std/uuid.ts";
import { findRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { entryOfRow, findMarked } from "../sql/read-journal.ts";
import { saveRequests } from "../sql/save-requests.ts";
import type { NewRequest } from "../sql/save-requests.ts";
import { Again } from "./command-queue.ts";
import type { Attempt, Outcome } from "./command-queue.ts";
import { BUSY } from "./rows-busy.ts";
import { otherMeaning, retell, taskAt } from "./stored-answers.ts";
import type { TaskAt } from "./stored-answers.ts";
import type { UnitOfWork } from "./unit-of-work.ts";
import { newMark, workOn } from "./work.ts";
import type { JournalEntry, LoadedTask, Settled, Work } from "./work.ts";

/** A command on one task, as it comes in. */
export type PerformRequest = Omit<Request, "action"> & {
  task_id: string;
  /** Where a door leads to one lifecycle alone: a task of another is not there. */
  lifecycle?: string;
} & (
    | { action: string }
    /** The action follows from the task: one that leads to this status. */
    | { to_status: string; choose: (task: Task) => string | Refusal }
  );

export type Performed = {
  kind: "performed";
  /** touched and absorbed: accepted, and nothing to tell. */
  outcome: "moved" | "touched" | "absorbed";
  task: PublicTask;
  event: JournalEntry | null;
  /** Only in the answer to the claim that opened the lease. */
  lease_token: string | null;
  /** Results of its side effects, by kind; absent without side effects. */
  made?: JsonObject;
  /** The answer of an earlier request with the same client_event_id. */
  replayed: boolean;
};

export type PerformCommand = {
  verb: "perform";
  group: string;
  keys: readonly string[];
  weight: number;
  request: PerformRequest;
  actor: Actor;
  /** Stands in the journal: by it an unknown commit is settled. */
  mark: string;
};

export type PerformAttempt = Attempt<PerformCommand>;

export function performCommand(request: PerformRequest, actor: Actor): PerformCommand {
  const task_id = request.task_id.toLowerCase();
  const key = request.client_event_id;
  // Of two commands on one task, or with one key, the second is decided against what the first has done.
  const keys = key == null ? [task_id] : [task_id, `key ${key}`];
  return {
    verb: "perform",
    group: "perform",
    keys,
    weight: 1,
    request: { ...request, task_id },
    actor,
    mark: key ?? newMark(),
  };
}

/** Carries out commands, each on another task and with another key, under the locks of the tasks. */
export async function performLocked(
  unit: UnitOfWork,
  attempts: readonly PerformAttempt[],
): Promise<(Outcome<Performed | Refusal> | typeof BUSY)[]> {
  const { tx, org_id } = unit;
  const commands = attempts.map(({ command }) => command);
  const [busy, used, marked] = await Promise.all([
    unit.lock(commands.map(({ request }) => request.task_id).filter(isUuid)),
    findRequests(
      tx,
      org_id,
      commands.flatMap(({ request }) => request.client_event_id ?? []),
    ),
    findMarked(
      tx,
      org_id,
      attempts.filter(({ uncertain }) => uncertain.length > 0).map(({ command }) => command.mark),
    ),
  ]);
  const commits = new Map(marked.map((entry) => [entry.client_event_id, entry]));
  const uses = new Map(used.map((use) => [use.client_event_id, use]));

  const outcomes: (Outcome<Performed | Refusal> | typeof BUSY)[] = [];
  const works: { at: number; work: Work }[] = [];
  for (const [at, command] of commands.entries()) {
    const { request, mark } = command;
    const loaded = unit.tasks.get(request.task_id);
    const commit = commits.get(mark);
    const use = uses.get(request.client_event_id ?? "");
    if (busy.has(request.task_id)) outcomes[at] = BUSY;
    else if (commit && loaded) outcomes[at] = committed(command, loaded.task, entryOfRow(commit));
    else if (use) outcomes[at] = await replay(unit, command, loaded, use);
    else {
      const work = workFor(command, loaded);
      if (isRefusal(work)) outcomes[at] = work;
      else works.push({ at, work });
    }
  }
  await unit.registry.loadFacts(
    tx,
    org_id,
    works.map(({ work }) => work),
  );
  const settled = works.map(({ work }) => unit.decide(work));
  const rounds = await unit.settle();

  const requests: NewRequest[] = [];
  for (const [index, { at, work }] of works.entries()) {
    const one = settled[index] as Settled;
    const answer = answerTo(rounds > 1 ? asItNowStands(unit, one) : one);
    outcomes[at] = answer;
    const { client_event_id: key = null } = (commands[at] as PerformCommand).request;
    // A refusal does not use a key up.
    if (answer instanceof Again || isRefusal(answer) || key === null) continue;
    requests.push({
      client_event_id: key,
      actor_id: work.actor.id,
      fingerprint: meaningOf(commands[at] as PerformCommand, work.command),
      answer: stored(answer),
      task_id: answer.outcome === "moved" ? null : answer.task.id,
    });
  }
  unit.write();
  if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));
  return outcomes;
}

/** The command as work on its task, or why it is none; asks nothing of the database. */
export function workFor(
  { request, actor, mark }: PerformCommand,
  loaded: LoadedTask | undefined,
): Work | Refusal {
  const elsewhere = request.lifecycle !== undefined && request.lifecycle !== loaded?.task.lifecycle;
  if (!loaded || elsewhere || !canSee(actor, loaded.task)) return notFound(request.task_id);
  const action = "choose" in request ? request.choose(loaded.task) : request.action;
  if (typeof action !== "string") return action;
  const admitted = admit(loaded.lifecycle, actor, { ...request, action });
  if (isRefusal(admitted)) return admitted;
  return workOn(loaded, actor, admitted.command, mark);
}

/** Who wants what done to which task; the version that was seen, and how it was written down, are not part of the meaning. */
export function meaningOf({ request, actor }: PerformCommand, { action, comment, input }: Command): string {
  return fingerprint(["perform", actor.id, request.task_id, action, comment, input, request.lease_token]);
}

/** The stored form of an answer: a moved task by id and version. */
export function stored(answer: Performed): JsonObject {
  if (answer.outcome !== "moved") return answer;
  const { outcome, task, made } = answer;
  const at = taskAt(task, answer);
  return made === undefined ? { outcome, at } : { outcome, at, made };
}

/** The first answer again, if the same was meant. */
async function replay(
  unit: UnitOfWork,
  command: PerformCommand,
  loaded: LoadedTask | undefined,
  use: RequestRow,
): Promise<Performed | Refusal> {
  const { request, actor } = command;
  if (loaded && !canSee(actor, loaded.task)) return notFound(request.task_id);
  const answer = await restored(unit, use.answer as JsonObject);
  // The task may be removed; the request that removed it can still be repeated.
  const lifecycle = unit.registry.lifecycles.get((loaded ?? answer)?.task.lifecycle ?? "");
  if (!lifecycle) return usedForSomethingElse(use.client_event_id);
  const isThere = "choose" in request && answer?.event?.to_status === request.to_status;
  const action = "choose" in request ? (isThere ? answer.event?.action : undefined) : request.action;
  if (action === undefined) return usedForSomethingElse(use.client_event_id);
  const admitted = admit(lifecycle, actor, { ...request, action });
  if (isRefusal(admitted)) return admitted;
  const other = otherMeaning(use, meaningOf(command, admitted.command));
  if (other) return other;
  return answer === null ? usedForSomethingElse(use.client_event_id) : { ...answer, replayed: true };
}

/** Null where it is the answer to something else. */
async function restored(unit: UnitOfWork, kept: JsonObject): Promise<Performed | null> {
  if (kept.kind === "performed") return kept as Performed;
  const { outcome, at, made } = kept as { outcome?: string; at: TaskAt; made?: JsonObject };
  if (outcome !== "moved") return null;
  const told = (await retell(unit.tx, unit.org_id, [at])).get(at.id);
  if (!told) return null;
  const answer = { ...performed("moved", told.task), event: told.event, lease_token: told.lease_token };
  return made === undefined ? answer : { ...answer, made };
}

/** Replaces the task by its final state: later rounds may have moved it again. */
function asItNowStands(unit: UnitOfWork, one: Settled): Settled {
  if (one.kind !== "moved") return one;
  return { ...one, task: unit.tasks.get(one.task.id)?.task ?? one.task };
}

export function answerTo(settled: Settled): Performed | Refusal | Again {
  if (isRefusal(settled)) return settled;
  if (settled.kind === "deferred") return new Again({});
  if (settled.kind !== "moved") return performed(settled.kind, publicTask(settled.task));
  const { task, event, lease_token, made } = settled;
  const answer = { ...performed("moved", publicTask(task)), event, lease_token };
  return made === null ? answer : { ...answer, made };
}

function performed(outcome: Performed["outcome"], task: PublicTask): Performed {
  return { kind: "performed", outcome, task, event: null, lease_token: null, replayed: false };
}

/** The answer that was on its way when the connection was cut; the token of a lease goes to the claimer, who never got it. */
function committed({ actor }: PerformCommand, task: Task, event: JournalEntry): Performed {
  const stands = task.row_version === event.row_version && task.lease?.holder === actor.id;
  const lease_token = stands ? (task.lease?.token ?? null) : null;
  return { ...performed("moved", publicTask(task)), event, lease_token };
}
