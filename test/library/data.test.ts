import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { accepted, defineLifecycle, openPawl, PawlError, problemOf, refuse } from "../../src/main/index.ts";
import { newDatabase, QUIET } from "./parcel.ts";

const url = await newDatabase();

/** A lifecycle whose author has disabled the types. */
const letter = defineLifecycle({
  name: "letter",
  version: 1,
  summary: "",
  data: z.object({ to: z.string(), stamps: z.number() }),
  statuses: { open: {}, sent: { final: true } },
  actions: { send: { input: z.object({ stamps: z.number().nullable() }) } },
  creation: {
    input: z.object({ to: z.string().nullable() }),
    to: [{ status: "open" }],
    draft: ({ input }) => ({ title: "A letter", data: { to: input.to as string, stamps: 0 } }),
  },
  rules: [{ action: "send", from: "open", to: "sent", who: "anyone", effects: ["keep_stamps"] }],
  effects: { keep_stamps: ({ input }) => ({ data: { stamps: input.stamps as number } }) },
});

test("a move or creation whose data break the schema is refused with the lifecycle and the field, and changes nothing", async () => {
  const pawl = await openPawl({ url, plugins: [letter], ...QUIET });
  onTestFinished(() => pawl.close());
  await pawl.createMember({ id: "ann", roles: ["agent"] });
  const ann = await pawl.as("ann");
  expect(await pawl.create(ann, [{ lifecycle: "letter", to: null }])).toMatchObject({
    kind: "refused",
    code: "INVALID_DATA",
    detail:
      'Lifecycle "letter": the draft would store invalid data: to: Invalid input: expected string, received null',
  });
  const created = accepted(await pawl.create(ann, [{ lifecycle: "letter", to: "Bob" }]));
  const [task] = created.tasks;
  const task_id = task?.id ?? "";
  const letters = pawl.client(ann).lifecycle("letter");
  await expect(letters.act(task_id, "send", { payload: { stamps: null } })).rejects.toMatchObject({
    code: "INVALID_DATA",
    status: 422,
    params: { lifecycle: "letter", errors: [{ path: "stamps" }] },
  });
  expect(await pawl.find(ann, task_id)).toEqual(task);
  expect(await pawl.list(ann)).toMatchObject({ tasks: [{ id: task_id }] });
  expect(await pawl.perform(ann, { task_id, action: "send", payload: { stamps: 2 } })).toMatchObject({
    task: { status: "sent", data: { stamps: 2 } },
  });
});

test("accepted returns an answer, and throws a refusal with its code, detail and params", () => {
  const answer: { kind: "created" } | ReturnType<typeof refuse> = { kind: "created" };
  expect(accepted(answer)).toBe(answer);
  const own = { TOO_HEAVY: { status: 422, title: "Too heavy", next: "Remove a page." } };
  const error = caught(() => accepted(refuse("TOO_HEAVY", "It weighs 60 g.", { grams: 60 })));
  expect(error).toBeInstanceOf(PawlError);
  expect(error).toMatchObject({ code: "TOO_HEAVY", message: "It weighs 60 g.", params: { grams: 60 } });
  expect(problemOf((error as PawlError).code, own).status).toBe(422);
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
