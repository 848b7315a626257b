import { describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const whenCompleted = ({ id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === "completed");

describe("--verify", () => {
  test("two tasks that pass alone and break together are not both merged", async () => {
    const { add, agent, work, git } = await createTestRepository(server);
    const tasks = [await add("Write red"), await add("Write blue")];
    await work(
      {
        verify: "if [ -e red ] && [ -e blue ]; then echo they clash; exit 7; fi",
        // Both start before either is merged. The second attempt sees the other's file.
        agent: await agent(`
          word=$(echo "$1" | sed -n 's/^# Write //p')
          touch "$NOTES/$word"; until [ -e "$NOTES/red" ] && [ -e "$NOTES/blue" ]; do sleep 0.05; done
          if [ -e red ] || [ -e blue ]; then echo x > "not-$word"; else echo x > $word; fi`),
      },
      { workers: 2 },
    );
    await Promise.all(tasks.map(whenCompleted));
    const files = (await git("ls-tree", "--name-only", "main")).split("\n");
    expect([
      ["list", "not-blue", "red"],
      ["blue", "list", "not-red"],
    ]).toContainEqual(files);
    const results = await Promise.all(tasks.map(({ id }) => server.getTask(id)));
    const second = results.find(({ attempts }) => attempts === 1);
    expect(second).toMatchObject({
      runs: [
        { outcome: "retried", exit_code: 7, error: expect.stringContaining("they clash") as string },
        { outcome: "completed" },
      ],
    });
  });

  test("runs while others merge, and again on their merged work; files that it writes are not merged", async () => {
    const { add, agent, work, git, note, folder, history } = await createTestRepository(server);
    const slow = await add("Write slow");
    const fast = await add("Write fast");
    await work(
      {
        verify: `
          [ -e slow ] || exit 0
          echo $(ls) >> ${folder}/seen
          echo junk > junk; echo junk >> list; git commit -qam junk; git switch -qc elsewhere-$$; echo more >> list
          touch ${folder}/verifying
          until git cat-file -e main:fast 2>/dev/null; do sleep 0.05; done`,
        agent: await agent(`
          if [ "$PAWL_TASK_ID" = ${slow.id} ]; then echo slow > slow; exit 0; fi
          until [ -e "$NOTES/verifying" ]; do sleep 0.05; done
          echo fast > fast`),
      },
      { workers: 2 },
    );
    await Promise.all([whenCompleted(slow), whenCompleted(fast)]);
    expect(await note("seen")).toBe("list slow\nfast list slow\n");
    expect(await history()).toEqual(["Write fast", "Write slow"]);
    expect(await git("ls-tree", "--name-only", "main")).toBe("fast\nlist\nslow");
    expect(await git("show", "main:list")).toBe("one");
    expect(await git("for-each-ref", "--format=%(refname)", "refs/pawl/kept")).toBe("");
  });

  test("runs on the committed work also if the target has not moved", async () => {
    const { add, agent, work, note, folder, history } = await createTestRepository(server);
    const task = await add("Write two");
    await work({
      verify: `git status --porcelain > ${folder}/status; git log -1 --format=%s > ${folder}/subject; ls > ${folder}/files`,
      agent: await agent("echo two > two"),
    });
    await whenCompleted(task);
    expect([await note("status"), await note("subject"), await note("files")]).toEqual([
      "",
      "Write two\n",
      "list\ntwo\n",
    ]);
    expect(await history()).toEqual(["Write two"]);
  });

  test("runs under the lock when the target keeps moving, and so finishes", async () => {
    const { add, agent, work, note, folder, history } = await createTestRepository(server);
    const task = await add("Write two");
    await work({
      // Someone commits to the target during each of the first five checks.
      verify: `
        lock=$(git rev-parse --git-common-dir)/pawl-merge.lock
        if [ -e "$lock" ]; then echo locked; else echo free; fi >> ${folder}/rounds
        [ $(wc -l < ${folder}/rounds) -le 5 ] || exit 0
        git -c user.name=x -c user.email=x commit-tree 'main^{tree}' -p main -m other | xargs git update-ref refs/heads/main`,
      agent: await agent("echo two > two"),
    });
    await whenCompleted(task);
    expect((await note("rounds")).trim().split("\n")).toEqual([
      ...["free", "free", "free"],
      ...["locked", "locked", "locked"],
    ]);
    expect(await history()).toEqual([...Array.from({ length: 5 }, () => "other"), "Write two"]);
    expect((await server.getTask(task.id)).attempts).toBe(0);
  });
});
