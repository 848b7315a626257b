import { client } from "../../data/client.ts";
import type { Lifecycle, Task } from "../../data/client.ts";
import type { MoveRequest } from "../../tasks/use-move.ts";
import { keepLeaseToken } from "../../tasks/lease-tokens.ts";
import { actionOf, buildMove } from "../../tasks/build-move.ts";
import type { RefusalReply } from "../../texts/refusals-ru.ts";

/** Result for one task of a bulk action. */
export type MoveResult = { task: Task; moved: Task } | { task: Task; detail: string };

type RefusalTexts = { refusal: (refused: RefusalReply) => string; problem: (problem: unknown) => string };

/** Tasks per request: the server accepts more, but smaller requests show progress. */
const BATCH_SIZE = 100;

/** Runs an action on each task and returns the result of each. Rejects only if the first request fails. */
export async function moveAll(
  lifecycle: Lifecycle,
  tasks: readonly Task[],
  move: MoveRequest,
  texts: RefusalTexts,
): Promise<MoveResult[]> {
  const results: MoveResult[] = [];
  for (let at = 0; at < tasks.length; at += BATCH_SIZE) {
    const batch = tasks.slice(at, at + BATCH_SIZE);
    try {
      results.push(...(await moveBatch(lifecycle, batch, move, texts)));
    } catch (error) {
      if (at === 0) throw error;
      const detail = texts.problem(error);
      return [...results, ...tasks.slice(at).map((task) => ({ task, detail }))];
    }
  }
  return results;
}

async function moveBatch(
  lifecycle: Lifecycle,
  tasks: readonly Task[],
  move: MoveRequest,
  texts: RefusalTexts,
): Promise<MoveResult[]> {
  const spec = actionOf(lifecycle, move.action);
  const answers = await client.moveTasks(
    tasks.map((task) => ({ ...move, ...(spec ? buildMove(spec, task) : {}), id: task.id })),
  );
  return answers.map((answer, index): MoveResult => {
    const task = tasks[index] as Task;
    if (!("outcome" in answer)) return { task, detail: texts.refusal({ ...answer, params: answer }) };
    const { task: moved, lease_token } = answer as { task: Task; lease_token: string | null };
    keepLeaseToken(task.id, lease_token);
    return { task, moved };
  });
}
