import { expect, test } from "vitest";
import { openBadLine } from "../client/faulty-proxy.ts";
import { until } from "../support/until.ts";
import { DONE, startWorkerServer, START } from "./worker-server.ts";

const server = await startWorkerServer();
const { add, fetchTask, work, journal } = server;
const COMPLETED_JOURNAL = ["create", "claim", "start", "complete"];

async function projectWithLease(seconds: number): Promise<string> {
  const id = `lease-${String(seconds).replace(".", "-")}`;
  const settings = { code: { lease_seconds: seconds } };
  expect((await server.ask("POST /api/projects", { body: { id, settings } })).status).toBe(201);
  return id;
}

/** Waits until the lease of a task ends later than it did, `times` times. */
async function untilRenewed(id: string, times: number): Promise<void> {
  const ends = new Set<string>();
  await until(async () => {
    const { lease } = await fetchTask(id);
    if (lease !== null) ends.add(lease.until);
    return ends.size > times;
  });
}

test.each([3.1, 4])(
  "a lease of %d s, a third of which is a fractional number of milliseconds, is renewed",
  async (seconds) => {
    const project_id = await projectWithLease(seconds);
    const [id = ""] = await add(1, { project_id });
    const worker = work({
      project_id,
      run: async (_, { act }) => {
        await act("start", START);
        // Longer than the lease without renewals.
        await untilRenewed(id, 4);
        return DONE;
      },
    });
    await until(async () => (await fetchTask(id)).status === "completed");
    await worker.stop();
    expect(await journal(id)).toEqual(COMPLETED_JOURNAL);
    expect(worker.events.map(({ kind }) => kind)).toEqual(["claimed", "started", "finished"]);
  },
);

test("a lease longer than the maximum delay of a timer is not renewed in a tight loop", async () => {
  const line = await openBadLine(server.url);
  const project_id = await projectWithLease(100 * 86_400);
  const [id = ""] = await add(1, { project_id });
  const worker = work(
    {
      project_id,
      run: async (_, { act }) => {
        await act("start", START);
        for (let looks = 0; looks < 50; looks++) await fetchTask(id);
        return DONE;
      },
    },
    line.url,
  );
  await until(async () => (await fetchTask(id)).status === "completed");
  await worker.stop();
  expect(line.requests.filter(({ what }) => what.includes("heartbeats"))).toEqual([]);
});

test("a failed renewal is reported and retried, whatever the answer was", async () => {
  const line = await openBadLine(server.url);
  const project_id = await projectWithLease(9);
  const [id = ""] = await add(1, { project_id });
  const fates = ["cut before", "503 before", "200 before"] as const;
  let beats = 0;
  line.fate = ({ url }) => (url?.includes("heartbeats") ? (fates[beats++] ?? "pass") : "pass");
  const worker = work(
    {
      project_id,
      run: async (_, { act }) => {
        await act("start", START);
        await untilRenewed(id, 1);
        return DONE;
      },
    },
    line.url,
  );
  await until(async () => (await fetchTask(id)).status === "completed");
  await worker.stop();
  const failures = worker.events.flatMap((event) => (event.kind === "renewal_failed" ? [event.error] : []));
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^POST \/api\/heartbeats: .*(hang up|closed|reset|failed)/),
    "POST /api/heartbeats: status 503",
    expect.stringMatching(/^POST \/api\/heartbeats: .*JSON/),
  ]);
  expect(await journal(id)).toEqual(COMPLETED_JOURNAL);
});

test.each([
  ["timeoutMs", NaN],
  ["timeoutMs", 2 ** 31],
  ["graceMs", -1],
  ["mainThreadTimeoutMs", Infinity],
])("a worker whose %s is %d is not started", (option, value) => {
  expect(() => work({ [option]: value, run: () => Promise.resolve(DONE) })).toThrow(
    new RangeError(`${option} must be a number of milliseconds from 0 to 2147483647, not ${value}`),
  );
});
