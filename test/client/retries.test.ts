import { expect, test } from "vitest";
import { createClient, PawlProblem } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import type { board } from "../../src/lifecycles/board/lifecycle.ts";
import type { code } from "../../src/lifecycles/code/lifecycle.ts";
import { startTestServer } from "../http/test-server.ts";
import { openBadLine } from "./faulty-proxy.ts";
import type { Fate } from "./faulty-proxy.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const line = await openBadLine(server.url);
const clientOf = (token: string) =>
  createClient<typeof board | typeof code>({ url: line.url, token, timeoutMs: 2_000 });
const client = clientOf(ann);
const admin = clientOf(server.admin);
const tasks = client.lifecycle("board");

let numbers = 0;
const fields = () => ({ title: `Task ${numbers++} of many`, description: "x" });
const FAULTS: Fate[] = [
  "cut before",
  "cut after",
  "cut within",
  "503 before",
  "503 after",
  "502 after",
  "silence",
];

/** Applies these faults to the next requests; later requests pass. */
function injectFaults(...fates: Fate[]): void {
  line.requests.length = 0;
  line.fate = () => fates.shift() ?? "pass";
}

async function problemOf(promise: Promise<unknown>): Promise<PawlProblem> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PawlProblem);
  return error as PawlProblem;
}

async function countTasks(q: string): Promise<number> {
  const { tasks: found } = await createClient({ url: server.url, token: ann }).listTasks({ q });
  return found.length;
}

