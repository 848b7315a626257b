// Equivalent requests with one key are one request, whatever their form.
import { beforeAll, describe, expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { JsonObject, PublicTask } from "../../../src/main/index.ts";
import { ann, as, bob, cat, createJobs, openCluster, times, outcomeOf } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
const caller = as(ann);
let keys = 0;
const newKey = () => `meaning ${keys++}`;

let pool: PublicTask[] = [];
beforeAll(async () => {
  await first.createProject({ id: "other" });
  pool = await createJobs(
    first,
    times(60, () => ({ priority: 5 })),
  );
});

/** Sends the requests with one key alternately to two nodes, the last one after a change of the task. */
async function answersTo<Request, Answer>(
  requests: readonly Request[],
  send: (node: ClusterNode, request: Request, key: string) => Promise<Answer>,
  moveOn: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Answer[]> {
  const key = newKey();
  const answers: Answer[] = [];
  for (const [index, request] of requests.entries()) {
    if (index === requests.length - 1) await moveOn();
    answers.push(await send(index % 2 === 0 ? first : second, request, key));
  }
  return answers;
}

/** Expects that all answers equal the first, and that all but the first are marked as replays. */
function expectFirstAnswer(answers: readonly { kind: string }[]): void {
  const [answer, ...replays] = answers as { kind: string; replayed: boolean }[];
  expect(answer).toMatchObject({ replayed: false });
  for (const replay of replays) expect(replay).toEqual({ ...answer!, replayed: true });
}

async function eventsWithKey(): Promise<number> {
  const key = `meaning ${keys - 1}`;
  return (await sql`select from pawl.event where client_event_id = ${key}`).length;
}

type Perform = JsonObject & { action: string };

const SAME_COMMANDS: Record<string, Perform[]> = {
  "with and without an empty payload": [
    { action: "close" },
    { action: "close", payload: {} },
    { action: "close", payload: null },
    { action: "close", payload: undefined },
  ],
  "with fields that the action does not have": [
    { action: "paint", payload: { color: "blue" } },
    { action: "paint", payload: { color: "blue", shade: "dark", more: { deep: [1] } } },
  ],
  "with a default left out or given": [
    { action: "paint" },
    { action: "paint", payload: {} },
    { action: "paint", payload: { color: "red" } },
    { action: "paint", payload: { color: "red", shade: "dark" } },
  ],
  "with a comment that is absent or blank": [
    { action: "paint" },
    { action: "paint", comment: null },
    { action: "paint", comment: "" },
    { action: "paint", comment: "  " },
  ],
  "with and without the lifecycle's name": [
    { action: "paint", payload: { color: "green" } },
    { action: "paint", payload: { color: "green" }, lifecycle: "job" },
  ],
  "with fields that no command has": [
    { action: "paint" },
    { action: "paint", shade: "dark", project_id: "other" },
  ],
  "with other versions expected": [
    { action: "paint", expected_row_version: 1 },
    { action: "paint", expected_row_version: 2 },
    { action: "paint" },
  ],
  "with blanks around the comment": [
    { action: "paint", comment: "so" },
    { action: "paint", comment: " so " },
  ],
};

describe("a command repeated with its key", () => {
  test.each(Object.entries(SAME_COMMANDS))("%s gets the first answer", async (_, requests) => {
    const [task] = (await createJobs(first, [{}])) as [PublicTask];
    const answers = await answersTo(
      requests,
      (node, request, client_event_id) =>
        node.perform(caller, { ...request, task_id: task.id, client_event_id }),
      () => first.perform(caller, { task_id: task.id, action: "drop" }),
    );
    expectFirstAnswer(answers);
    expect(await eventsWithKey()).toBe(1);
  });

  test("and the task's id in capitals gets the first answer", async () => {
    const [task] = (await createJobs(first, [{}])) as [PublicTask];
    const ids = [task.id, task.id.toUpperCase()];
    const send = (node: ClusterNode, task_id: string, client_event_id: string) =>
      node.perform(caller, { task_id, action: "paint", client_event_id });
    expectFirstAnswer(await answersTo(ids, send));
  });

  test("but another action, comment, payload, task or member is a conflict", async () => {
    const [task, other] = (await createJobs(first, [{}, {}])) as [PublicTask, PublicTask];
    const request = { task_id: task.id, action: "paint", payload: { color: "red" }, comment: "so" };
    const others = [
      { ...request, action: "drop" },
      { ...request, action: "hold", payload: { hold_id: crypto.randomUUID() } },
      { ...request, comment: "not so" },
      { ...request, comment: null },
      { ...request, payload: { color: "blue" } },
      { ...request, task_id: other.id },
    ];
    const send = (node: ClusterNode, one: typeof request, client_event_id: string) =>
      node.perform(caller, { ...one, client_event_id });
    const answers = await answersTo([request, ...(others as (typeof request)[])], send);
    const stranger = await second.perform(as(bob), { ...request, client_event_id: `meaning ${keys - 1}` });
    expect([...answers, stranger].map(outcomeOf)).toEqual([
      "performed",
      ...times(7, () => "IDEMPOTENCY_CONFLICT"),
    ]);
    expect(await eventsWithKey()).toBe(1);
  });

  test("is decided again if it was refused before", async () => {
    const [task] = (await createJobs(first, [{}])) as [PublicTask];
    const client_event_id = newKey();
    const remark = { task_id: task.id, action: "remark", client_event_id };
    expect(outcomeOf(await first.perform(caller, remark))).toBe("INVALID_TRANSITION");
    expect(outcomeOf(await second.perform(caller, remark))).toBe("INVALID_TRANSITION");
    expect(outcomeOf(await first.perform(caller, { ...remark, action: "close" }))).toBe("performed");
    expect(outcomeOf(await second.perform(caller, remark))).toBe("IDEMPOTENCY_CONFLICT");
  });
});

const SAME_CREATIONS: Record<string, JsonObject[]> = {
  "with defaults left out or given": [
    {},
    { title: "A job", priority: 0, private: false, after: [] },
    { project_id: "main", on_failure: "wait" },
    { trade: null, key: null },
  ],
  "with fields that the lifecycle does not have": [{ title: "Same" }, { title: "Same", shade: "dark" }],
  "with blanks around the title": [{ title: "Same" }, { title: " Same " }],
};

describe("a creation repeated with its key", () => {
  test.each(Object.entries(SAME_CREATIONS))("%s gets the first answer", async (_, requests) => {
    const answers = await answersTo(requests, (node, fields, client_event_id) =>
      node.create(caller, [{ lifecycle: "job", ...fields }], { client_event_id }),
    );
    expectFirstAnswer(answers);
    expect(await eventsWithKey()).toBe(1);
  });

  test("with references between its tasks gets the first answer", async () => {
    const chain = [
      { lifecycle: "job", title: "One", ref: "a" },
      { lifecycle: "job", title: "Two", after: ["a"] },
    ];
    const send = (node: ClusterNode, tasks: typeof chain, client_event_id: string) =>
      node.create(caller, tasks, { client_event_id });
    expectFirstAnswer(await answersTo([chain, chain], send));
  });

  test("but another title, project, number of tasks or member is a conflict", async () => {
    const client_event_id = newKey();
    const tasks = [{ lifecycle: "job", title: "Mine" }];
    const send = (node: ClusterNode, wanted: typeof tasks, who = caller) =>
      node.create(who, wanted, { client_event_id });
    const answers = [
      await send(first, tasks),
      await send(second, [{ lifecycle: "job", title: "Yours" }]),
      await send(first, [{ ...tasks[0]!, project_id: "other" } as (typeof tasks)[0]]),
      await send(second, [...tasks, ...tasks]),
      await send(first, tasks, as(bob)),
      await second.perform(caller, { task_id: pool[0]!.id, action: "paint", client_event_id }),
      await first.claim(caller, { lifecycle: "job", client_event_id }),
    ];
    expect(answers.map(outcomeOf)).toEqual(["created", ...times(6, () => "IDEMPOTENCY_CONFLICT")]);
    expect(await eventsWithKey()).toBe(1);
  });

  test("is decided again if it was refused before", async () => {
    const client_event_id = newKey();
    const wrong = [{ lifecycle: "job", after: [crypto.randomUUID()] }];
    expect(outcomeOf(await first.create(caller, wrong, { client_event_id }))).toBe("VALIDATION_ERROR");
    expect(outcomeOf(await second.create(caller, [{ lifecycle: "job" }], { client_event_id }))).toBe(
      "created",
    );
  });
});

const SAME_CLAIMS: Record<string, JsonObject[]> = {
  "with defaults left out or given": [
    {},
    { limit: 1 },
    { project_id: null },
    { least_priority: null, comment: null },
  ],
  "with a blank comment": [{}, { comment: "" }, { comment: " " }],
  "with fields that no claim has": [{ limit: 2 }, { limit: 2, shade: "dark" }],
};

describe("a claim repeated with its key", () => {
  test.each(Object.entries(SAME_CLAIMS))("%s gets the first answer", async (_, requests) => {
    const answers = await answersTo(requests, (node, fields, client_event_id) =>
      node.claim(caller, { lifecycle: "job", ...fields, client_event_id }),
    );
    expectFirstAnswer(answers);
    expect(answers[0]).toMatchObject({ tasks: times(await eventsWithKey(), () => ({})) });
  });

  test("but another limit, project, comment, priority or member is a conflict", async () => {
    const others = [{ limit: 2 }, { project_id: "main" }, { comment: "so" }, { least_priority: 1 }];
    const answers = await answersTo([{}, ...others], (node, fields, client_event_id) =>
      node.claim(caller, { lifecycle: "job", ...fields, client_event_id }),
    );
    const client_event_id = `meaning ${keys - 1}`;
    answers.push(await first.claim(as(cat), { lifecycle: "job", client_event_id }));
    expect(answers.map(outcomeOf)).toEqual(["claimed", ...times(5, () => "IDEMPOTENCY_CONFLICT")]);
    expect(await eventsWithKey()).toBe(1);
  });

  test("is tried again if it got no task before", async () => {
    const request = { lifecycle: "job", project_id: "other", client_event_id: newKey() };
    expect(await first.claim(caller, request)).toMatchObject({ kind: "claimed", tasks: [], replayed: false });
    const [task] = (await createJobs(first, [{ project_id: "other" }])) as [PublicTask];
    const claimed = await second.claim(caller, request);
    expect(claimed).toMatchObject({ tasks: [{ task: { id: task.id } }], replayed: false });
    expect(await first.claim(caller, request)).toEqual({ ...claimed, replayed: true });
  });
});
