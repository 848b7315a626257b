import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { doctorFindings } from "../../src/cli/doctor-findings.ts";
import type { DatabaseReport, InstallationReport } from "../../src/cli/cli-environment.ts";
import { connect } from "../../src/postgres/connect.ts";
import { openCliAtServer } from "./cli-at-server.ts";
import { configWith, folderWith, pawl } from "./pawl-process.ts";

const at = await openCliAtServer();
const database = { DATABASE_URL: at.databaseUrl };

test("doctor finds no problems in a healthy installation", async () => {
  const { code, stdout, stderr } = await at.cli("doctor", { env: database });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^✓ database +PostgreSQL 18/m);
  expect(stdout).toMatch(/^✓ migrations +all \d+ are applied$/m);
  expect(stdout).toMatch(/^✓ server +\S+ runs Pawl \S+; you are admin of main$/m);
  expect(stdout).toMatch(/\nFound no problems\.\n$/);
  expect(await at.ask("doctor", { env: database })).toMatchObject({ ok: true });
});

test("doctor reports problems with the set-up and how to fix them, and creates nothing", async () => {
  const cwd = await folderWith({});
  const empty = await pawl(["doctor"], { cwd });
  expect(empty.code).toBe(0);
  expect(empty.stdout).toMatch(/^! database +there is none yet\n +`pawl start` creates it\.$/m);
  expect(empty.stdout).toMatch(/^! server +No server answers at/m);
  const lost = await pawl(["doctor"], { cwd, env: { DATABASE_URL: "postgres://x@127.0.0.1:1/x" } });
  expect(lost.code).toBe(1);
  expect(lost.stdout).toMatch(/^✗ database +No PostgreSQL answers at 127\.0\.0\.1:1/m);
  const mistaken = await pawl(["doctor"], { cwd, env: { PAWL_SWEEP_SECONDS: "often" } });
  expect(mistaken.code).toBe(1);
  expect(mistaken.stdout).toMatch(/^✗ settings +PAWL_SWEEP_SECONDS is "often"/m);
  const revoked = await at.cli("doctor", { env: database, token: "unknown" });
  expect(revoked.code).toBe(1);
  expect(revoked.stdout).toMatch(/^✗ server +The server at \S+ does not know the token/m);
  await writeFile(join(cwd, "pawl.config.ts"), configWith({ name: 'name: "Letters!",' }));
  const broken = await pawl(["doctor"], { cwd });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/^✗ settings +Lifecycle "Letters!"/m);
});

const HEALTHY_DATABASE: DatabaseReport = {
  kind: "external",
  version: "18.1",
  openedInMs: 3,
  aheadMs: 10,
  migrations: { applied: 3, missing: [], unknown: [] },
  connections: { used: 5, max: 100 },
  longestTransactionSeconds: 1,
  tasks: {
    unfinished: 4,
    sweepLagSeconds: 2,
    needAttention: 0,
    orphans: [],
    waiting: [],
    waitForDeleted: 0,
    inbox: { refused: 0, waiting: 2, oldestSeconds: 1 },
  },
};
const HEALTHY_REPORT: InstallationReport = {
  settings: { mistake: null, ignored: [], config: null, lifecycles: 0 },
  node: "22.1.0",
  data: { folder: ".pawl", freeBytes: 50e9, allBytes: 100e9 },
  database: HEALTHY_DATABASE,
};
const tasks = (change: Partial<NonNullable<DatabaseReport["tasks"]>>): InstallationReport => ({
  ...HEALTHY_REPORT,
  database: { ...HEALTHY_DATABASE, tasks: { ...HEALTHY_DATABASE.tasks!, ...change } },
});
const PROBLEMS: [InstallationReport, string, "notable" | "wrong", RegExp][] = [
  [
    {
      ...HEALTHY_REPORT,
      settings: {
        ...HEALTHY_REPORT.settings,
        ignored: [{ lifecycle: "delivery", mistake: 'PAWL_DELIVERY_STORAGE is "s3"' }],
      },
    },
    "settings",
    "notable",
    /PAWL_DELIVERY_STORAGE is "s3"; the value is ignored/,
  ],
  [{ ...HEALTHY_REPORT, node: "20.18.3" }, "node", "wrong", /too old/],
  [
    { ...HEALTHY_REPORT, data: { ...HEALTHY_REPORT.data!, freeBytes: 1e9 } },
    "disk",
    "notable",
    /954 MB of 93 GB/,
  ],
  [{ ...HEALTHY_REPORT, data: { ...HEALTHY_REPORT.data!, freeBytes: 1e6 } }, "disk", "wrong", /1 MB/],
  [
    { ...HEALTHY_REPORT, database: { ...HEALTHY_DATABASE, aheadMs: -5_000 } },
    "clocks",
    "notable",
    /5 s behind/,
  ],
  [
    { ...HEALTHY_REPORT, database: { ...HEALTHY_DATABASE, aheadMs: 120_000 } },
    "clocks",
    "wrong",
    /2 min ahead of/,
  ],
  [
    { ...HEALTHY_REPORT, database: { ...HEALTHY_DATABASE, connections: { used: 99, max: 100 } } },
    "connections",
    "wrong",
    /99 of 100/,
  ],
  [
    { ...HEALTHY_REPORT, database: { ...HEALTHY_DATABASE, longestTransactionSeconds: 4_000 } },
    "transactions",
    "notable",
    /1 h/,
  ],
  [
    {
      ...HEALTHY_REPORT,
      database: { ...HEALTHY_DATABASE, migrations: { applied: 2, missing: ["0003-x"], unknown: [] } },
    },
    "migrations",
    "notable",
    /0003-x not applied/,
  ],
  [
    {
      ...HEALTHY_REPORT,
      database: { ...HEALTHY_DATABASE, migrations: { applied: 4, missing: [], unknown: ["0099-y"] } },
    },
    "migrations",
    "wrong",
    /0099-y, which this version of Pawl does not know/,
  ],
  [tasks({ sweepLagSeconds: 7_200 }), "timers", "wrong", /2 h ago and was not handled/],
  [
    tasks({ orphans: [{ lifecycle: "letters", tasks: 2 }] }),
    "tasks",
    "wrong",
    /2 unfinished tasks of "letters"/,
  ],
  [tasks({ waitForDeleted: 1 }), "tasks", "wrong", /1 task waits for a task that no longer exists/],
  [
    tasks({ inbox: { refused: 2, waiting: 0, oldestSeconds: 0 } }),
    "inbox",
    "notable",
    /2 requests from SQL refused/,
  ],
  [
    tasks({ inbox: { refused: 0, waiting: 1, oldestSeconds: 90 } }),
    "inbox",
    "wrong",
    /1 request from SQL not decided, the oldest for/,
  ],
  [tasks({ needAttention: 3 }), "tasks", "notable", /3 tasks need attention/],
  [
    tasks({ waiting: [{ lifecycle: "board", tasks: 1, oldestSeconds: 200_000 }] }),
    "tasks",
    "notable",
    /1 board task free to claim, the oldest for 2 d/,
  ],
];

