import { validateCommand, canSee, confinementRefusal, isRefusal } from "../../core/index.ts";
import type { Actor, Command, JsonObject, Refusal, Request, Task } from "../../core/index.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { publicTask } from "../read/public-task.ts";
import type { PublicTask } from "../read/public-task.ts";
import { notFound, usedForSomethingElse } from "../refusals.ts";
import { isUuid } from "../../std/uuid.ts";
import { findRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { entryOfRow, findByJournalKey } from "../sql/read-journal.ts";
import { saveMissingRequests, saveRequests } from "../sql/save-requests.ts";
import type { NewRequest } from "../sql/save-requests.ts";
import { Retry } from "./command-queue.ts";
import type { Attempt, Outcome } from "./command-queue.ts";
import { BUSY } from "./rows-busy.ts";
import { keyConflict, restoreTasks, storedTask } from "./stored-answers.ts";
import type { StoredTask } from "./stored-answers.ts";
import type { UnitOfWork } from "./unit-of-work.ts";
import { newInternalKey, workOn } from "./work.ts";
import type { CallKey, JournalEntry, LoadedTask, CommandResult, Work } from "./work.ts";

/** A command on one task, as the caller sent it. */
export type PerformRequest = Omit<Request, "action"> & {
  task_id: string;
  /** For routes of one lifecycle: tasks of another one are not found. */
  lifecycle?: string;
} & (
    | { action: string }
    /** `choose` selects the action of the task that leads to this status. */
    | { to_status: string; choose: (task: Task) => string | Refusal }
  );

/** The answer to an accepted command. */
export type Performed = {
  kind: "performed";
  /** touched and absorbed: accepted without a journal row. */
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
  /** Whether the caller's token is confined. */
  confined: boolean;
  /** Written to the journal: after a lost connection it shows whether the command was committed. */
  journalKey: string;
  /** The call that the command belongs to, if the call has a key. */
  call: CallPart | null;
};

/** The part of a command in its call: its index, and the key of its own that it gets if it is carried out alone. */
type CallPart = { key: CallKey; index: number; own: string };

export type PerformAttempt = Attempt<PerformCommand>;

/** Builds the command for the queue. */
export function performCommand(
  request: PerformRequest,
  actor: Actor,
  confined = false,
  { call = null, journalKey }: { call?: CallPart | null; journalKey?: string } = {},
): PerformCommand {
  const task_id = request.task_id.toLowerCase();
  const key = request.client_event_id;
  // The queue runs commands that share a key one after the other, so each sees the result of the one before it.
  const keys = key == null ? [task_id] : [task_id, `key ${key}`];
  return {
    verb: "perform",
    group: "perform",
    keys,
    weight: 1,
    request: request.task_id === task_id ? request : { ...request, task_id },
    actor,
    confined,
    journalKey: key ?? journalKey ?? newInternalKey(),
    call,
  };
}

/** Runs commands with their tasks locked. All tasks and keys are different. */
export async function performLocked(
  unit: UnitOfWork,
  attempts: readonly PerformAttempt[],
): Promise<(Outcome<Performed | Refusal> | typeof BUSY)[]> {
  const { tx, org_id } = unit;
  const commands = attempts.map(({ command }) => command);
  const [busy, used, committedEvents] = await Promise.all([
    unit.lock(commands.map(({ request }) => request.task_id).filter(isUuid)),
    findRequests(tx, org_id, [
      ...new Set(
        commands.flatMap(({ request, call }) => [
          ...(request.client_event_id == null ? [] : [request.client_event_id]),
          ...(call === null ? [] : [call.key.client_event_id]),
        ]),
      ),
    ]),
    findByJournalKey(
      tx,
      org_id,
      attempts.filter(({ uncertain }) => uncertain.length > 0).map(({ command }) => command.journalKey),
    ),
  ]);
  const commits = new Map(committedEvents.map((entry) => [entry.client_event_id, entry]));
  const uses = new KeyUses(used);

  const outcomes: (Outcome<Performed | Refusal> | typeof BUSY)[] = [];
  const works: { at: number; work: Work }[] = [];
  for (const [at, command] of commands.entries()) {
    const { request, journalKey } = command;
    const loaded = unit.tasks.get(request.task_id);
    const commit = commits.get(journalKey);
    const use = uses.find(command);
    if (busy.has(request.task_id)) outcomes[at] = BUSY;
    else if (commit && loaded) outcomes[at] = committed(command, loaded.task, entryOfRow(commit));
    else if (use) outcomes[at] = isRefusal(use) ? use : await replay(unit, command, loaded, use);
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
  const results = works.map(({ work }) => unit.decide(work));
  const rounds = await unit.settle();

  const requests: NewRequest[] = [];
  const calls = new Map<string, NewRequest>();
  for (const [index, { at, work }] of works.entries()) {
    const result = results[index] as CommandResult;
    const answer = answerTo(rounds > 1 ? withCurrentTask(unit, result) : result);
    outcomes[at] = answer;
    const command = commands[at] as PerformCommand;
    const { client_event_id: key = null } = command.request;
    // A refusal does not use up the key.
    if (answer instanceof Retry || isRefusal(answer) || key === null) continue;
    requests.push({
      client_event_id: key,
      actor_id: work.actor.id,
      fingerprint: commandFingerprint(command, work.command),
      answer: stored(answer),
      task_id: answer.outcome === "moved" ? null : answer.task.id,
    });
    if (command.call)
      calls.set(command.call.key.client_event_id, emptyRecord(command.call.key, answer.task.id));
  }
  unit.write();
  if (calls.size > 0) unit.send(saveMissingRequests(org_id, [...calls.values()], unit.now));
  if (requests.length > 0) unit.send(saveRequests(org_id, requests, unit.now));
  return outcomes;
}

/** The uses of the keys of commands, and of the calls that they belong to. */
class KeyUses {
  private readonly uses: ReadonlyMap<string, RequestRow>;
  private readonly calls = new Map<string, ReadonlyMap<number, CallEntry>>();

  constructor(rows: readonly RequestRow[]) {
    this.uses = new Map(rows.map((row) => [row.client_event_id, row]));
  }

  /** Returns the earlier use of a command's key, or a refusal if the key of its call was used for something else. */
  find({ request, call }: PerformCommand): RequestRow | Refusal | undefined {
    const own = this.uses.get(request.client_event_id ?? "");
    const use = call ? this.uses.get(call.key.client_event_id) : undefined;
    if (own || !call || !use) return own;
    if (use.fingerprint !== call.key.fingerprint) return usedForSomethingElse(use.client_event_id);
    const entry = this.entriesOf(use).get(call.index);
    return entry && { ...use, fingerprint: entry.fingerprint ?? "", answer: { outcome: "moved", at: entry } };
  }

  private entriesOf({ client_event_id, answer }: RequestRow): ReadonlyMap<number, CallEntry> {
    let entries = this.calls.get(client_event_id);
    if (!entries) {
      entries = new Map((answer as { at: CallEntry[] }).at.map((entry) => [entry.index, entry]));
      this.calls.set(client_event_id, entries);
    }
    return entries;
  }
}

/** The part of one command in the record of its call, with a fingerprint only if the journal row does not show the same. */
type CallEntry = StoredTask & { index: number; fingerprint?: string };

/** Returns the part of a moved command in the record of its call. */
export function callEntry(
  index: number,
  sent: PerformCommand,
  command: Command,
  answer: Performed,
): CallEntry {
  const entry: CallEntry = { ...storedTask(answer.task, answer), index };
  if (answer.event === null || !isShownBy(answer.event, sent.actor, command))
    entry.fingerprint = commandFingerprint(sent, command);
  return entry;
}

/** Whether a journal row shows this command: a rule may write a comment or payload of its own. */
function isShownBy(event: JournalEntry, actor: Actor, { action, comment, input }: Command): boolean {
  if (event.actor_id !== actor.id || event.action !== action || event.comment !== comment) return false;
  // The row of a command that was just decided has the input itself.
  if (event.payload === input) return true;
  return fingerprintOf([event.payload ?? {}]) === fingerprintOf([input]);
}

/** The record of a call none of whose answers it has: they are stored with keys of their own. */
function emptyRecord({ client_event_id, actor_id, fingerprint }: CallKey, task_id: string): NewRequest {
  return { client_event_id, actor_id, fingerprint, answer: { outcome: "moved", at: [] }, task_id };
}

/** Admits a command on its task, or refuses it; needs no database. */
export function workFor(
  { request, actor, confined, journalKey }: PerformCommand,
  loaded: LoadedTask | undefined,
): Work | Refusal {
  const elsewhere = request.lifecycle !== undefined && request.lifecycle !== loaded?.task.lifecycle;
  if (!loaded || elsewhere || !canSee(actor, loaded.task)) return notFound(request.task_id);
  const action = "choose" in request ? request.choose(loaded.task) : request.action;
  if (typeof action !== "string") return action;
  const admitted =
    confinementRefusal(loaded.lifecycle, action, confined) ??
    validateCommand(loaded.lifecycle, actor, "action" in request ? request : { ...request, action });
  if (isRefusal(admitted)) return admitted;
  return workOn(loaded, actor, admitted.command, journalKey);
}

/** Returns the fingerprint of a command; it ignores the expected version, and spaces and key order of the input. */
export function commandFingerprint(
  { request, actor }: PerformCommand,
  { action, comment, input }: Command,
): string {
  return fingerprintOf(["perform", actor.id, request.task_id, action, comment, input, request.lease_token]);
}

/** The stored form of an answer: a moved task by id and version. */
export function stored(answer: Performed): JsonObject {
  if (answer.outcome !== "moved") return answer;
  const { outcome, task, made } = answer;
  const at = storedTask(task, answer);
  return made === undefined ? { outcome, at } : { outcome, at, made };
}

/** Returns the answer of the first request with this key, or refuses if that was a different request. */
async function replay(
  unit: UnitOfWork,
  command: PerformCommand,
  loaded: LoadedTask | undefined,
  use: RequestRow,
): Promise<Performed | Refusal> {
  const { request, actor } = command;
  if (loaded && !canSee(actor, loaded.task)) return notFound(request.task_id);
  const answer = await restoreAnswer(unit, use.answer as JsonObject);
  // The task may have been removed; the request that removed it can still be repeated.
  const lifecycle = unit.registry.lifecycles.get((loaded ?? answer)?.task.lifecycle ?? "");
  if (!lifecycle) return usedForSomethingElse(use.client_event_id);
  const isThere = "choose" in request && answer?.event?.to_status === request.to_status;
  const action = "choose" in request ? (isThere ? answer.event?.action : undefined) : request.action;
  if (action === undefined) return usedForSomethingElse(use.client_event_id);
  const admitted = validateCommand(lifecycle, actor, { ...request, action });
  if (isRefusal(admitted)) return admitted;
  const isShown = answer?.event && isShownBy(answer.event, actor, admitted.command);
  if (use.fingerprint === "" && !isShown) return usedForSomethingElse(use.client_event_id);
  const fingerprint = use.fingerprint && commandFingerprint(command, admitted.command);
  const conflict = keyConflict(use, fingerprint);
  if (conflict) return conflict;
  return answer === null ? usedForSomethingElse(use.client_event_id) : { ...answer, replayed: true };
}

/** Restores a stored answer; null if it answers another kind of request. */
async function restoreAnswer(unit: UnitOfWork, storedAnswer: JsonObject): Promise<Performed | null> {
  if (storedAnswer.kind === "performed") return storedAnswer as Performed;
  const { outcome, at, made } = storedAnswer as { outcome?: string; at: StoredTask; made?: JsonObject };
  // The record of a call has a list of tasks.
  if (outcome !== "moved" || Array.isArray(at)) return null;
  const restored = (await restoreTasks(unit.tx, unit.org_id, [at])).get(at.id);
  if (!restored) return null;
  const { task, event, lease_token } = restored;
  const answer = performed("moved", task, event, lease_token);
  return made === undefined ? answer : { ...answer, made };
}

/** Replaces the task with its final state: later rounds may have moved it again. */
function withCurrentTask(unit: UnitOfWork, result: CommandResult): CommandResult {
  if (result.kind !== "moved") return result;
  return { ...result, task: unit.tasks.get(result.task.id)?.task ?? result.task };
}

/** Builds the answer for the caller from a command's result. */
export function answerTo(result: CommandResult): Performed | Refusal | Retry {
  if (isRefusal(result)) return result;
  if (result.kind === "deferred") return new Retry({});
  if (result.kind !== "moved") return performed(result.kind, publicTask(result.task));
  const { task, event, lease_token, made } = result;
  const answer = performed("moved", publicTask(task), event, lease_token);
  return made === null ? answer : { ...answer, made };
}

function performed(
  outcome: Performed["outcome"],
  task: PublicTask,
  event: JournalEntry | null = null,
  lease_token: string | null = null,
): Performed {
  return { kind: "performed", outcome, task, event, lease_token, replayed: false };
}

/** Rebuilds the answer that a lost connection swallowed; includes the lease token if the caller still holds the lease. */
function committed({ actor }: PerformCommand, task: Task, event: JournalEntry): Performed {
  const isCurrent = task.row_version === event.row_version && task.lease?.holder === actor.id;
  const lease_token = isCurrent ? (task.lease?.token ?? null) : null;
  return performed("moved", publicTask(task), event, lease_token);
}
