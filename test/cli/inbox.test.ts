import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { until } from "../support/until.ts";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();
const sql = connect(at.databaseUrl, { maxConnections: 1 });
const role = `Shop ${randomBytes(4).toString("hex")}`;
await sql.unsafe(`create role "${role}" login`);
afterAll(async () => {
  await sql.unsafe(`drop owned by "${role}"; drop role "${role}"`);
  await sql.end({ timeout: 5 });
});
await at.member("ann", "--roles", "agent", "--kind", "service");

type Listed = { requests: { id: string; state: string; key: string }[] };

async function enqueue(input: object, key: string): Promise<string> {
  return sql.begin(async (tx) => {
    await tx.unsafe(`set local role "${role}"`);
    const [row] = await tx<{ id: string }[]>`
      select pawl.enqueue(org => 'main', lifecycle => 'board', input => ${tx.json(input as never)}, key => ${key}) as id`;
    return row?.id ?? "";
  });
}

test("after `bind` and the GRANTs that it prints, a role makes requests, which the server creates or refuses", async () => {
  expect((await at.cli("inbox bindings")).stdout).toBe("No SQL role is bound to a member.\n");
  const bound = await at.cli(["inbox", "bind", role, "ann"]);
  expect(bound.code).toBe(0);
  const grants = bound.stdout.match(/grant .*;/g) ?? [];
  expect(grants).toEqual([
    `grant usage on schema pawl to "${role}";`,
    `grant execute on function pawl.enqueue to "${role}";`,
  ]);
  for (const grant of grants) await sql.unsafe(grant);
  expect((await at.cli("inbox bindings")).stdout).toMatch(new RegExp(`^${role} +ann +\\S+Z +admin$`, "m"));

  await enqueue({ title: "Pack order 1", description: "x" }, "order-1");
  const refused = await enqueue({ title: "Pack order 2", description: "x", project_id: "web" }, "order-2");
  const listed = await until(async () => {
    const { requests } = await at.ask<Listed>("inbox list");
    return requests.length === 1 && requests[0]?.state === "refused" && requests;
  });
  expect(listed).toMatchObject([{ id: refused, key: "order-2" }]);
  expect((await at.cli("tasks list")).stdout).toContain("Pack order 1");

  const { stdout } = await at.cli("inbox list --state refused");
  expect(stdout).toMatch(/^id +state +lifecycle +key +member +created +reason$/m);
  expect(stdout).toMatch(
    new RegExp(
      `^${refused} +refused +board +order-2 +ann +\\S+Z +NOT_FOUND: There is no project "web"\\.$`,
      "m",
    ),
  );
  const again = await at.cli("inbox retry --all");
  expect(again).toMatchObject({
    code: 3,
    stdout: `${refused}  refused: NOT_FOUND: There is no project "web".\n`,
  });
  await at.ask("projects add web");
  expect((await at.cli(["inbox", "retry", refused])).stdout).toMatch(
    new RegExp(`^${refused}  created task [0-9a-f-]{36}\n$`),
  );
  expect((await at.cli("inbox list")).stdout).toBe("No requests found.\n");
  expect((await at.cli("inbox retry --all")).stdout).toBe("No refused requests.\n");
});

test("a discarded request is gone, and an unbound role is refused", async () => {
  const id = await enqueue({}, "order-3");
  expect((await at.cli(["inbox", "discard", id])).stdout).toBe("Discarded 1 request.\n");
  expect((await at.cli(["inbox", "discard", id])).code).toBe(3);
  expect((await at.cli(["inbox", "unbind", role, "ann"])).stdout).toBe(
    `The SQL role ${role} may no longer create tasks as ann.\n`,
  );
  await expect(enqueue({}, "order-4")).rejects.toMatchObject({ code: "42501" });
});

test.each([
  [["inbox", "retry"], 2, /Give the ids of requests, or --all/],
  [["inbox", "retry", "17"], 2, /"17" is not the id of a request/],
  [["inbox", "discard", "17"], 2, /"17" is not the id of a request/],
  [["inbox", "list", "--state", "lost"], 2, /lost/],
  [["inbox", "bind", "no_such_role", "ann"], 3, /The database has no role "no_such_role"/],
  [["inbox", "bind", "postgres", "nob"], 3, /There is no member "nob"/],
])("`pawl %s` exits with %s", async (args, code, message) => {
  const done = await at.cli(args);
  expect(done.code).toBe(code);
  expect(done.stderr).toMatch(message);
});
