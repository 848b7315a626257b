import { apply } from "./apply.ts";
import { decide } from "./decide.ts";
import { refuse } from "./decision.ts";
import type { Refusal, SideEffect } from "./decision.ts";
import type { CreationView, Draft, Guard, Lifecycle, View } from "./lifecycle.ts";
import { parseFields } from "./parse-fields.ts";
import { creationPermission, permissionRefusal } from "./permissions.ts";
import { SYSTEM } from "./task.ts";
import type { Actor, JsonObject, Task } from "./task.ts";
import { nextTimer } from "./timers.ts";

/** The fields of a new task that the engine provides. */
export type NewTaskContext = {
  id: string;
  org_id: string;
  project_id: string;
  open_blockers: number;
  /** Commands of the system about blockers that ended without success before the task was created. */
  notices?: readonly Notice[];
};

type Notice = { action: string; input: JsonObject };

export type Created = {
  kind: "created";
  task: Task;
  draft: Draft;
  effects: readonly SideEffect[];
  event: { type: "created"; action: "create"; from: null; to: string; comment: null };
};

/** Validates a creation without the database: the role has the permission, the input matches its schema. */
export function admitCreation(
  lifecycle: Lifecycle,
  actor: Actor,
  sent: unknown,
): { kind: "admitted"; input: JsonObject } | Refusal {
  const forbidden = permissionRefusal(lifecycle, actor, creationPermission(lifecycle));
  if (forbidden) return forbidden;
  const parsed = parseFields(lifecycle.creation.input, sent);
  return parsed.kind === "refused" ? parsed : { kind: "admitted", input: parsed.fields };
}

/** Turns an admitted input into the fields of the new task, as the lifecycle declares. */
export function draftOf(lifecycle: Lifecycle, view: CreationView): Draft {
  return lifecycle.creation.draft(view);
}

/** Creates the task at version 1, in the first status whose guards hold. */
export function decideCreation(
  lifecycle: Lifecycle,
  view: CreationView,
  draft: Draft,
  context: NewTaskContext,
): Created | Refusal {
  const invalid = lifecycle.data_check.draft(draft);
  if (invalid) return invalid;
  if (draft.readers && lifecycle.pool)
    return refuse(
      "INVALID_DATA",
      `Tasks of ${lifecycle.name} have a pool and cannot be restricted to readers.`,
    );
  const task = newTask(lifecycle, view, draft, context);
  const { input, actor, settings, facts, now } = view;
  const guardView: View = {
    task,
    actor,
    facts,
    settings,
    now,
    action: "create",
    input,
    comment: null,
    lease_token: null,
  };
  let refusal: Refusal | null = null;
  for (const { status, guards = [] } of lifecycle.creation.to) {
    refusal = firstRefusal(lifecycle, guards, guardView);
    if (refusal === null) {
      enter(lifecycle, task, status, settings);
      const created = (context.notices ?? []).reduce(
        (current, notice) => applyNotice(lifecycle, current, notice, settings),
        task,
      );
      return {
        kind: "created",
        task: created,
        draft,
        effects: lifecycle.creation.side_effects?.({ ...view, task: created }) ?? NO_EFFECTS,
        event: { type: "created", action: "create", from: null, to: status, comment: null },
      };
    }
  }
  return refusal ?? refuse("INVALID_TRANSITION", `${lifecycle.name} has no initial status.`);
}

/** Lists every field: a spread followed by 20 fields took 14 µs per task. */
function newTask(
  lifecycle: Lifecycle,
  { actor, now }: CreationView,
  draft: Draft,
  context: NewTaskContext,
): Task {
  return {
    id: context.id,
    org_id: context.org_id,
    project_id: context.project_id,
    lifecycle: lifecycle.name,
    lifecycle_version: lifecycle.version,
    status: "",
    row_version: 1,
    title: draft.title,
    data: draft.data,
    created_by: actor.id,
    assigned_to: draft.assigned_to ?? null,
    private: draft.private ?? false,
    ...(draft.readers ? { readers: draft.readers } : undefined),
    priority: draft.priority ?? 0,
    attempt: 0,
    open_blockers: context.open_blockers,
    open_holds: 0,
    due_at: null,
    due_action: null,
    available_at: draft.available_at ?? null,
    exclusive_key: null,
    needs_attention: false,
    lease: null,
    created_at: now,
    updated_at: now,
    entered_at: now,
  };
}

/** Sets the first status of a new task and that status's timer. Changes the task itself, which no other code has seen yet. */
function enter(lifecycle: Lifecycle, task: Task, status: string, settings: JsonObject): void {
  const next = nextTimer(lifecycle.statuses[status]?.timers ?? [], task, settings);
  task.status = status;
  task.due_at = next?.due_at ?? null;
  task.due_action = next?.due_action ?? null;
}

/** Applies a notice before the first version is written. One that would change the status is left until the task exists. */
function applyNotice(
  lifecycle: Lifecycle,
  task: Task,
  { action, input }: Notice,
  settings: JsonObject,
): Task {
  const now = task.created_at;
  const command = { action, input, comment: null, expected_row_version: null, lease_token: null };
  const decision = decide(lifecycle, { task, actor: SYSTEM, facts: {}, settings, now }, command);
  if (decision.kind !== "moved" || decision.to !== task.status || decision.effects.length > 0) return task;
  return { ...apply(task, decision, now, null), row_version: task.row_version };
}

const NO_EFFECTS: readonly SideEffect[] = Object.freeze([]);

function firstRefusal(lifecycle: Lifecycle, guards: readonly string[], view: View): Refusal | null {
  for (const name of guards) {
    const answer = (lifecycle.guards[name] as Guard)(view);
    if (answer !== true) return answer;
  }
  return null;
}
