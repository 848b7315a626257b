import { expect, test } from "vitest";
import { openCliAtServer } from "./cli-at-server.ts";

const at = await openCliAtServer();

test("a member is added, listed, changed and deactivated", async () => {
  const added = await at.cli("members add ann --name Ann --kind human --roles lead,agent --skill-level 3");
  expect(added.code).toBe(0);
  expect(added.stdout).toContain("`pawl tokens create ann` creates a token.");
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

test("`login-link` prints a link that signs its member in once", async () => {
  await at.ask("members add lin");
  const printed = await at.cli("login-link lin");
  expect(printed.code).toBe(0);
  expect(printed.stdout).toMatch(
    /^Signs lin in once, within 10 minutes:\nhttp:\/\/\S+\/sign-in#pawllink_main_[0-9a-f]{48}\n$/,
  );
  const own = await at.ask<{ member: string; link: string }>("login-link");
  expect(own.member).toBe("admin");
  const { origin, hash } = new URL(own.link);
  expect(origin).toBe(at.server.address);
  const body = { code: hash.slice(1) };
  const redeem = () => at.server.ask("POST /api/session/code", null, body);
  expect([(await redeem()).status, (await redeem()).status]).toEqual([200, 410]);
  expect(await at.cli("login-link nobody")).toMatchObject({ code: 3, stdout: "" });
  expect((await at.cli("login-link nobody")).stderr).toContain('There is no member "nobody".');
});

test("a token works until it is revoked; then the error explains how to get a new one", async () => {
  await at.ask("members add carl");
  const created = await at.cli("tokens create carl");
  expect(created.stdout).toMatch(
    /^A token for carl, shown only now; `pawl tokens revoke \S+` revokes it:\n\S+\n$/,
  );
  const { id, token } = await at.ask<{ id: string; token: string }>("tokens create carl");
  expect((await at.cli("tasks list", { token })).code).toBe(0);
  expect((await at.cli(["tokens", "revoke", id])).stdout).toBe(`Revoked the token ${id}.\n`);
  expect(await at.cli("tasks list", { token })).toEqual({
    code: 4,
    stdout: "",
    stderr: `pawl: The server at ${at.server.address} does not know the token in PAWL_TOKEN: it was revoked, or belongs to another server.\n  Ask an admin for a new one: \`pawl tokens create <member>\`.\n`,
  });
});

test("a token gets a name and a lifetime, and is rotated with an overlap", async () => {
  await at.ask("members add rob");
  const old = await at.ask<{ id: string; token: string }>("tokens create rob --name laptop --days 90");
  const output = (await at.cli(["tokens", "rotate", old.id, "--overlap-hours", "0"])).stdout;
  expect(output).toMatch(
    /^The new token \S+, shown only now; the old one expires after the overlap:\npawl_main_[0-9a-f]{48}\n$/,
  );
  expect((await at.cli("tasks list", { token: old.token })).code).toBe(4);
  expect((await at.cli("tokens list rob")).stdout).toMatch(/ laptop +valid +\S+Z +\S+Z +admin$/m);
  expect(await at.cli(["tokens", "rotate", old.id])).toMatchObject({ code: 3, stdout: "" });
  expect(await at.cli("tokens rotate laptop")).toMatchObject({ code: 2, stdout: "" });
  expect(await at.cli("tokens create rob --days 0")).toMatchObject({ code: 2, stdout: "" });
});

test("`tokens list` shows the tokens of one member or of all, never a token itself", async () => {
  const first = await at.member("erin", "--roles", "agent");
  const { id, token } = await at.ask<{ id: string; token: string }>("tokens create erin");
  await at.ask("tokens create admin");
  const lines = (await at.cli("tokens list erin")).stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^id +member +name +state +created +used +expires +by +only for$/);
  expect(lines[1]).toMatch(new RegExp(`^${id} +erin +valid +\\S+Z +admin$`));
  expect(lines).toHaveLength(3);

  await at.ask(["tokens", "revoke", id]);
  type Listed = { tokens: { id: string; member: string; state: string; revoked_at: string | null }[] };
  const valid = await at.ask<Listed>("tokens list erin");
  expect(valid.tokens.map(({ state }) => state)).toEqual(["valid"]);
  const all = await at.cli("tokens list erin --all --json");
  expect((JSON.parse(all.stdout) as Listed).tokens).toMatchObject([
    { id, state: "revoked", revoked_at: expect.stringMatching(/Z$/) as string },
    { member: "erin", state: "valid", revoked_at: null, expires_at: null, created_by: "admin" },
  ]);
  for (const secret of [first, token]) expect(all.stdout).not.toContain(secret);
  const everyone = await at.ask<Listed>("tokens list");
  expect(everyone.tokens.map(({ member }) => member)).toEqual(expect.arrayContaining(["admin", "erin"]));

  await at.ask("members change erin --no-active");
  expect((await at.cli("tokens list erin")).stdout).toMatch(/ erin +inactive /);
  await at.ask("members add frank");
  expect((await at.cli("tokens list frank")).stdout).toBe("No tokens found.\n");
});

test("projects are added with their settings and listed", async () => {
  const settings = '{"board":{"status_deadlines":{"NEW":60}}}';
  expect(
    (await at.cli(["projects", "add", "floor", "--name", "The floor", "--settings", settings])).code,
  ).toBe(0);
  expect((await at.cli("projects list")).stdout).toMatch(/^floor +The floor +\{"board":.*\} +\S+Z$/m);
  expect(
    (await at.ask<{ projects: { id: string }[] }>("projects list")).projects.map(({ id }) => id),
  ).toContain("main");
});

test("`lifecycles` lists all lifecycles, or shows the rules and fields of one", async () => {
  expect((await at.cli("lifecycles")).stdout).toMatch(/^planner +1 +\d+ +\d+ +yes +Production tasks/m);
  const { stdout } = await at.cli("lifecycles board");
  expect(stdout).toMatch(/^claim +NEW +IN_PROGRESS/m);
  expect(stdout).toMatch(/pawl tasks create board\n {4}title=… description=… \[/);
  expect(await at.ask("lifecycles board")).toMatchObject({ name: "board", version: 1 });
});

const REFUSALS: [name: string, args: string[], code: number, message: string][] = [
  ["a member that exists already", ["members", "add", "admin"], 3, 'The member "admin" already exists.'],
  ["a member that does not exist", ["members", "change", "nobody", "--name", "x"], 3, "nobody"],
  ["the last admin", ["members", "change", "admin", "--no-active"], 3, "admin"],
  ["an unknown kind", ["members", "add", "x", "--kind", "robot"], 2, "Allowed choices are human"],
  ["a token for an unknown member", ["tokens", "create", "nobody"], 3, "nobody"],
  ["a token that does not exist", ["tokens", "revoke", "019f0000-0000-7000-8000-000000000000"], 3, "019f"],
  ["a project that exists already", ["projects", "add", "main"], 3, "main"],
  [
    "a settings value that is not JSON",
    ["projects", "add", "x", "--settings", "{"],
    2,
    "It must be a JSON object",
  ],
  ["an unknown lifecycle", ["lifecycles", "bord"], 2, 'There is no lifecycle "bord"; did you mean "board"?'],
];

test.concurrent.each(REFUSALS)(
  "%s is refused with a message that names the mistake",
  async (_, args, code, message) => {
    const ran = await at.cli(args);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toMatch(/^pawl: /);
    expect(ran.stderr).toContain(message);
  },
);

test("only an admin can add members", async () => {
  const token = await at.member("dora", "--roles", "agent");
  const { code, stderr } = await at.cli("members add eve", { token });
  expect(code).toBe(3);
  expect(stderr).toContain("Ask a member who has the permission");
});
