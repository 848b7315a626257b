import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { BUILT_PAWL, ROOT } from "../../support/built-pawl.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import { createTestRepository, gitEnvironment } from "./test-repository.ts";

const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
const server = await startCodeServer({ server: { version } });
const environment = () => ({ ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: server.wim });
const run = (repo: string, ...args: string[]) =>
  pawl(["code", "run", "--repo", repo, "--until-done", ...args], { env: environment() });

test("pawl.code.yaml is read from the target branch when the worker starts, and options replace its values", async () => {
  const { repo, git, add, agent, project_id, note, folder } = await createTestRepository(server);
  const file = (word: string) =>
    `setup: echo ${word} >> ${folder}/setups\ncleanup: echo ${word} >> ${folder}/cleaned\n`;
  await writeFile(join(repo, "pawl.code.yaml"), file("main"));
  await git("add", ".");
  await git("commit", "--quiet", "-m", "set-up");
  // Neither the user's uncommitted file nor the work of an agent counts.
  await writeFile(join(repo, "pawl.code.yaml"), file("uncommitted"));
  const replacing = await agent(
    `echo "$PAWL_TASK_ID" > one; echo 'setup: echo agent >> ${folder}/setups' > pawl.code.yaml`,
  );
  for (const title of ["one", "two"]) await add(title);
  const ran = await run(repo, "-p", project_id, "--agent", replacing);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain(
    `Set-up from pawl.code.yaml on main: echo main >> ${folder}/setups; clean-up: echo main`,
  );
  expect(await note("setups")).toBe("main\nmain\n");
  expect(await note("cleaned")).toBe("main\nmain\n");

  await add("three");
  const again = await agent("echo three > three");
  const setup = `echo option >> ${folder}/setups`;
  expect(await run(repo, "-p", project_id, "--agent", again, "--setup", setup)).toMatchObject({ code: 0 });
  expect(await note("setups")).toBe("main\nmain\noption\n");
  await add("four");
  const last = await agent("echo four > four");
  expect(await run(repo, "-p", project_id, "--agent", last, "--no-setup-file")).toMatchObject({ code: 0 });
  expect(await note("setups")).toBe("main\nmain\noption\n");
});

test("an invalid set-up is a usage error, before anything is claimed", async () => {
  const { repo, git } = await createTestRepository(server);
  const WRONG: [args: string[], message: RegExp][] = [
    [["--copy", "../secret"], /Invalid pattern "\.\.\/secret" of --copy: it leads out of the repository/],
    [["--copy", "/etc/passwd"], /must be relative to the repository/],
    [["--setup", "true", "--setup-cache", "lock"], /Invalid set-up cache "lock"/],
    [["--setup-cache", "lock:node_modules"], /needs a set-up command/],
  ];
  for (const [args, message] of WRONG) {
    const ran = await run(repo, "--agent", "true", ...args);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).toMatch(message);
  }
  const WRONG_FILES: [text: string, message: RegExp][] = [
    ["set-up: npm ci", /pawl\.code\.yaml on main: .*set-up.*--no-setup-file/],
    [`copy: ${"[".repeat(20_000)}`, /pawl\.code\.yaml on main: values are nested more than 100 levels deep/],
  ];
  for (const [text, message] of WRONG_FILES) {
    await writeFile(join(repo, "pawl.code.yaml"), `${text}\n`);
    await git("add", ".");
    await git("commit", "--quiet", "-m", "wrong");
    const ran = await run(repo, "--agent", "true");
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).toMatch(message);
  }
});

test("after kill -9 during the set-up, the next worker cleans up the worktree and sets up a new one", async () => {
  const { repo, add, agent, project_id, folder, history, git, note } = await createTestRepository(server, {
    lease_seconds: 2,
  });
  const task = await add("Write two");
  const args = [
    ...["code", "run", "--repo", repo, "--until-done", "-p", project_id],
    ...["--agent", await agent("echo two > two"), "--cleanup", `pwd >> ${folder}/cleaned`],
    ...["--setup", `echo $$ >> ${folder}/setups; [ -e ${folder}/go ] || sleep 600`],
  ];
  const killed = spawn(process.execPath, [...BUILT_PAWL, ...args], {
    env: { ...environment(), PATH: process.env.PATH },
    stdio: "ignore",
  });
  onTestFinished(() => void killed.kill("SIGKILL"));
  await until(() => existsSync(join(folder, "setups")));
  const { worktree } = await server.getTask(task.id);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  // The lease expires, and then the claim.
  for (const seconds of [10, 11]) await server.engine.sweep({ now: Date.now() + seconds * 1_000 });
  expect(existsSync(join(folder, "cleaned"))).toBe(false);
  await writeFile(join(folder, "go"), "");
  expect(await pawl(args, { env: environment() })).toMatchObject({ code: 0 });
  expect((await note("cleaned")).split("\n")[0]).toBe(worktree);
  expect((await note("cleaned")).trim().split("\n")).toHaveLength(2);
  expect(await history()).toEqual(["Write two"]);
  expect(await git("worktree", "list")).not.toContain("shop.pawl");
});
