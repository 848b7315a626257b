import { readdir, readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { ann, cat, openDesk } from "./desk.ts";

const desk = await openDesk({ statementTimeoutMs: 300, patienceMs: 1_000 });
const task = { lifecycle: "board", title: "Write it", description: "all" };

// Rule 9: one transaction touches one org, so the tables can be spread by org_id with the same statements.
test("every key and every index begins with org_id", async () => {
  const rows = await desk.sql<{ index: string; first: string }[]>`
    select i.relname as index, a.attname as first
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
    where t.relnamespace = 'pawl'::regnamespace
      and t.relname not in ('org', 'migration', 'lifecycle', 'declared_transition')`;
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => row.first !== "org_id")).toEqual([]);
});

test("every statement names its org, but for those that look for orgs or at no rows at all", async () => {
  const folder = new URL("../../src/engine/sql/", import.meta.url);
  // What lifecycles declare holds for all orgs; so do the question which orgs there is something to do for, and the
  // figures that whoever runs the server is told.
  const files = [
    "save-lifecycle.ts",
    "find-stranded.ts",
    "count-tasks.ts",
    "tell-commits.ts",
    "examine-database.ts",
    // Read the catalogue, and the table of migrations.
    "read-rights.ts",
    "read-migrations.ts",
    "read-schema-objects.ts",
    // Of one org by its name, and there is no way to say another.
    "demo.ts",
  ];
  const free = [
    "READ_CLOCK",
    "HOLD_MARK",
    "PASS_CLAIMS",
    "ORGS_WITH_DUE_TASKS",
    "ORGS_WITH_OUTDATED",
    "PLAN_ANEW",
    "TASK_COLUMNS",
  ];
  let statements = 0;
  for (const file of (await readdir(folder)).filter((name) => !files.includes(name))) {
    const text = await readFile(new URL(file, folder), "utf8");
    for (const [, name = "", sql = ""] of text.matchAll(
      /const (\w+) = (?:\([^)]*\) => |statement\()?`([^`]*)`/g,
    )) {
      if (free.includes(name)) continue;
      statements++;
      expect(
        /org_id = (\$1|:org_id)|org_id,|o\.id = \$1|org set .* where id = \$1/s.test(sql),
        `${file}: ${name}`,
      ).toBe(true);
    }
  }
  expect(statements).toBeGreaterThan(60);
});

test("what lies in one org does not exist in another, under the same ids of members and projects", async () => {
  await createOrg(desk.sql, "other");
  const there = { org_id: "other", actor: ann };
  const mine = await desk.make(cat, "board", task);
  const made = await desk.engine.create({ org_id: "other", actor: cat }, [task], {
    client_event_id: "same key",
  });
  await desk.engine.create(desk.by(cat), [{ ...task, title: "Another" }], { client_event_id: "same key" });
  expect(made.kind).toBe("created");
  const claim = { task_id: mine.id, action: "claim", comment: "x" };
  expect(await desk.engine.perform(there, claim)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect(await desk.engine.find(there, mine.id)).toMatchObject({ code: "TASK_NOT_FOUND" });
  expect((await desk.engine.list(there)).tasks.map(({ org_id }) => org_id)).toEqual(["other"]);
  expect((await desk.engine.feed(there, { after: 0 })).map(({ task_id }) => task_id)).not.toContain(mine.id);
  expect(await desk.engine.create(there, [{ ...task, blocked_by: [mine.id] }])).toMatchObject({
    code: "VALIDATION_ERROR",
  });
  const claimed = await desk.engine.claim(there, { lifecycle: "board", limit: 100, comment: "x" });
  expect(claimed).toMatchObject({ kind: "claimed", tasks: [{ task: { org_id: "other" } }] });
});

// Rule 11: every query has a timeout, every list a limit.
test("a command whose row stays locked is given up with UNAVAILABLE, and the engine goes on", async () => {
  const held = await desk.make(cat, "board", task);
  const claim = { task_id: held.id, action: "claim", comment: "x" };
  const other = connect(desk.url, { maxConnections: 1 });
  onTestFinished(() => other.end({ timeout: 5 }));
  await other.begin(async (tx) => {
    await tx`select from pawl.task where id = ${held.id} for update`;
    await expect(desk.engine.perform(desk.by(ann), claim)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
  expect(await desk.engine.perform(desk.by(ann), claim)).toMatchObject({ outcome: "moved" });
});

test.each([[10_000], [200]])("a list of %s rows is a page of 200 at most", async (limit) => {
  const tasks = Array.from({ length: 250 }, () => task);
  await desk.engine.create(desk.by(cat), tasks);
  const page = await desk.engine.list(desk.by(cat), { limit });
  expect(page.tasks).toHaveLength(200);
  expect(page.cursor).not.toBeNull();
  expect(await desk.engine.feed(desk.by(cat), { after: 0, limit })).toHaveLength(200);
});

test.each([[0], [-1], [NaN], [1.5], [Infinity]])(
  "a limit of %s is refused with a sentence",
  async (limit) => {
    await expect(desk.engine.list(desk.by(cat), { limit })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await expect(desk.engine.feed(desk.by(cat), { after: 0, limit })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    expect(await desk.engine.claim(desk.by(cat), { lifecycle: "board", limit, comment: "x" })).toMatchObject({
      code: "VALIDATION_ERROR",
    });
  },
);
