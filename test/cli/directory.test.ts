import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();

test("a member is added, listed, changed, and switched off", async () => {
  const added = await at.cli("members add ann --name Ann --kind human --roles lead,agent --skill-level 3");
  expect(added.code).toBe(0);
  expect(added.stdout).toContain("`pawl tokens create ann` makes a token.");
  const listed = await at.cli("members list");
  expect(listed.stdout).toMatch(/^ann +Ann +human +lead, agent +all +3 +yes$/m);
  await at.ask("projects add web");
  const changed = await at.ask("members change ann --projects main,web --specializations welding");
  expect(changed).toMatchObject({ project_ids: ["main", "web"], specializations: ["welding"], active: true });
  expect(await at.ask("members change ann --projects all --no-active")).toMatchObject({
    project_ids: null,
    active: false,
  });
  expect(await at.ask("members change ann --active")).toMatchObject({ active: true, name: "Ann" });
});

test("a token lets its member in until it is revoked; then one sentence says so", async () => {
  await at.ask("members add carl");
  const made = await at.cli("tokens create carl");
  expect(made.stdout).toMatch(
    /^A token for carl, shown only now; `pawl tokens revoke \S+` revokes it:\n\S+\n$/,
  );
  const { id, token } = await at.ask<{ id: string; token: string }>("tokens create carl");
  expect((await at.cli("tasks list", { token })).code).toBe(0);
  expect((await at.cli(["tokens", "revoke", id])).stdout).toBe(`The token ${id} is refused from now on.\n`);
  expect(await at.cli("tasks list", { token })).toEqual({
    code: 4,
    stdout: "",
    stderr: `pawl: The server at ${at.server.address} does not know the token in PAWL_TOKEN: it was revoked, or is another server's.\n  Ask an admin for a new one: \`pawl tokens create <member>\`.\n`,
  });
});

test("projects are added with their settings, and listed", async () => {
  const settings = '{"board":{"status_deadlines":{"NEW":60}}}';
  expect(
    (await at.cli(["projects", "add", "floor", "--name", "The floor", "--settings", settings])).code,
  ).toBe(0);
  expect((await at.cli("projects list")).stdout).toMatch(/^floor +The floor +\{"board":.*\} +\S+Z$/m);
  expect(
    (await at.ask<{ projects: { id: string }[] }>("projects list")).projects.map(({ id }) => id),
  ).toContain("main");
});

test("the server's lifecycles are listed, and one is shown with its rules and its fields", async () => {
  expect((await at.cli("lifecycles")).stdout).toMatch(/^planner +1 +\d+ +\d+ +yes +Production tasks/m);
  const { stdout } = await at.cli("lifecycles board");
  expect(stdout).toMatch(/^claim +NEW +IN_PROGRESS/m);
  expect(stdout).toMatch(/pawl tasks create board\n {4}title=… description=… \[/);
  expect(await at.ask("lifecycles board")).toMatchObject({ name: "board", version: 1 });
});

const REFUSALS: [name: string, args: string[], code: number, said: string][] = [
  ["a member that is there already", ["members", "add", "admin"], 3, 'The member "admin" already exists.'],
  ["a member that is not there", ["members", "change", "nobody", "--name", "x"], 3, "nobody"],
  ["the last admin", ["members", "change", "admin", "--no-active"], 3, "admin"],
  ["a kind that is none", ["members", "add", "x", "--kind", "robot"], 2, "Allowed choices are human"],
  ["a token of nobody's", ["tokens", "create", "nobody"], 3, "nobody"],
  ["a token that is not there", ["tokens", "revoke", "019f0000-0000-7000-8000-000000000000"], 3, "019f"],
  ["a project that is there already", ["projects", "add", "main"], 3, "main"],
  ["settings that are no JSON", ["projects", "add", "x", "--settings", "{"], 2, "It takes a JSON object"],
  [
    "a lifecycle that is not there",
    ["lifecycles", "bord"],
    2,
    'There is no lifecycle "bord"; did you mean "board"?',
  ],
];

test.concurrent.each(REFUSALS)("%s is told in a sentence", async (_, args, code, said) => {
  const ran = await at.cli(args);
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(ran.stderr).toMatch(/^pawl: /);
  expect(ran.stderr).toContain(said);
});

test("who is no admin is told that it is not his to do", async () => {
  const token = await at.member("dora", "--roles", "agent");
  const { code, stderr } = await at.cli("members add eve", { token });
  expect(code).toBe(3);
  expect(stderr).toContain("Ask somebody who may");
});
