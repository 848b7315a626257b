import { readdir, readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { ann, cat, openTestEngine } from "./test-engine.ts";

const env = await openTestEngine({ statementTimeoutMs: 300, retryTimeoutMs: 1_000 });
const task = { lifecycle: "board", title: "Write it", description: "all" };

// Rule 9: one transaction touches one org, so the tables can be sharded by org_id with the same statements.
test("every key and every index begins with org_id", async () => {
  const rows = await env.sql<{ index: string; first: string }[]>`
    select i.relname as index, a.attname as first
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    join pg_am m on m.oid = i.relam and m.amname = 'btree' -- GIN cannot hold an org beside an array without an extension.
    join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
    where t.relnamespace = 'pawl'::regnamespace
      and t.relname not in ('org', 'migration', 'lifecycle', 'declared_transition')`;
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => row.first !== "org_id")).toEqual([]);
});

test("every statement names its org, except those that list orgs or read no rows of an org", async () => {
  const folder = new URL("../../src/engine/sql/", import.meta.url);
  // Exceptions: declarations of lifecycles, the list of orgs with due work, and figures for the operator cover all orgs.
  const files = [
    "save-lifecycle.ts",
    "read-lifecycles.ts",
    "find-stranded.ts",
    "count-tasks.ts",
    "notify-commits.ts",
    "transaction-status.ts",
    "inspect-database.ts",
    // Read the catalogue, and the table of migrations.
    "read-rights.ts",
    "read-migrations.ts",
    "read-schema-objects.ts",
    // Works on the org `demo` only.
    "demo.ts",
  ];
  const exempt = [
    "READ_CLOCK",
    "HOLD_MARK",
    "PASS_CLAIMS",
    "ORGS_WITH_DUE_TASKS",
    "ORGS_WITH_OUTDATED",
    "ORGS_TO_ROLL_UP",
    "LIST_INBOX_GROUPS",
    "HAS_SQL_ROLE",
    "COLUMNS",
    "PLAN_ANEW",
    "TASK_COLUMNS",
  ];
  let statements = 0;
  for (const file of (await readdir(folder)).filter((name) => !files.includes(name))) {
    const text = await readFile(new URL(file, folder), "utf8");
    for (const [, name = "", sql = ""] of text.matchAll(
      /const (\w+) = (?:\([^)]*\) => |statement\()?`([^`]*)`/g,
    )) {
      // A statement that begins with another text is composed of texts that are checked themselves.
      if (exempt.includes(name) || sql.startsWith("${")) continue;
      statements++;
      expect(
        /org_id = (\$1|:org_id)|org_id,|o\.id = \$1|org set .* where id = (\$1|:org_id)/s.test(sql),
        `${file}: ${name}`,
      ).toBe(true);
    }
  }
  expect(statements).toBeGreaterThan(60);
});

test("a task of one org does not exist in another, even with the same ids of members and projects", async () => {
  await createOrg(env.sql, "other");
  const there = { org_id: "other", actor: ann };
  const mine = await env.make(cat, "board", task);
  const created = await env.engine.create({ org_id: "other", actor: cat }, [task], {
    client_event_id: "same key",
  });
  await env.engine.create(env.by(cat), [{ ...task, title: "Another" }], { client_event_id: "same key" });
  expect(created.kind).toBe("created");
  const claim = { task_id: mine.id, action: "claim", comment: "x" };
  expect(await env.engine.perform(there, claim)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect(await env.engine.find(there, mine.id)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect((await env.engine.list(there)).tasks.map(({ org_id }) => org_id)).toEqual(["other"]);
  expect((await env.engine.feed(there, { after: 0 })).map(({ task_id }) => task_id)).not.toContain(mine.id);
  expect(await env.engine.create(there, [{ ...task, blocked_by: [mine.id] }])).toMatchObject({
    code: "VALIDATION_ERROR",
  });
  const claimed = await env.engine.claim(there, { lifecycle: "board", limit: 100, comment: "x" });
  expect(claimed).toMatchObject({ kind: "claimed", tasks: [{ task: { org_id: "other" } }] });
});

// Rule 11: every query has a timeout, every list a limit.
test("a command whose row stays locked fails with UNAVAILABLE, and the engine keeps working", async () => {
  const held = await env.make(cat, "board", task);
  const claim = { task_id: held.id, action: "claim", comment: "x" };
  const other = connect(env.url, { maxConnections: 1 });
  onTestFinished(() => other.end({ timeout: 5 }));
  await other.begin(async (tx) => {
    await tx`select from pawl.task where id = ${held.id} for update`;
    await expect(env.engine.perform(env.by(ann), claim)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
  expect(await env.engine.perform(env.by(ann), claim)).toMatchObject({ outcome: "moved" });
});

test.each([[10_000], [200]])("a list with limit %s returns at most 200 rows", async (limit) => {
  const tasks = Array.from({ length: 250 }, () => task);
  await env.engine.create(env.by(cat), tasks);
  const page = await env.engine.list(env.by(cat), { limit });
  expect(page.tasks).toHaveLength(200);
  expect(page.cursor).not.toBeNull();
  expect(await env.engine.feed(env.by(cat), { after: 0, limit })).toHaveLength(200);
});

test.each([[0], [-1], [NaN], [1.5], [Infinity]])("a limit of %s is refused", async (limit) => {
  await expect(env.engine.list(env.by(cat), { limit })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  await expect(env.engine.feed(env.by(cat), { after: 0, limit })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  expect(await env.engine.claim(env.by(cat), { lifecycle: "board", limit, comment: "x" })).toMatchObject({
    code: "VALIDATION_ERROR",
  });
});
