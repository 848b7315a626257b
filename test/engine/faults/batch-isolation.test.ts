// Fails if rule 4 is broken: an error of one command fails the whole batch.
import { expect, test } from "vitest";
import { ann, openTestEngine } from "../test-engine.ts";
import { inParallel, expectIntegrity, createTasks, pick, tally, outcomeOf } from "./nodes.ts";

const env = await openTestEngine({
  parts: {
    delivery: {
      facts: { user: (_, __, asks) => Promise.resolve(asks.map(() => ({ status: "ACTIVE" }))) },
    },
  },
});

test("a string that PostgreSQL cannot store is refused, and the other commands in its batch succeed", async () => {
  const tasks = await createTasks(
    env,
    ann,
    Array.from({ length: 50 }, (_, index) => ({
      lifecycle: "board",
      title: `Task ${index} of`,
      description: "-",
    })),
  );
  for (let round = 0; round < 20; round++) {
    const answers = await inParallel(50, (index) =>
      env.engine.perform(env.by(ann), {
        task_id: pick(tasks, index).id,
        action: "comment",
        comment: index === round ? "a NUL: \u0000" : "well",
      }),
    );
    expect(tally(answers.map(outcomeOf))).toEqual({ performed: 49, VALIDATION_ERROR: 1 });
    expect(outcomeOf(pick(answers, round))).toBe("VALIDATION_ERROR");
  }
  await expectIntegrity(env);
});

test("a creation that PostgreSQL cannot store is refused, and the others in its batch succeed", async () => {
  const answers = await inParallel(50, (index) =>
    env.engine.create(env.by(ann), [
      { lifecycle: "code", title: index === 7 ? "a NUL: \u0000" : `Task ${index}` },
    ]),
  );
  expect(tally(answers.map(outcomeOf))).toEqual({ created: 49, VALIDATION_ERROR: 1 });
  await expectIntegrity(env);
});

test("concurrent creations with one dedupe key create one job, and the others in the batch create theirs", async () => {
  const nodes = [env.engine, env.node(), env.node()];
  const bot = { ...ann, roles: ["agent", "admin"] };
  for (let round = 0; round < 50; round++) {
    const answers = await inParallel(20, (index) =>
      pick(nodes, index).create(env.by(bot), [
        {
          lifecycle: "delivery",
          user_id: "u",
          file_id: "f",
          chat_id: "c",
          request_nonce: index % 2 === 0 ? `tap ${round}` : `tap ${round} of ${index}`,
        },
      ]),
    );
    const ids = answers.map((answer) => (answer.kind === "created" ? answer.tasks[0]?.id : answer.code));
    expect(new Set(ids.filter((_, index) => index % 2 === 0)).size).toBe(1);
    expect(new Set(ids.filter((_, index) => index % 2 !== 0)).size).toBe(10);
    const first = answers.filter((answer) => answer.kind === "created" && answer.existing[0] === false);
    expect(first.length).toBe(11);
  }
  await expectIntegrity(env);
});
