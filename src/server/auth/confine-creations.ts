import { isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import type { Caller, Engine } from "../../engine/index.ts";

/** Limits a token that is confined to one task to creating tasks of the same lifecycle, in the same project, with its inherited fields. */
export async function confineCreations<Sent extends JsonObject & { lifecycle: string }>(
  engine: Engine,
  caller: Caller,
  tasks: readonly Sent[],
): Promise<readonly Sent[] | Refusal> {
  if (caller.confined_to?.kind !== "task") return tasks;
  const own = await engine.find(caller, caller.confined_to.task_id ?? "");
  if (isRefusal(own)) return own;
  const { lifecycle, project_id } = own;
  if (tasks.some((task) => task.lifecycle !== lifecycle))
    return refuse(
      "TOKEN_CONFINED",
      `With this token only tasks of the lifecycle ${lifecycle} can be created.`,
      { lifecycle },
    );
  const inherited = engine.registry.lifecycles.get(lifecycle)?.creation.inherited_fields ?? [];
  const fixed = Object.fromEntries(inherited.map((name) => [name, own.data[name] ?? null]));
  return tasks.map((task) => ({ ...task, ...fixed, project_id }));
}
