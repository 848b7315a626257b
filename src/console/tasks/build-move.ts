import type { Lifecycle, Task } from "../data/client.ts";
import { fieldsOf } from "../forms/schema.ts";
import type { Values } from "../forms/schema.ts";
import type { MoveRequest } from "./use-move.ts";
import { leaseTokenOf } from "./lease-tokens.ts";

type ActionSpec = Lifecycle["actions"][number];
type TaskRef = Pick<Task, "id" | "row_version">;
type MoveInput = { payload: Values; comment: string; leaseToken: string };

export function actionOf(lifecycle: Lifecycle, action: string): ActionSpec | undefined {
  return lifecycle.actions.find(({ name }) => name === action);
}

/** Builds the request for an action: the non-empty input, the lease token and the row version. */
export function buildMove(
  spec: ActionSpec,
  task: TaskRef | undefined,
  input: Partial<MoveInput> = {},
): MoveRequest {
  const { payload = {}, comment = "", leaseToken = "" } = input;
  const token = (task && leaseTokenOf(task.id)) ?? leaseToken.trim();
  return {
    action: spec.name,
    ...(comment.trim() === "" ? {} : { comment }),
    ...(Object.keys(payload).length === 0 ? {} : { payload }),
    ...(token === "" ? {} : { lease_token: token }),
    // An edit begins with the values of this version, so it must not overwrite those of a later one.
    ...((spec.expected_row_version === "required" || spec.name === "edit") && task
      ? { expected_row_version: task.row_version }
      : {}),
  };
}

/** True if an action ends a task in a final status without success, such as canceled. */
export function endsWithoutSuccess({ rules, statuses }: Lifecycle, action: string): boolean {
  const failures = statuses.filter(({ final, success }) => final && !success).map(({ name }) => name);
  return rules.some((rule) => rule.action === action && rule.to !== null && failures.includes(rule.to));
}

/** Builds the request for an action that needs no input; null if a dialog is needed first. */
export function moveWithoutInput(lifecycle: Lifecycle, task: TaskRef, action: string): MoveRequest | null {
  const spec = actionOf(lifecycle, action);
  if (!spec || spec.comment === "required" || fieldsOf(spec.input).length > 0) return null;
  if (spec.lease_token === "required" && leaseTokenOf(task.id) === null) return null;
  // Ending or removing a task always asks first: one wrong click would lose it.
  return endsWithoutSuccess(lifecycle, action) || removesTask(lifecycle, action)
    ? null
    : buildMove(spec, task);
}

/** True if an action removes the task. */
export function removesTask({ rules }: Lifecycle, action: string): boolean {
  return rules.some((rule) => rule.action === action && rule.effects.includes("remove_task"));
}