test.each(FAULTS)("a creation that meets “%s” happens once, with one key", async (fault) => {
  injectFaults(fault);
  const input = fields();
  const created = await tasks.create(input);
  expect(created.title).toBe(input.title);
  expect(line.requests.map(({ fate }) => fate)).toEqual([fault, "pass"]);
  expect(new Set(line.requests.map(({ key }) => key)).size).toBe(1);
  expect(line.requests[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(await countTasks(input.title)).toBe(1);
});

test.each(FAULTS)("a move that meets “%s” is in the journal once", async (fault) => {
  const { id } = await tasks.create(fields());
  injectFaults(fault);
  const { task, event } = await tasks.act(id, "claim", { comment: "mine" });
  expect(task).toMatchObject({ status: "IN_PROGRESS", row_version: 2 });
  expect(event?.id).toBe(`${id}.2`);
  expect((await tasks.journal(id)).map(({ type }) => type)).toEqual(["created", "claimed"]);
});

test.each(FAULTS)("a claim that meets “%s” takes one task and returns its lease token", async (fault) => {
  const pool = client.lifecycle("code");
  const created = await Promise.all([pool.create({ title: "Fix this" }), pool.create({ title: "Fix that" })]);
  injectFaults(fault);
  const { tasks: taken } = await pool.claim({ limit: 1, wait_seconds: 1 });
  expect(taken.map(({ lease_token }) => typeof lease_token)).toEqual(["string"]);
  const after = await Promise.all(created.map(({ id }) => pool.get(id)));
  expect(after.filter(({ lease }) => lease !== null)).toHaveLength(1);
  // Leave nothing for the next round.
  for (const { id, lease_token, lease_until } of (await pool.claim({ limit: 10 })).tasks)
    expect([id, typeof lease_token, typeof lease_until]).toEqual([id, "string", "string"]);
});

test.each(FAULTS)(
  "moves in one request that meet “%s” happen once each, with refusals in order",
  async (fault) => {
    const [one, two] = await Promise.all([tasks.create(fields()), tasks.create(fields())]);
    injectFaults(fault);
    const answers = await tasks.actAll([
      { id: one.id, action: "claim", comment: "mine" },
      { id: two.id, action: "resume", comment: "never blocked" },
      { id: two.id, action: "claim", comment: "mine" },
    ]);
    const outcomes = answers.map((one) => (one instanceof PawlProblem ? one.code : one.task.status));
    expect(outcomes).toEqual(["IN_PROGRESS", "INVALID_TRANSITION", "IN_PROGRESS"]);
    expect(await Promise.all([one, two].map(async ({ id }) => (await tasks.journal(id)).length))).toEqual([
      2, 2,
    ]);
  },
);

test.each(["createMember", "createProject"] as const)(
  "%s through several faults creates one",
  async (name) => {
    injectFaults(...FAULTS.slice(0, 4));
    const { id } = await admin[name]({ name: `one of ${name}` });
    const { members } = await admin.listMembers({ limit: 200 });
    const { projects } = await admin.listProjects({ limit: 200 });
    const created = [...members, ...projects].filter((one) => one.name === `one of ${name}`);
    expect(created.map((one) => one.id)).toEqual([id]);
  },
);

test("a key given by the caller is sent unchanged, and deduplicates a second call", async () => {
  const input = { ...fields(), client_event_id: `clé ${numbers}` };
  injectFaults("cut after");
  const first = await tasks.create(input);
  const second = await tasks.create(input);
  expect(second.id).toBe(first.id);
  expect(line.requests.every(({ key }) => key === undefined)).toBe(true);
});

test("a refusal is thrown at once, without a retry", async () => {
  const { id } = await tasks.create(fields());
  injectFaults();
  const refused = await problemOf(tasks.act(id, "complete", { comment: "done", expected_row_version: 7 }));
  expect(refused).toMatchObject({
    name: "PawlProblem",
    code: "VERSION_CONFLICT",
    status: 409,
    params: { row_version: 1, expected_row_version: 7 },
    retryAfter: null,
  });
  expect(refused.message).toBe(refused.detail);
  expect(refused.requestId).toMatch(/^[\w-]{36}$/);
  expect(line.requests).toHaveLength(1);
});

test("a call that is not idempotent is not retried", async () => {
  injectFaults("cut after");
  expect(await problemOf(admin.createToken({ id: "ann" }))).toMatchObject({ code: "UNAVAILABLE", status: 0 });
  expect(line.requests).toHaveLength(1);
});

test("a call that never succeeds fails after the configured number of retries", async () => {
  injectFaults();
  line.fate = () => "503 before";
  const few = createClient({ url: line.url, token: ann, retries: 2 });
  expect(await problemOf(few.getMe())).toMatchObject({ code: "UNAVAILABLE", status: 503, retryAfter: 0 });
  expect(line.requests).toHaveLength(3);
  line.fate = () => "cut before";
  const none = createClient({ url: line.url, token: ann, retries: 0 });
  expect(await problemOf(none.getMe())).toMatchObject({ code: "UNAVAILABLE", status: 0 });
  expect(line.requests).toHaveLength(4);
});

test("a caller that aborts gets its own reason, during an attempt and between two", async () => {
  line.fate = () => "silence";
  const reason = new Error("enough");
  const during = new AbortController();
  const waiting = client.getMe(undefined, { signal: during.signal });
  during.abort(reason);
  await expect(waiting).rejects.toBe(reason);

  const all = new AbortController();
  const abortable = createClient({ url: line.url, token: ann, signal: all.signal });
  injectFaults();
  line.fate = () => "503 before";
  const between = abortable.getMe();
  between.catch(() => undefined);
  await expect.poll(() => line.requests.length).toBeGreaterThan(0);
  all.abort(reason);
  await expect(between).rejects.toBe(reason);
  await expect(abortable.getMe()).rejects.toBe(reason);
});

test("with random faults nothing happens twice and nothing is lost", async () => {
  const fates = FAULTS.filter((fate) => fate !== "silence");
  line.fate = () => fates[Math.floor(Math.random() * fates.length * 3)] ?? "pass";
  const patient = createClient<typeof board>({ url: line.url, token: ann, retries: 30 }).lifecycle("board");
  const created = await Promise.all(
    Array.from({ length: 25 }, async () => {
      const { id } = await patient.create({ ...fields(), title: `At random ${numbers++}` });
      await patient.act(id, "claim", { comment: "mine" });
      await patient.act(id, "comment", { comment: "half done" });
      await patient.act(id, "complete", { comment: "done" });
      return id;
    }),
  );
  line.fate = () => "pass";
  const found: string[] = [];
  for await (const task of tasks.each({ q: "At random", limit: 7 })) found.push(task.id);
  expect(found.toSorted()).toEqual(created.toSorted());
  for (const id of created)
    expect((await tasks.journal(id)).map(({ action }) => action)).toEqual([
      "create",
      "claim",
      "comment",
      "complete",
    ]);
  expect((await server.testEngine.engine.verify("main")).differences).toEqual([]);
});

test("a server that is not Pawl and an unreachable server have different problems", async () => {
  const otherServer: Client = createClient({ url: `${server.url}/docs#`, retries: 0 });
  expect(await problemOf(otherServer.getMe())).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 200 });
  const unreachable = createClient({ url: "http://127.0.0.1:9", retries: 0 });
  const problem = await problemOf(unreachable.getMe());
  expect(problem).toMatchObject({ code: "UNAVAILABLE", status: 0 });
  expect(problem.detail).toContain("GET http://127.0.0.1:9/api/me");
  expect(() => createClient({ url: "nowhere" })).toThrow(TypeError);
  expect(() => createClient({ url: server.url, token: "with\na break" })).toThrow(TypeError);
});
