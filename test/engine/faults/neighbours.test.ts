// Breaking rule 4 fails here: what one command does to the database fails the whole batch.
import { expect, test } from "vitest";
import { ann, openDesk } from "../desk.ts";
import { allOf, expectSound, makeTasks, pick, tally, wordOf } from "./nodes.ts";

const desk = await openDesk({
  parts: {
    delivery: {
      facts: { user: (_, __, asks) => Promise.resolve(asks.map(() => ({ status: "ACTIVE" }))) },
    },
  },
});

test("a text that PostgreSQL cannot hold is refused, and the neighbours in its batch are served", async () => {
  const tasks = await makeTasks(
    desk,
    ann,
    Array.from({ length: 50 }, (_, index) => ({
      lifecycle: "board",
      title: `Task ${index} of`,
      description: "-",
    })),
  );
  for (let round = 0; round < 20; round++) {
    const answers = await allOf(50, (index) =>
      desk.engine.perform(desk.by(ann), {
        task_id: pick(tasks, index).id,
        action: "comment",
        comment: index === round ? "a NUL: \u0000" : "well",
      }),
    );
    expect(tally(answers.map(wordOf))).toEqual({ performed: 49, VALIDATION_ERROR: 1 });
    expect(wordOf(pick(answers, round))).toBe("VALIDATION_ERROR");
  }
  await expectSound(desk);
});

test("a creation that PostgreSQL cannot hold is refused, and the neighbours in its batch are made", async () => {
  const answers = await allOf(50, (index) =>
    desk.engine.create(desk.by(ann), [
      { lifecycle: "code", title: index === 7 ? "a NUL: \u0000" : `Task ${index}` },
    ]),
  );
  expect(tally(answers.map(wordOf))).toEqual({ created: 49, VALIDATION_ERROR: 1 });
  await expectSound(desk);
});

test("one key of a job that many tap at once makes one job, beside the neighbours' own", async () => {
  const nodes = [desk.engine, desk.node(), desk.node()];
  const bot = { ...ann, roles: ["agent", "admin"] };
  for (let round = 0; round < 50; round++) {
    const answers = await allOf(20, (index) =>
      pick(nodes, index).create(desk.by(bot), [
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
  await expectSound(desk);
});
