import { afterAll, describe, expect, test } from "vitest";
import { startCommitHints } from "../../src/engine/commit-hints.ts";
import { connect } from "../../src/postgres/connect.ts";
import type { EngineObserver } from "../../src/engine/observer.ts";
import { endLeaseOf } from "../support/end-leases.ts";
import { until } from "../support/until.ts";
import { SYSTEM } from "../support/situation.ts";
import { startTestServer } from "./test-server.ts";

const HARDLY_EVER_MS = 3_600_000;

/** Number of claim attempts by project. */
const attempts = new Map<string, number>();
const observer: EngineObserver = {
  settled: ({ verb, answered }) => {
    if (verb !== "claim") return;
    for (const { command } of answered as readonly { command: { filter: { projects: [string] } } }[]) {
      const [project_id] = command.filter.projects;
      attempts.set(project_id, (attempts.get(project_id) ?? 0) + 1);
    }
  },
};
const attemptsIn = (project_id: string) => attempts.get(project_id) ?? 0;

const usual = await startTestServer({ observer });
// Here claims try once at first, and then only when notified.
const server = { claimPollMs: HARDLY_EVER_MS };
const here = await startTestServer({ sameDatabaseAs: usual, observer, server });
const there = await startTestServer({ sameDatabaseAs: usual, observer, server });
const worker = await here.member({ id: "worker", kind: "worker", roles: ["worker"] });
const lead = await here.member({ id: "lead", roles: ["lead"] });

// Nodes notify each other, as with `pawl start`.
const sql = connect(here.testEngine.url, { maxConnections: 3, ownSessions: true });
const hints = [here, there].map(({ engine }) => startCommitHints(engine.commits, sql, { listens: true }));
afterAll(async () => {
  await Promise.all(hints.map((hint) => hint.stop()));
  await sql.end({ timeout: 1 });
});

async function openProject(name: string): Promise<string> {
  await here.directory.addProject({ org_id: "main", actor: SYSTEM }, { id: name });
  return name;
}

type Claimed = { tasks: { id: string; lease_token: string }[] };
const claim = async (project_id: string, { wait_seconds = 0, at = here, path = "/api/claims" } = {}) => {
  const body = { lifecycle: "code", project_id, wait_seconds };
  const { body: claimed } = await at.ask(`POST ${path}`, { token: worker, body });
  return (claimed as Claimed).tasks;
};
const make = async (project_id: string, fields: object = {}, path = "/api/code/tasks") => {
  const body = { lifecycle: "code", title: "Mend it", project_id, ...fields };
  const { body: created } = await here.ask(`POST ${path}`, { token: lead, body });
  return created.id as string;
};
const act = (id: string, action: string, lease_token: string, payload: object = {}) =>
  here.ask(`POST /api/code/tasks/${id}/transitions`, {
    token: worker,
    body: { action, lease_token, payload },
  });
const begin = async (project_id: string) => {
  const [task] = await claim(project_id);
  const { id, lease_token } = task!;
  await act(id, "start", lease_token, { worktree: "/w", branch: "b" });
  return { id, lease_token };
};

describe.concurrent("a waiting claim", () => {
  test("polls at most every five seconds while the org is busy with other work", async () => {
    const [mine, other] = [await openProject("quiet"), await openProject("busy")];
    const waiting = Array.from({ length: 20 }, () => claim(mine, { wait_seconds: 12, at: usual }));
    for (let round = 0; round < 20; round++) {
      const id = await make(other);
      await here.ask(`POST /api/tasks/${id}/transitions`, {
        token: lead,
        body: { action: "comment", comment: "Hm" },
      });
    }
    expect((await Promise.all(waiting)).flat()).toEqual([]);
    // One attempt at the start, and one before their time is over.
    expect(attemptsIn(mine)).toBeLessThanOrEqual(20 * 2);
    expect(attemptsIn(mine)).toBeGreaterThan(20);
  });

  const WAYS: [string, (project_id: string) => Promise<() => Promise<unknown>>][] = [
    ["created by the lifecycle's own route", (project_id) => Promise.resolve(() => make(project_id))],
    [
      "created by the generic route",
      (project_id) => Promise.resolve(() => make(project_id, {}, "/api/tasks")),
    ],
    [
      "created in a batch",
      (project_id) =>
        Promise.resolve(() =>
          make(project_id, { tasks: [{ title: "One of many" }] }, "/api/code/tasks/batch"),
        ),
    ],
    [
      "whose blocker is completed",
      async (project_id) => {
        const blocker = await make(project_id);
        await make(project_id, { blocked_by: [blocker] });
        const { id, lease_token } = await begin(project_id);
        return () => act(id, "complete", lease_token, { commit: "abc" });
      },
    ],
    [
      "released by its worker",
      async (project_id) => {
        await make(project_id);
        const [task] = await claim(project_id);
        return () => act(task!.id, "release", task!.lease_token);
      },
    ],
    [
      "released by the sweep",
      async (project_id) => {
        const id = await make(project_id);
        await begin(project_id);
        return async () => {
          // Once only: ending the lease of the next holder too would make it two attempts.
          await endLeaseOf(here.sql, id);
          await until(async () => {
            await here.engine.sweep();
            return (await here.ask(`GET /api/code/tasks/${id}`)).body.attempts === 1;
          });
        };
      },
    ],
    [
      "created as a retry of a failed one",
      async (project_id) => {
        await make(project_id);
        const { id, lease_token } = await begin(project_id);
        await act(id, "fail", lease_token, { error: "no", recoverable: false });
        return () => here.ask(`POST /api/code/tasks/${id}/retry`, { token: lead, body: {} });
      },
    ],
    [
      "that becomes available",
      (project_id) =>
        Promise.resolve(() => make(project_id, { available_at: new Date(Date.now() + 1_000).toISOString() })),
    ],
  ];
  test.each(
    WAYS.flatMap(([way, prepare], n) => [
      [way, "this node", here, `way-${n}-here`, prepare] as const,
      [way, "another node", there, `way-${n}-there`, prepare] as const,
    ]),
  )("gets a task %s, within a few attempts, at %s", async (_way, _where, at, name, prepare) => {
    const project_id = await openProject(name);
    const setFree = await prepare(project_id);
    const before = attemptsIn(project_id);
    const waiting = claim(project_id, { wait_seconds: 60, at, path: "/api/code/claims" });
    await until(() => attemptsIn(project_id) === before + 1);
    await setFree();
    expect(await waiting).toHaveLength(1);
    // An attempt finds nothing while another transaction still holds the row, and is followed by one more. Polling would be many.
    expect(attemptsIn(project_id) - before).toBeLessThanOrEqual(5);
  });
});
