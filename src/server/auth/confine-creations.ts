import { isRefusal, refuse } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import type { By, Engine } from "../../engine/index.ts";

/** Who came with a token for one task creates others beside it only: of its lifecycle, in its project. */
export async function besideTask<Sent extends JsonObject & { lifecycle: string }>(
  engine: Engine,
  by: By,
  tasks: readonly Sent[],
): Promise<readonly Sent[] | Refusal> {
  if (by.confined_to?.kind !== "task") return tasks;
  const own = await engine.find(by, by.confined_to.task_id ?? "");
  if (isRefusal(own)) return own;
  const { lifecycle, project_id } = own;
  if (tasks.some((task) => task.lifecycle !== lifecycle))
    return refuse("TOKEN_CONFINED", `This token creates tasks of ${lifecycle} only.`, { lifecycle });
  return tasks.map((task) => ({ ...task, project_id }));
}
