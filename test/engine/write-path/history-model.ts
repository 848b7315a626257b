import { expect } from "vitest";
import {
  validateCommand,
  admitCreation,
  apply,
  decide,
  decideCreation,
  draftOf,
  SYSTEM,
} from "../../../src/core/index.ts";
import type { Actor, Command, JsonObject, Task } from "../../../src/core/index.ts";
import type { PublicTask } from "../../../src/main/index.ts";
import { ACTORS } from "./random-history.ts";
import type { Sent } from "./random-history.ts";
import { job } from "./job.ts";

/** A row of the journal, in feed order. */
export type EventRow = {
  id: string;
  task_id: string;
  row_version: number;
  type: string;
  action: string;
  from_status: string | null;
  to_status: string | null;
  actor_id: string | null;
  comment: string | null;
  payload: JsonObject | null;
  title: string | null;
  created_at: number;
};

type Edge = { task_id: string; blocker_id: string; on_failure: string; resolved: boolean };
type Creation = { fields: JsonObject; refs: ReadonlyMap<string, string>; id: string };

const SETTINGS = job.settings.parse({});
const LEASE_MS = 5 * 60_000;

/** Replays a journal through the pure decisions. Every event must match the decision of the rules at its position in the feed. */
export class Model {
  readonly tasks = new Map<string, Task>();
  /** The task after each event, by the event's id. */
  readonly versions = new Map<string, Task>();
  private readonly edges: Edge[] = [];
  private readonly notes = new Map<string, number>();
  private readonly holds = new Map<string, Set<string>>();
  private readonly byTag: ReadonlyMap<string, Sent>;
  private readonly creations: ReadonlyMap<string, Creation>;
  private readonly tokens: ReadonlyMap<string, string>;

  constructor(sent: readonly Sent[]) {
    const accepted = sent.filter(({ answer }) => answer.kind !== "refused");
    // Requests with one tag are equivalent; the one that was not replayed has the version that was checked.
    const first = accepted.filter(({ answer }) => answer.kind === "refused" || !answer.replayed);
    this.byTag = new Map(first.map((one) => [one.tag, one]));
    this.creations = new Map(first.flatMap(creationsOf));
    this.tokens = new Map(first.flatMap(tokensOf));
  }

  replay(event: EventRow): void {
    const after = event.action === "create" ? this.create(event) : this.move(event);
    expect(after.row_version, `the version of ${event.id}`).toBe(event.row_version);
    expect(after.status, `the status of ${event.id}`).toBe(event.to_status);
    for (const other of this.tasks.values())
      if (other.id !== after.id && after.exclusive_key !== null)
        expect(other.exclusive_key, `the exclusive key of ${event.id}`).not.toBe(after.exclusive_key);
    this.tasks.set(after.id, after);
    this.versions.set(event.id, after);
  }

  private create({ task_id, title, actor_id, created_at: now, id }: EventRow): Task {
    const actor = actorOf(actor_id);
    const spawned: Creation = { id: task_id, fields: { title }, refs: new Map() };
    const known = this.creations.get(title ?? "") ?? spawned;
    expect(known.id, `the task of ${id}`).toBe(task_id);
    const admitted = admitCreation(job, actor, known.fields);
    if (admitted.kind === "refused") throw new Error(`${id}: ${admitted.detail}`);
    const view = { input: admitted.input, actor, settings: SETTINGS, facts: {}, now };
    const draft = draftOf(job, view);
    const { on_failure = "wait" } = known.fields as { on_failure?: string };
    const edges = [...new Set(draft.blocked_by ?? [])].map((blocker): Edge => {
      const blocker_id = known.refs.get(blocker as string) ?? (blocker as string);
      const resolved = this.isSatisfied(blocker_id, on_failure);
      return { task_id, blocker_id, on_failure, resolved };
    });
    this.edges.push(...edges);
    const open = edges.filter((edge) => !edge.resolved);
    const dead = open.filter(({ blocker_id }) => isFinal(this.task(blocker_id)));
    const notices = dead.map(({ blocker_id }) => ({
      action: on_failure === "fail" ? "drop" : "warn",
      input: { reason: `${blocker_id} ended without success.`, blocker_id },
    }));
    const context = {
      id: task_id,
      org_id: "",
      project_id: "main",
      open_blockers: open.length,
      notices,
    };
    const created = decideCreation(job, view, draft, context);
    if (created.kind === "refused") throw new Error(`${id}: ${created.detail}`);
    return created.task;
  }

