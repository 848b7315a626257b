import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { fromPg } from "../../src/adapters/pg.ts";
import { isRefusal, openPawl, PawlError } from "../../src/main/index.ts";
import type { Caller, WorkOptions } from "../../src/main/index.ts";
import { board } from "../../src/lifecycles/board/index.ts";
import { query } from "../../src/plugin/index.ts";
import type { WorkerEvent } from "../../src/worker/index.ts";
import { until } from "../support/until.ts";
import { newDatabase, note, parcel, QUIET } from "./parcel.ts";

const url = await newDatabase();
const options = { url, plugins: [parcel, note], ...QUIET } as const;

/** Opens a node with a member for workers; it is closed at the end of the test. */
async function open(more: { onFault?: (error: unknown) => void } = {}) {
  const pawl = await openPawl({ ...options, ...more });
  onTestFinished(() => pawl.close({ graceMs: 0 }));
  await pawl.createMember({ id: "wanda", kind: "worker", roles: ["worker"] });
  const caller = await pawl.as("wanda");
  const add = async (count: number) => {
    const tasks = Array.from({ length: count }, (_, n) => ({
      lifecycle: "parcel" as const,
      title: `Parcel ${n}`,
      address: "Main Street 1",
    }));
    const created = await pawl.create(caller, tasks);
    if (isRefusal(created)) throw new Error(created.detail);
    return created.tasks.map(({ id }) => id);
  };
  const status = async (id: string) => {
    const task = await pawl.find(caller, id);
    return isRefusal(task) ? task.code : task.status;
  };
  return { pawl, caller, add, status };
}

const AS_WANDA: WorkOptions<typeof parcel> = {
  as: "wanda",
  failed: ({ message }) => ({ action: "give_up", comment: message }),
  abortGraceMs: 1_000,
};

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });
}

test("pawl.work runs tasks in the process, woken by their creation, and reports failures", async () => {
  const { pawl, add, status } = await open();
  const worker = await pawl.work(
    "parcel",
    (task) => {
      if (task.title === "Parcel 1") throw new Error("no tape");
      return Promise.resolve({ action: "pack", payload: { label: task.data.address } });
    },
    { ...AS_WANDA, concurrency: 4 },
  );
  // The worker is waiting by now, so the tasks are claimed because of the commit, before the next poll.
  await pause(100);
  const ids = await add(3);
  await until(async () => (await Promise.all(ids.map(status))).join() === "packed,failed,packed");
  await worker.stop();
});

test("close lets runs finish, aborts those that take too long, and gives their tasks back", async () => {
  const { pawl, add, status } = await open();
  const other = await open();
  const [quick = "", slow = ""] = await add(2);
  const reasons: unknown[] = [];
  let started = 0;
  await pawl.work(
    "parcel",
    async ({ id }, { signal }) => {
      started++;
      if (id === quick) return pause(100, { action: "pack", payload: { label: "x" } } as const);
      return untilAborted(signal).catch((error: unknown) => {
        reasons.push(error);
        throw error;
      });
    },
    { ...AS_WANDA, concurrency: 2 },
  );
  await until(() => started === 2);
  expect(await status(slow)).toBe("packing");
  await pawl.close({ graceMs: 500 });
  onTestFinished(() => takeAll(other.pawl, other.caller));
  expect(reasons).toMatchObject([{ name: "RunEnded", why: "stop" }]);
  expect(await other.status(quick)).toBe("packed");
  expect(await other.status(slow)).toBe("waiting");
  await expect(pawl.work("parcel", () => Promise.resolve(undefined), AS_WANDA)).rejects.toThrow();
});

test("a run whose lease ends is aborted, and another worker takes the task", async () => {
  const { pawl, add, status } = await open();
  const [id = ""] = await add(1);
  const events: WorkerEvent["kind"][] = [];
  let runs = 0;
  await pawl.work(
    "parcel",
    async (task, { signal }) => {
      if (task.id === id && ++runs === 1) return untilAborted(signal);
      return { action: "pack", payload: { label: "second" } };
    },
    { ...AS_WANDA, onEvent: ({ kind }) => events.push(kind) },
  );
  await until(() => runs === 1);
  // Like the sweep of another node after the worker has been silent for longer than its lease.
  await pawl.sweep({ now: Date.now() + 120_000 });
  await until(async () => (await status(id)) === "packed");
  expect(events.filter((kind) => kind === "lost")).toHaveLength(1);
  expect(runs).toBe(2);
});

test("a handler that blocks the event loop for longer than its lease loses the task and is aborted", async () => {
  const { pawl, caller, add } = await open();
  await pawl.client({ ...caller, actor: { ...caller.actor, roles: ["admin"] } }).changeProject({
    id: "main",
    settings: { parcel: { lease_seconds: 1 } },
  });
  onTestFinished(() =>
    pawl.engine.transaction(async (tx) => {
      await query(tx, "update pawl.project set settings = '{}' where org_id = 'main' and id = 'main'", []);
    }),
  );
  const [id = ""] = await add(1);
  const ended: unknown[] = [];
  const worker = await pawl.work(
    "parcel",
    async (_, { signal }) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
      await untilAborted(signal).catch((error: unknown) => ended.push(error));
      return undefined;
    },
    { ...AS_WANDA, prefetch: 0 },
  );
  await until(() => ended.length === 1);
  expect(ended).toMatchObject([{ name: "RunEnded", why: "lease" }]);
  await worker.stop({ graceMs: 0 });
  await pawl.sweep({ now: Date.now() + 120_000 });
  expect(await pawl.find(caller, id)).toMatchObject({ status: "waiting", assigned_to: null });
  await takeAll(pawl, caller);
});

