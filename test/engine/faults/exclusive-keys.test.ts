// If rule 3 (an exclusive key is an index) is broken, one owner gets two tasks here; if rule 4 (keys are decided in order of
// arrival, and a violation fails only its own command) is broken, other commands fail.
import { expect, test } from "vitest";
import type { Actor } from "../../../src/core/index.ts";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import { member } from "../../support/situation.ts";
import { cat, openTestEngine } from "../test-engine.ts";
import type { TestEngine } from "../test-engine.ts";
import { inParallel, expectIntegrity, createTasks, pick, tally, outcomeOf } from "./nodes.ts";
import type { Node } from "./nodes.ts";

const env: TestEngine = await openTestEngine();
const nodes = [env.engine, env.node(), env.node(), env.node()];

function take(node: Node, actor: Actor, task: PublicTask) {
  return node.perform(env.by(actor), {
    task_id: task.id,
    action: "self_assign",
    expected_row_version: 1,
    client_event_id: crypto.randomUUID(),
  });
}

test.each([
  ["one batch", () => nodes.slice(0, 1), 40],
  ["the batches of four nodes", () => nodes, 40],
])(
  "an owner that takes twenty tasks in %s gets one, and others in the batch get theirs",
  async (_, nodesOf, times) => {
    for (let round = 0; round < times; round++) {
      const tasks = await createTasks(
        env,
        cat,
        Array.from({ length: 30 }, (__, index) => ({ lifecycle: "planner", title: `Task ${index}` })),
      );
      const greedy = member(`greedy ${crypto.randomUUID()}`, ["executor"], { skill_level: 9 });
      const answers = await inParallel(30, (index) => {
        // Every third command is from another member.
        const actor =
          index % 3 === 0
            ? member(`modest ${crypto.randomUUID()}`, ["executor"], { skill_level: 9 })
            : greedy;
        return take(pick(nodesOf(), index), actor, pick(tasks, index));
      });
      const outcomes = answers.map(outcomeOf);
      expect(tally(outcomes.filter((__, index) => index % 3 === 0))).toEqual({ performed: 10 });
      expect(tally(outcomes.filter((__, index) => index % 3 !== 0))).toEqual({ performed: 1, WIP_LIMIT: 19 });
      const [held] = await env.sql<{ tasks: number }[]>`
        select count(*)::int as tasks from pawl.task where assigned_to = ${greedy.id ?? ""}`;
      expect(held?.tasks).toBe(1);
    }
    await expectIntegrity(env);
  },
);
