import { client } from "../../data/client.ts";
import type { Lifecycle, Task } from "../../data/client.ts";
import type { Move } from "../../tasks/act.ts";
import { keepLeaseToken } from "../../tasks/lease-tokens.ts";
import { actionOf, wholeMove } from "../../tasks/whole-move.ts";
import type { Refused } from "../../texts/refusals-ru.ts";

/** What became of one of many. */
export type Result = { task: Task; moved: Task } | { task: Task; detail: string };

type Speech = { refusal: (refused: Refused) => string; problem: (problem: unknown) => string };

/** How many go in one request: the server takes more, but then nobody sees that anything happens. */
const AT_ONCE = 100;

/** Does the same to each of them, and tells of each what came of it. Rejects only where nothing was done at all. */
export async function moveAll(
  lifecycle: Lifecycle,
  tasks: readonly Task[],
  move: Move,
  say: Speech,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < tasks.length; at += AT_ONCE) {
    const some = tasks.slice(at, at + AT_ONCE);
    try {
      results.push(...(await moveSome(lifecycle, some, move, say)));
    } catch (error) {
      if (at === 0) throw error;
      const detail = say.problem(error);
      return [...results, ...tasks.slice(at).map((task) => ({ task, detail }))];
    }
  }
  return results;
}

async function moveSome(
  lifecycle: Lifecycle,
  tasks: readonly Task[],
  move: Move,
  say: Speech,
): Promise<Result[]> {
  const spec = actionOf(lifecycle, move.action);
  const answers = await client.moveTasks(
    tasks.map((task) => ({ ...move, ...(spec ? wholeMove(spec, task) : {}), id: task.id })),
  );
  return answers.map((answer, index): Result => {
    const task = tasks[index] as Task;
    if (!("outcome" in answer)) return { task, detail: say.refusal({ ...answer, params: answer }) };
    const { task: moved, lease_token } = answer as { task: Task; lease_token: string | null };
    keepLeaseToken(task.id, lease_token);
    return { task, moved };
  });
}