test("the task is finished in the transaction of the handler's own writes, or neither is", async () => {
  const { pawl, caller, add, status } = await open();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  onTestFinished(() => pool.end());
  await pool.query("create table shipment (parcel_id uuid primary key)");
  const [id = "", broken = ""] = await add(2);
  const worker = await pawl.work(
    "parcel",
    async (task, { leaseToken }) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await client.query("insert into shipment values ($1)", [task.id]);
        const payload = { label: task.id === broken ? "" : "x" };
        const request = { task_id: task.id, action: "pack", payload, lease_token: leaseToken } as const;
        const packed = await pawl.perform(caller, request, { tx: fromPg(client) });
        if (isRefusal(packed)) throw new PawlError(packed.code, packed.detail);
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
      return undefined;
    },
    AS_WANDA,
  );
  await until(async () => `${await status(id)} ${await status(broken)}` === "packed failed");
  await worker.stop();
  expect((await pool.query("select parcel_id from shipment")).rows).toEqual([{ parcel_id: id }]);
});

test("a member that becomes inactive claims nothing more, and the reason is reported", async () => {
  const faults: unknown[] = [];
  const { pawl, add, status } = await open({ onFault: (error) => faults.push(error) });
  await pawl.createMember({ id: "ivan", kind: "worker", roles: ["worker"] });
  const worker = await pawl.work("parcel", () => Promise.resolve(undefined), {
    ...AS_WANDA,
    as: "ivan",
    waitSeconds: 1,
  });
  await pawl.directory.changeMember(pawl.asSystem(), "ivan", { active: false });
  await expect(worker.finished).rejects.toMatchObject({ code: "MEMBER_INACTIVE" });
  await until(() => faults.length === 1);
  const [id = ""] = await add(1);
  expect(await status(id)).toBe("waiting");
});

test.each([
  [
    "parcle",
    "wanda",
    { code: "UNKNOWN_LIFECYCLE", message: 'There is no lifecycle "parcle"; did you mean "parcel"?' },
  ],
  [
    "note",
    "wanda",
    { code: "INVALID_LIFECYCLE", message: 'Lifecycle "note" has no pool to claim from: declare `pool`.' },
  ],
  ["parcel", "nobody", { code: "NOT_FOUND" }],
])("a worker on %s as %s does not start", async (name, as, refusal) => {
  const { pawl } = await open();
  // The name is known only at run time.
  const lifecycle: { name: string } = { name };
  const started = pawl.work(lifecycle, () => Promise.resolve(undefined), { as, failed: () => null });
  await expect(started).rejects.toMatchObject(refusal);
});

test("a worker that no claim would be granted to does not start", async () => {
  const pawl = await openPawl({ ...options, plugins: [parcel, board] });
  onTestFinished(() => pawl.close());
  await pawl.createMember({ id: "wanda", kind: "worker", roles: ["worker"] });
  await pawl.createMember({ id: "vera", roles: ["viewer"] });
  const work = (name: "parcel" | "board", as: string) =>
    pawl.work({ name }, () => Promise.resolve(undefined), { as, failed: () => null });
  await expect(work("board", "wanda")).rejects.toMatchObject({
    code: "COMMENT_REQUIRED",
    message:
      'No worker can claim from "board": "claim" needs a comment that gives the reason, and workers send none.',
  });
  await expect(work("parcel", "vera")).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: expect.stringMatching(/^No worker can claim from "parcel": .*viewer/) as string,
  });
});

test("without onFault, a worker that can no longer claim ends with a warning of the process", async () => {
  const { pawl } = await open();
  await pawl.createMember({ id: "olga", kind: "worker", roles: ["worker"] });
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  await pawl.work("parcel", () => Promise.resolve(undefined), { ...AS_WANDA, as: "olga", waitSeconds: 1 });
  await pawl.directory.changeMember(pawl.asSystem(), "olga", { active: false });
  await until(() => warnings.some(({ name }) => name === "PawlWarning"));
  expect(warnings.find(({ name }) => name === "PawlWarning")?.message).toMatch(
    /^The worker on "parcel" has ended: .*"olga" is inactive/,
  );
});

test.each<[string, unknown[], RegExp]>([
  [
    "options",
    ["parcel", () => undefined],
    /^pawl\.work needs the member that claims the tasks: `as: "wanda"`/,
  ],
  ["a member", ["parcel", () => undefined, { failed: () => null }], /^pawl\.work needs the member/],
  [
    "a caller that is awaited",
    ["parcel", () => undefined, { as: Promise.resolve() }],
    /^pawl\.work needs the member/,
  ],
  ["a function", ["parcel", undefined, { as: "wanda", failed: () => null }], /^run must be a function/],
  ["`failed`", ["parcel", () => undefined, { as: "wanda" }], /^failed must be a function/],
  ["a lifecycle", [], /^There is no lifecycle "undefined"/],
])("pawl.work without %s names the mistake", async (_, given, expected) => {
  const { pawl } = await open();
  const work = pawl.work as (...args: unknown[]) => Promise<unknown>;
  await expect(work(...given)).rejects.toThrow(expected);
});

/** Claims the tasks that a test has left, so that other tests do not get them. */
async function takeAll(pawl: Awaited<ReturnType<typeof open>>["pawl"], caller: Caller) {
  await pawl.claim(caller, { lifecycle: "parcel", limit: 100 });
}