  private move(event: EventRow): Task {
    const { id, task_id, created_at: now } = event;
    const task = this.task(task_id);
    const actor = actorOf(event.actor_id);
    const held = [...(this.holds.get(task_id) ?? [])].map((hold_id) => ({ id: hold_id, kind: "other" }));
    const facts = { notes: this.notes.get(task_id) ?? 0, holds: held, blockers: [] };
    const command = this.commandOf(event, actor);
    const decision = decide(job, { task, actor, facts, settings: SETTINGS, now }, command);
    if (decision.kind !== "moved") throw new Error(`${id} (${event.action}) is ${JSON.stringify(decision)}`);
    const { type, action, from, to, comment } = decision.event;
    expect({ type, action, from, to, comment }, `the event ${id}`).toEqual({
      type: event.type,
      action: event.action,
      from: event.from_status,
      to: event.to_status,
      comment: event.comment,
    });
    for (const effect of decision.effects) this.applyEffect(task_id, effect);
    const token = this.tokens.get(id) ?? "";
    const opened = { token, holder: actor.id ?? "system", until: now + LEASE_MS, heartbeat_at: now };
    const after = apply(task, decision, now, opened);
    if (isFinal(after) && !isFinal(task)) this.finish(after);
    return after;
  }

  private commandOf({ id, action, actor_id, comment, payload }: EventRow, actor: Actor): Command {
    const bare = { action, comment: null, expected_row_version: null, lease_token: null };
    if (actor_id === null) return { ...bare, input: payload ?? {} };
    const sent = this.byTag.get(comment ?? "");
    if (!sent) throw new Error(`${id} (${action}) belongs to no accepted request`);
    expect(sent.actor.id, `the actor of ${id}`).toBe(actor_id);
    if (sent.verb === "claim") return { ...bare, input: {}, comment };
    expect(sent.request, `the request of ${id}`).toMatchObject({ action, comment });
    const admitted = validateCommand(job, actor, sent.request as { action: string });
    if (admitted.kind === "refused") throw new Error(`${id}: ${admitted.detail}`);
    expect(payload ?? {}, `the payload of ${id}`).toEqual(admitted.command.input);
    return admitted.command;
  }

  private applyEffect(task_id: string, effect: JsonObject): void {
    const holds = this.holds.get(task_id) ?? new Set<string>();
    this.holds.set(task_id, holds);
    if (effect.kind === "write_note") this.notes.set(task_id, (this.notes.get(task_id) ?? 0) + 1);
    if (effect.kind === "place_hold") holds.add(String(effect.hold_id));
    if (effect.kind === "release_hold") holds.delete(String(effect.hold_id));
  }

  private finish({ id, status }: Task): void {
    for (const edge of this.edges) {
      if (edge.blocker_id !== id || edge.resolved) continue;
      if (job.statuses[status]?.success !== true && edge.on_failure !== "proceed") continue;
      edge.resolved = true;
      const waiting = this.task(edge.task_id);
      this.tasks.set(waiting.id, { ...waiting, open_blockers: waiting.open_blockers - 1 });
    }
  }

  private isSatisfied(blocker_id: string, on_failure: string): boolean {
    const blocker = this.task(blocker_id);
    return isFinal(blocker) && (on_failure === "proceed" || job.statuses[blocker.status]?.success === true);
  }

  private task(id: string): Task {
    const task = this.tasks.get(id);
    if (!task) throw new Error(`task ${id} is not in the journal yet`);
    return task;
  }
}

/** Returns a task as callers see it, without the fields that change without an event. */
export function shownOf(task: Task | PublicTask): JsonObject {
  const { updated_at: _, org_id: __, lease, ...rest } = task;
  if (lease === null) return { ...rest, lease };
  const { holder, until, heartbeat_at } = lease;
  return { ...rest, lease: { holder, until, heartbeat_at } };
}

export function isFinal({ status }: { status: string }): boolean {
  return job.statuses[status]?.final === true;
}

function actorOf(id: string | null): Actor {
  const actor = id === null ? SYSTEM : ACTORS.find((one) => one.id === id);
  if (!actor) throw new Error(`unknown actor ${String(id)}`);
  return actor;
}

/** Returns the creations of a request by their titles. */
function creationsOf({ request, answer }: Sent): [string, Creation][] {
  if (answer.kind !== "created") return [];
  const tasks = request.tasks as (JsonObject & { ref: string; title: string })[];
  const refs = new Map(tasks.map(({ ref }, index) => [ref, answer.tasks[index]!.id]));
  return tasks.map((fields, index) => [fields.title, { fields, refs, id: answer.tasks[index]!.id }]);
}

/** Returns the lease tokens in an answer, by the id of their event. */
function tokensOf({ answer }: Sent): [string, string][] {
  if (answer.kind === "claimed")
    return answer.tasks.map(({ task, lease_token }) => [`${task.id}.${task.row_version}`, lease_token ?? ""]);
  if (answer.kind !== "performed" || answer.event === null || answer.lease_token === null) return [];
  return [[answer.event.id, answer.lease_token]];
}
