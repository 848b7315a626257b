import type { Lifecycle, Task } from "../data/client.ts";
import { fieldsOf } from "../forms/schema.ts";
import type { Values } from "../forms/schema.ts";
import type { Move } from "./act.ts";
import { leaseTokenOf } from "./lease-tokens.ts";

type ActionSpec = Lifecycle["actions"][number];
type Subject = Pick<Task, "id" | "row_version">;
type Given = { payload: Values; comment: string; leaseToken: string };

export function actionOf(lifecycle: Lifecycle, action: string): ActionSpec | undefined {
  return lifecycle.actions.find(({ name }) => name === action);
}

/** An action with all that goes with it: what was given, without what was left empty, and what is known of the task. */
export function wholeMove(spec: ActionSpec, task: Subject | undefined, given: Partial<Given> = {}): Move {
  const { payload = {}, comment = "", leaseToken = "" } = given;
  const token = (task && leaseTokenOf(task.id)) ?? leaseToken.trim();
  return {
    action: spec.name,
    ...(comment.trim() === "" ? {} : { comment }),
    ...(Object.keys(payload).length === 0 ? {} : { payload }),
    ...(token === "" ? {} : { lease_token: token }),
    ...(spec.expected_row_version === "required" && task ? { expected_row_version: task.row_version } : {}),
  };
}

/** The same for an action that needs no answers; null where something is to be asked first. */
export function moveWithoutAsking(lifecycle: Lifecycle, task: Subject, action: string): Move | null {
  const spec = actionOf(lifecycle, action);
  if (!spec || spec.comment === "required" || fieldsOf(spec.input).length > 0) return null;
  if (spec.lease_token === "required" && leaseTokenOf(task.id) === null) return null;
  // What takes the task away for good is not done by one slip of the hand.
  const takesAway = lifecycle.rules.some(
    (rule) => rule.action === action && rule.effects.includes("remove_task"),
  );
  return takesAway ? null : wholeMove(spec, task);
}
