import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const { cli, ask, member } = await openCliAtServer();
const lea = await member("lea", "--roles", "lead");
const folder = await mkdtemp(join(tmpdir(), "pawl-import-"));
afterAll(() => rm(folder, { recursive: true }));
const titles = async () =>
  (await ask<{ tasks: { title: string }[] }>("tasks list -l planner", { token: lea })).tasks.map(
    ({ title }) => title,
  );
const path = join(folder, "tasks.csv");
const run = (...more: string[]) => cli(["planner", "import", path, ...more], { token: lea });

const TABLE = "ref;title;due_at;depends_on\r\nw;Сварить;2030-12-31 16:00;c\r\nc;Резать;;\r\n";

test("a file is previewed as a graph, and imported once per run", async () => {
  await writeFile(path, TABLE);
  const preview = await run("--preview");
  expect(preview.stdout).toMatch(/^○ Резать {2}line 3\n└─ · Сварить {2}line 2\n2 tasks to create\./);
  expect(await titles()).toEqual([]);
  expect((await run()).stdout).toMatch(/└─ · Сварить {2}line 2\n2 tasks imported\./);
  expect((await run()).code).toBe(0);
  expect(await titles()).toHaveLength(2);
  expect((await run("--run", "again")).code).toBe(0);
  expect(await titles()).toHaveLength(4);
});

test("a file with mistakes names line and column, and creates nothing", async () => {
  await writeFile(path, "title,priority\nGood,1\nBad,high\n");
  for (const flags of [[], ["--preview"]]) {
    const { code, stderr } = await run(...flags);
    expect(code).toBe(2);
    expect(stderr).toContain("1 mistake in tasks.csv; nothing was created.");
    expect(stderr).toContain("tasks.csv:3: priority must be a whole number from -1000000 to 1000000");
  }
  const { stderr } = await run("--json");
  expect(JSON.parse(stderr)).toMatchObject({
    code: "INVALID_IMPORT",
    errors: [{ line: 3, column: "priority" }],
  });
  expect(await titles()).not.toContain("Good");
});

test("other encodings are named; unreadable, wrong and large files are refused", async () => {
  // "Шлифовать" in windows-1251.
  const bytes = Buffer.from([0xd8, 0xeb, 0xe8, 0xf4, 0xee, 0xe2, 0xe0, 0xf2, 0xfc]);
  await writeFile(path, Buffer.concat([Buffer.from("title\n"), bytes]));
  const unnamed = await run();
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining("--encoding windows-1251")]);
  expect((await run("--encoding", "windows-1251")).code).toBe(0);
  expect(await titles()).toContain("Шлифовать");
  expect((await run("--encoding", "windows-0")).code).toBe(2);
  expect((await run("--zone", "Nowhere")).code).toBe(2);
  await writeFile(path, `title\n${"x".repeat(1_000_000)}`);
  expect((await run()).stderr).toContain("larger than");
  expect((await cli(["planner", "import", join(folder, "none.csv")])).stderr).toContain("ENOENT");
});