test.each(PROBLEMS)("a problem has a finding and advice: %#", (report, about, state, found) => {
  const findings = doctorFindings(report).filter((one) => one.state !== "fine");
  expect(findings).toEqual([
    { about, state, found: expect.stringMatching(found) as string, advice: expect.any(String) as string },
  ]);
});

test("a healthy installation has only findings without advice", () => {
  expect(
    doctorFindings(HEALTHY_REPORT).every(({ state, advice }) => state === "fine" && advice === null),
  ).toBe(true);
});

test("doctor finds tasks of a lifecycle that is not declared, and tasks that wait for a deleted task", async () => {
  const id = await at.task("To be orphaned");
  const sql = connect(at.databaseUrl, { maxConnections: 1 });
  const other = "019f0000-0000-7000-8000-000000000000";
  try {
    await sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
      values ('main', ${id}, ${other}, 'wait', false)`;
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update pawl.task set lifecycle = 'letters' where id = ${id}`;
    });
    const { code, stdout } = await at.cli("doctor", { env: database });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✗ tasks +1 unfinished task of "letters", a lifecycle that is not declared here$/m,
    );
    expect(stdout).toMatch(/^✗ tasks +1 task waits for a task that no longer exists$/m);
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update pawl.task set lifecycle = 'board' where id = ${id}`;
      await tx`delete from pawl.dependency where task_id = ${id}`;
    });
  } finally {
    await sql.end();
  }
});

test("verify finds no difference in intact data, and names a task that was tampered with", async () => {
  const id = await at.task("To be tampered with");
  const intact = await at.cli("verify", { env: database });
  expect(intact).toMatchObject({ code: 0, stderr: "" });
  expect(intact.stdout).toMatch(/^✓ main: \d+ tasks, \d+ events: every task matches its journal\.\n$/);
  const sql = connect(at.databaseUrl, { maxConnections: 1 });
  try {
    // Only a superuser can do this: the triggers refuse any other change.
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update pawl.event set comment = 'forged' where task_id = ${id}`;
    });
  } finally {
    await sql.end();
  }
  const found = await at.cli("verify --org main", { env: database });
  expect(found.code).toBe(1);
  expect(found.stdout).toContain("1 task differs from the journal");
  expect(found.stdout).toContain(`${id} at version 1: the journal row was changed after it was written`);
  const json = await at.cli("verify --json", { env: database });
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    orgs: [{ org: "main", differences: [{ task_id: id }] }],
  });
});

test.each([
  [["verify", "--org", "nobody"], 3, 'There is no org "nobody".'],
  [["verify", "--data", "/nonexistent/pawl"], 1, "There is no database in /nonexistent/pawl yet."],
] as const)("pawl %j is refused with the exit code %i and a sentence", async (args, exitCode, message) => {
  const env = args[1] === "--org" ? database : {};
  const { code, stderr } = await pawl(args, { env });
  expect(code).toBe(exitCode);
  expect(stderr).toContain(message);
});
