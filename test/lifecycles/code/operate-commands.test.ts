import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository, gitEnvironment } from "./test-repository.ts";

const server = await startCodeServer();
const ON = { settings: { operator_controls: true, review: true } };

type Where = { token?: string; cwd?: string };
const code = (args: readonly string[], { token = server.lea, cwd }: Where = {}) =>
  pawl(["code", ...args], {
    env: { ...gitEnvironment(), PAWL_URL: server.url, PAWL_TOKEN: token },
    ...(cwd === undefined ? {} : { cwd }),
  });
const json = async <T = CodeTask>(args: readonly string[], where?: Where) => {
  const { code: exit, stdout, stderr } = await code([...args, "--json"], where);
  if (exit !== 0) throw new Error(`${String(exit)} ${stderr}`);
  return JSON.parse(stdout) as T;
};

/** Claims and starts the task of a project as a worker; returns it with its lease. */
async function begin(project_id: string) {
  const claim = { token: server.wim, body: { project_id } };
  const { tasks } = bodyOf<{ tasks: CodeTask[] }>(200, await server.ask("POST /api/code/claims", claim));
  await server.act(tasks[0]!, "start", { worktree: "/w", branch: "pawl/1" });
  return tasks[0]!;
}

describe("pawl code", () => {
  test("add records the repository of its folder", async () => {
    const { repo, folder, project_id, git } = await createTestRepository(server);
    const add = (...args: string[]) => ["add", "One", "--project", project_id, ...args];
    const repositoryOf = async (args: string[], cwd: string) =>
      (await json<{ tasks: CodeTask[] }>(args, { cwd })).tasks[0]!.repository;
    expect(await repositoryOf(add(), repo)).toBe(repo);
    expect(await repositoryOf(add("--no-repo"), repo)).toBeNull();
    expect(await repositoryOf(add(), folder)).toBeNull();
    expect(await repositoryOf(add("--repo", "shop"), folder)).toBe(repo);
    await git("remote", "add", "origin", "git@example.org:acme/shop.git");
    expect(await repositoryOf(add("--review"), repo)).toBe("example.org/acme/shop");
    const wrong = await code(add("--repo", join(folder, "gone")));
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/gone is not a git repository/);
  });

  test("edit, pause, resume and withdraw change a waiting task", async () => {
    const { add, project_id } = await createTestRepository(server, ON);
    const { id } = await add("Write two", { description: "Below one" });
    expect(
      await json(["edit", id, "--title", "Write three", "--priority", "7", "--description", ""]),
    ).toMatchObject({
      title: "Write three",
      priority: 7,
      description: null,
    });
    expect(await code(["edit", id])).toMatchObject({ code: 2 });
    expect(await json(["pause", id, "--reason", "later"])).toMatchObject({ status: "ready", held: true });
    expect((await code(["pause", id])).stderr).toMatch(/already paused/);
    expect((await code(["list", "--project", project_id])).stdout).toMatch(/ready .*Write three +paused/);
    expect((await code(["show", id])).stdout).toContain("On hold.");
    expect(await json(["resume", id])).toMatchObject({ held: false });
    expect(await code(["withdraw", id])).toMatchObject({ code: 2 });
    const withdrawn = await code(["withdraw", id.slice(-12), "--reason", "not needed"]);
    expect(withdrawn).toMatchObject({ code: 0, stderr: "" });
    expect(withdrawn.stdout).toMatch(/ failed {2}Write three\nIt is withdrawn\./);
    expect(await json(["show", id])).toMatchObject({ last_error: "withdrawn: not needed" });
  });

  test("names the setting that is off, with the exit code of a refusal", async () => {
    const { add } = await createTestRepository(server);
    const { id } = await add("Write two");
    const paused = await code(["pause", id]);
    expect(paused).toMatchObject({ code: 3, stdout: "" });
    expect(paused.stderr).toMatch(/needs the setting operator_controls, which is off in this project/);
    const problem = JSON.parse((await code(["pause", id, "--json"])).stderr) as object;
    expect(problem).toMatchObject({ code: "SETTING_OFF", setting: "operator_controls" });
  });

  test("stop interrupts a running task; answer replies to a question", async () => {
    const { add, project_id } = await createTestRepository(server, { settings: { operator_controls: true } });
    const task = await add("Write two");
    await begin(project_id);
    expect(await code(["stop", task.id, "--reason", "wrong"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Its agent is being stopped.") as string,
    });
    await server.engine.sweep();
    expect(await json(["resume", task.id])).toMatchObject({ status: "ready", attempts: 0 });
    const again = await begin(project_id);
    const payload = { description: "Red or blue?", question: true };
    expect(await server.act(again, "block", payload)).toBe("blocked");
    expect(await json(["answer", task.id, "Red."])).toMatchObject({ status: "ready" });
  });

  test("diff, request-changes and approve review work", async () => {
    const { add, project_id } = await createTestRepository(server, ON);
    const task = await add("Write two");
    expect((await code(["diff", task.id])).stderr).toMatch(
      /No attempt of this task has changed anything yet/,
    );
    const commit = "a".repeat(40);
    const diff =
      "diff --git a/two b/two\nnew file mode 100644\n--- /dev/null\n+++ b/two\n@@ -0,0 +1 @@\n+two\n";
    const review = async () => {
      const { id, lease_token } = await begin(project_id);
      const body = {
        lease_token,
        base: commit,
        commit,
        files: 1,
        added: 1,
        removed: 0,
        diff,
        truncated: false,
      };
      bodyOf(200, await server.ask(`POST /api/code/tasks/${id}/diff`, { token: server.wim, body }));
      const stranger = await server.ask(`POST /api/code/tasks/${id}/diff`, { token: server.wen, body });
      expect(stranger.body.code).toBe("LEASE_LOST");
      await server.act({ ...task, lease_token }, "request_review", { branch: "pawl/1", commit });
    };
    await review();
    const shown = await code(["diff", task.id]);
    expect(shown).toMatchObject({ code: 0, stdout: diff });
    expect(shown.stderr).toContain("1 file changed, +1 −0, commit aaaaaaaaaaaa");
    expect(await json<object>(["diff", task.id])).toMatchObject({ commit, files: 1, diff });
    expect((await code(["list", "--project", project_id])).stdout).toMatch(/ review .*Write two +pawl\/1/);
    expect(await code(["approve", task.id], { token: server.wim })).toMatchObject({ code: 3 });
    expect(await json(["request-changes", task.id, "Use a digit."])).toMatchObject({
      status: "ready",
      review_request: { state: "changes", comment: "Use a digit." },
    });
    await review();
    expect(await json(["approve", task.id, "--comment", "Good."])).toMatchObject({
      status: "ready",
      review_request: { state: "approved" },
    });
    expect((await code(["list", "--project", project_id])).stdout).toMatch(/approved, to be merged/);
    expect((await code(["show", task.id])).stdout).toMatch(/review +approved {2}aaaaaaaaaaaa {2}pawl\/1/);
  });

  test("run refuses pull requests without a remote, and an unknown remote", async () => {
    const { repo } = await createTestRepository(server);
    const run = (...args: string[]) =>
      code(["run", "--repo", repo, "--agent", "true", "--until-done", ...args], { token: server.wim });
    const alone = await run("--pull-requests");
    expect(alone).toMatchObject({ code: 2 });
    expect(alone.stderr).toMatch(/--pull-requests requires --push/);
    const unknown = await run("--push", "upstream");
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.stderr).toMatch(/has no remote upstream/);
  });
});
