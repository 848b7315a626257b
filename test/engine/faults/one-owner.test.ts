// Breaking rule 3 (an exclusive key is an index) lets one owner take two tasks here; breaking rule 4 (the key is decided
// in order of arrival, a violation fails no neighbour) fails the neighbours.
import { expect, test } from "vitest";
import type { Actor } from "../../../src/core/index.ts";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import { member } from "../../support/situation.ts";
import { cat, openDesk } from "../desk.ts";
import type { Desk } from "../desk.ts";
import { allOf, expectSound, makeTasks, pick, tally, wordOf } from "./nodes.ts";
import type { Node } from "./nodes.ts";

const desk: Desk = await openDesk();
const nodes = [desk.engine, desk.node(), desk.node(), desk.node()];

function take(node: Node, actor: Actor, task: PublicTask) {
  return node.perform(desk.by(actor), {
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
  "of twenty tasks that one owner takes in %s he gets one, and his neighbours get theirs",
  async (_, nodesOf, times) => {
    for (let round = 0; round < times; round++) {
      const tasks = await makeTasks(
        desk,
        cat,
        Array.from({ length: 30 }, (__, index) => ({ lifecycle: "planner", title: `Task ${index}` })),
      );
      const greedy = member(`greedy ${crypto.randomUUID()}`, ["executor"], { skill_level: 9 });
      const answers = await allOf(30, (index) => {
        // Every third command is a neighbour's.
        const actor =
          index % 3 === 0
            ? member(`modest ${crypto.randomUUID()}`, ["executor"], { skill_level: 9 })
            : greedy;
        return take(pick(nodesOf(), index), actor, pick(tasks, index));
      });
      const words = answers.map(wordOf);
      expect(tally(words.filter((__, index) => index % 3 === 0))).toEqual({ performed: 10 });
      expect(tally(words.filter((__, index) => index % 3 !== 0))).toEqual({ performed: 1, WIP_LIMIT: 19 });
      const [held] = await desk.sql<{ tasks: number }[]>`
        select count(*)::int as tasks from pawl.task where assigned_to = ${greedy.id ?? ""}`;
      expect(held?.tasks).toBe(1);
    }
    await expectSound(desk);
  },
);
