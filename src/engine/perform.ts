import { admit, canSee } from "../core/index.ts";
import type { Actor, JsonObject, Refusal, Request, Task } from "../core/index.ts";
import { DEFERRED } from "./batch.ts";
import { fingerprint } from "./fingerprint.ts";
import { publicTask } from "./public-task.ts";
import type { PublicTask } from "./public-task.ts";
import { isUuid, notFound, usedForSomethingElse } from "./refusals.ts";
import { settle } from "./settle.ts";
import { findRequests } from "./statements/find-requests.ts";
import { entryOfRow, findMarked } from "./statements/read-journal.ts";
import { saveRequests } from "./statements/save-requests.ts";
import type { NewRequest } from "./statements/save-requests.ts";
import type { Tx } from "./transaction.ts";
import { workOn } from "./work.ts";
import type { JournalEntry, Locked, Settled, Work } from "./work.ts";
import type { Workshop } from "./workshop.ts";

/** A command on one task, as it comes in. */
export type PerformRequest = Request & {
  task_id: string;
  /** Where a door leads to one lifecycle alone: a task of another is not there. */
  lifecycle?: string;
};

export type Performed = {
  kind: "performed";
  /** touched and absorbed: accepted, and nothing to tell. */
  outcome: "moved" | "touched" | "absorbed";
  task: PublicTask;
  event: JournalEntry | null;
  /** Only in the answer to the claim that opened the lease. */
  lease_token: string | null;
  /** What its side effects have made, by their kind; absent where it has none. */
  made?: JsonObject;
  /** The answer of an earlier request with the same client_event_id. */
  replayed: boolean;
};

export type PerformItem = {
  request: PerformRequest;
  actor: Actor;
  /** Stands in the journal where the caller gave no client_event_id: by it an unknown commit is settled. */
  mark: string;
  /** A transaction with this item was cut off, perhaps after its commit. */
  uncertain: boolean;
};

/** One transaction's worth of commands, each on another task and with another key: lock, load, decide, write. */
export async function performWithin(
  workshop: Workshop,
  tx: Tx,
  org_id: string,
  items: readonly PerformItem[],
): Promise<(Performed | Refusal | typeof DEFERRED)[]> {
  const answers = new Array<Performed | Refusal | typeof DEFERRED>(items.length).fill(DEFERRED);
  const keys = items.flatMap(({ request }) => request.client_event_id ?? []);
  const [{ now, tasks }, used, marked] = await Promise.all([
    workshop.lock(tx, org_id, items.map(({ request }) => request.task_id).filter(isUuid)),
    findRequests(tx, org_id, keys),
    findMarked(
      tx,
      org_id,
      items.filter((item) => item.uncertain).map((item) => item.mark),
    ),
  ]);
  const commits = new Map(marked.map((entry) => [entry.client_event_id, entry]));
  const uses = new Map(used.map((use) => [use.client_event_id, use]));

  const works: { place: number; work: Work }[] = [];
  for (const [place, item] of items.entries()) {
    const locked = tasks.get(item.request.task_id);
    const commit = commits.get(item.mark);
    if (commit && locked) {
      answers[place] = committed(item, locked.task, entryOfRow(commit));
      continue;
    }
    const use = uses.get(item.request.client_event_id ?? "");
    const work = workFor(item, locked);
    if ("kind" in work) {
      // A task that is gone: he may be the one who removed it, and ask again.
      const replays = !locked && use?.fingerprint === meaningOf(item);
      answers[place] = replays ? { ...(use.answer as Performed), replayed: true } : work;
      continue;
    }
    if (use === undefined) works.push({ place, work });
    else if (use.fingerprint !== meaningOf(item)) answers[place] = usedForSomethingElse(use.client_event_id);
    else answers[place] = { ...(use.answer as Performed), replayed: true };
  }

  const admitted = works.map(({ work }) => work);
  await workshop.loadFacts(tx, org_id, admitted);
  const settled = await settle(workshop, tx, org_id, now, admitted);

  const requests: NewRequest[] = [];
  for (const [index, { place, work }] of works.entries()) {
    const answer = answerOf(settled[index] as Settled);
    answers[place] = answer;
    const item = items[place] as PerformItem;
    const client_event_id = item.request.client_event_id ?? null;
    // A refusal does not use a key up.
    if (answer === DEFERRED || answer.kind === "refused" || client_event_id === null) continue;
    requests.push({ client_event_id, actor_id: work.actor.id, fingerprint: meaningOf(item), answer });
  }
  saveRequests(tx, org_id, requests, now);
  return answers;
}

function workFor({ request, actor, mark }: PerformItem, locked: Locked | undefined): Work | Refusal {
  const elsewhere = request.lifecycle !== undefined && request.lifecycle !== locked?.task.lifecycle;
  if (!locked || elsewhere || !canSee(actor, locked.task)) return notFound(request.task_id);
  const admitted = admit(locked.lifecycle, actor, request);
  if (admitted.kind === "refused") return admitted;
  return workOn(locked, actor, admitted.command, request.client_event_id ?? mark);
}

/** Who wants what done to which task; the version he saw is not part of what he means. */
function meaningOf({ request, actor }: PerformItem): string {
  const { client_event_id: _, expected_row_version: __, ...meant } = request;
  return fingerprint(["perform", actor.id, meant]);
}

function answerOf(settled: Settled): Performed | Refusal | typeof DEFERRED {
  if (settled.kind === "refused") return settled;
  if (settled.kind === "deferred") return DEFERRED;
  if (settled.kind !== "moved") return performed(settled.kind, settled.task);
  const { task, event, lease_token, made } = settled;
  const answer = { ...performed("moved", task), event, lease_token };
  return made === null ? answer : { ...answer, made };
}

function performed(outcome: Performed["outcome"], task: Task): Performed {
  return {
    kind: "performed",
    outcome,
    task: publicTask(task),
    event: null,
    lease_token: null,
    replayed: false,
  };
}

/** The answer that was on its way when the connection was cut; the token of a lease goes to the claimer, who never got it. */
function committed({ actor }: PerformItem, task: Task, event: JournalEntry): Performed {
  const stands = task.row_version === event.row_version && task.lease?.holder === actor.id;
  return { ...performed("moved", task), event, lease_token: stands ? (task.lease?.token ?? null) : null };
}
