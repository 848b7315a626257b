import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { ROOT } from "../../support/built-pawl.ts";
import { startCodeServer } from "./code-server.ts";
import { createTestRepository, gitEnvironment } from "./test-repository.ts";

const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
const server = await startCodeServer({ server: { version } });

type Listed = { tasks: { id: string; title: string; status: string; blocked_by: { task_id: string }[] }[] };

const PLAN = `- [ ] Add a command
  - [ ] Write a parser (ref: parser)
    acceptance: npm test passes
  - [ ] Write a printer (after: parser)
`;

test("pawl code import shows a plan, creates it with --yes, and creates nothing twice, also after the plan has grown", async () => {
  const { folder, repo, project_id } = await createTestRepository(server);
  const code = (...args: string[]) =>
    pawl(["code", ...args, "-p", project_id], {
      env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: server.lea },
      cwd: repo,
    });
  const list = async () => (JSON.parse((await code("list", "--json")).stdout) as Listed).tasks;
  const file = join(folder, "plan.md");
  await writeFile(file, PLAN);

  const preview = await code("import", file);
  expect(preview).toMatchObject({ code: 0, stderr: "" });
  expect(preview.stdout).toBe(
    [
      "○ Write a parser  line 2",
      "└─ · Write a printer  line 4",
      "   └─ · Add a command  line 1  ← also Write a parser",
      "3 tasks to create. Nothing was created yet: add --yes to create them.\n",
    ].join("\n"),
  );
  expect(await list()).toEqual([]);

  // Two imports at the same time share an idempotency key.
  const both = await Promise.all([code("import", file, "--yes"), code("import", file, "--yes")]);
  expect(both.map(({ code: exit }) => exit)).toEqual([0, 0]);
  expect(both.some(({ stdout }) => stdout.includes("3 tasks created."))).toBe(true);
  const created = await list();
  const byTitle = new Map(created.map((task) => [task.title, task]));
  const blockersOf = (title: string) =>
    byTitle
      .get(title)
      ?.blocked_by.map(({ task_id }) => task_id)
      .sort();
  const idOf = (title: string) => byTitle.get(title)?.id ?? "";
  expect(created).toHaveLength(3);
  expect(blockersOf("Write a printer")).toEqual([idOf("Write a parser")]);
  expect(blockersOf("Add a command")).toEqual([idOf("Write a parser"), idOf("Write a printer")].sort());

  const again = await code("import", file, "--yes");
  expect(again.stdout).toContain("Nothing to create: all 3 tasks exist.");
  await writeFile(file, `${PLAN}- [ ] Release\n  after: add a command\n`);
  const grown = await code("import", file, "--yes");
  expect(grown.stdout).toContain("1 task created. 3 tasks existed already.");
  const after = await list();
  expect(after).toHaveLength(4);
  expect(after.find(({ title }) => title === "Release")?.blocked_by).toMatchObject([
    { task_id: idOf("Add a command") },
  ]);
});

test("a plan with mistakes is refused with their lines, and nothing is created", async () => {
  const { folder, project_id } = await createTestRepository(server);
  const env = { PAWL_URL: server.url, PAWL_TOKEN: server.lea };
  const file = join(folder, "plan.md");
  await writeFile(file, "- [ ] A (after: B)\n- [ ] B\n  after: A\n  priority: high\n- [ ] C (after: D)\n");
  const ran = await pawl(["code", "import", file, "--yes", "-p", project_id], { env });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("3 mistakes in plan.md; nothing was created.");
  for (const line of [
    'plan.md:3: these tasks wait for each other: "A" after "B" after "A"',
    'plan.md:4: priority must be a whole number, not "high"',
    'plan.md:5: there is no task "D"',
  ])
    expect(ran.stderr).toContain(line);
  const json = await pawl(["code", "import", file, "--json"], { env });
  expect(JSON.parse(json.stderr)).toMatchObject({
    code: "INVALID_PLAN",
    errors: [{ line: 3 }, { line: 4 }, { line: 5 }],
  });
  const listed = await pawl(["code", "list", "-p", project_id, "--json"], { env });
  expect((JSON.parse(listed.stdout) as Listed).tasks).toEqual([]);
});
