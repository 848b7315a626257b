import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { connectAgent, startMcpServer, tasksIn, TRANSPORTS } from "./agent.ts";

const letter = defineLifecycle({
  name: "letter",
  version: 1,
  summary: "Letters to be answered",
  data: z.object({ answer: z.string().nullable() }),
  statuses: { waiting: {}, open: {}, answered: { final: true, success: true } },
  actions: { take: {}, answer: { input: z.object({ words: z.string().min(3) }) } },
  creation: {
    input: z.object({ title: z.string(), from: z.enum(["customer", "friend"]) }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: { answer: null } }),
  },
  rules: [
    { action: "take", from: "waiting", to: "open", who: "anyone", effects: ["assign_actor"] },
    { action: "answer", from: "open", to: "answered", who: "assignee", effects: ["keep_words"] },
  ],
  effects: { keep_words: ({ input }) => ({ data: { answer: (input as { words: string }).words } }) },
  pool: { action: "take", from: "waiting", where: [] },
});

const server = await startMcpServer({ lifecycles: [...LIFECYCLES, letter] });
const { url } = server;
const alpha = { url, token: await server.member({ id: "alpha", roles: ["agent"] }) };
const beta = { url, token: await server.member({ id: "beta", roles: ["agent"] }) };
const worker = { url, token: await server.member({ id: "worker", roles: ["agent", "worker"] }) };

describe.each(TRANSPORTS)("over %s", (transport) => {
  test("two agents finish two dependent tasks, and each reply names the next step", async () => {
    const [one, two] = [await connectAgent(transport, alpha), await connectAgent(transport, beta)];
    const created = await one.call("create_tasks", {
      tasks: [
        { lifecycle: "board", title: `Read it, ${transport}`, description: "Aloud", blocked_by: ["text"] },
        {
          lifecycle: "board",
          title: `Write it, ${transport}`,
          description: "A page",
          ref: "text",
          priority: "high",
        },
      ],
    });
    const [read, write] = tasksIn(created);
    expect(created.text).toContain(`text = ${write!.id} NEW "Write it, ${transport}"`);
    expect(created.text).toContain("waits for 1");

    const claimed = await one.call("claim_task", { lifecycle: "board", comment: "I write" });
    expect(tasksIn(claimed)).toMatchObject([{ id: write!.id, status: "IN_PROGRESS" }]);
    expect(claimed.text).toContain("Next: act with one of complete (comment)");

    const none = await two.call("claim_task", { lifecycle: "board", comment: "I read" });
    expect(none.text).toMatch(/^No task of board is free for you now\..*wait_for_changes \{after: \d+\}/);

    const waiting = two.call("wait_for_changes", { after: none.data.after, seconds: 20, lifecycle: "board" });
    expect((await one.call("comment", { task_id: write!.id, comment: "Half of it" })).text).toContain("Done");
    const first = await waiting;
    expect(first.text).toContain(`"Write it, ${transport}" (board)`);
    expect(first.text).toContain("alpha: comment");

    const done = await one.call("act", {
      task_id: write!.id,
      action: "complete",
      comment: "A page is there",
    });
    expect(done.text).toContain("went from IN_PROGRESS to DONE");
    const second = await two.call("wait_for_changes", { after: first.data.after, seconds: 20 });
    expect(second.text).toContain("alpha: complete IN_PROGRESS → DONE");

    const taken = await two.call("claim_task", { task_id: read!.id, comment: "I read" });
    expect(taken.data).toMatchObject({ task: { status: "IN_PROGRESS", assigned_to: "beta" } });
    const shown = await two.call("get_task", { task_id: read!.id });
    expect(shown.text).toContain("held by beta, created by alpha");
    expect(shown.text).toContain("You may: complete (comment); block (comment); release (comment)");
    expect(shown.text).toContain("- escalate: CANNOT_ESCALATE_OWN");
    expect(shown.text).toContain('beta: claim NEW → IN_PROGRESS, "I read"');
    await two.call("act", { task_id: read!.id, action: "complete", comment: "Done" });
  });
});

test("a list is paginated, and each page names the cursor of the next", async () => {
  const agent = await connectAgent("http", alpha);
  const titles = Array.from({ length: 7 }, (_, n) => `Page ${n} of the book`);
  await agent.call("create_tasks", {
    tasks: titles.map((title) => ({ lifecycle: "board", title, description: "x" })),
  });
  const seen: string[] = [];
  for (let cursor: string | null | undefined; ;) {
    const page = await agent.call("list_tasks", {
      q: "of the book",
      limit: 3,
      ...(cursor ? { cursor } : {}),
    });
    seen.push(...tasksIn(page).map(({ title }) => title));
    cursor = page.data.cursor as string | null;
    if (cursor === null) break;
    expect(page.text).toContain(`cursor "${cursor}"`);
  }
  expect(seen).toEqual(titles);
});

test("a user's lifecycle is listed, explained and used like any other", async () => {
  const agent = await connectAgent("http", alpha);
  const { tools } = await agent.client.listTools();
  const listed = (tool: string) => tools.find(({ name }) => name === tool)?.description ?? "";
  expect(listed("act")).toContain("- letter: take, answer");
  expect(listed("create_tasks")).toContain("- letter: title*, from* customer|friend");
  const explained = await agent.call("get_task", { lifecycle: "letter" });
  expect(explained.text).toContain("- answer (payload {words* (3+ chars)}): open → answered by assignee");
  await agent.call("create_tasks", { tasks: [{ lifecycle: "letter", title: "Dear Pawl", from: "friend" }] });
  const [taken] = tasksIn(await agent.call("claim_task", { lifecycle: "letter" }));
  const task_id = taken!.id;
  const short = await agent.call("act", { task_id, action: "answer", payload: { words: "No" } });
  expect(short.text).toMatch(/^VALIDATION_ERROR: .*words: .*>=3/);
  const commented = await agent.call("comment", { task_id, comment: "hm" });
  expect(commented.text).toContain("Tasks of letter have no action `comment`");
  const done = await agent.call("act", { task_id, action: "answer", payload: { words: "Dear friend" } });
  expect(done.text).toContain("went from open to answered");
});

test("a claim returns a lease token, actions require it, and a heartbeat renews the lease", async () => {
  const agent = await connectAgent("http", worker);
  await agent.call("create_tasks", { tasks: [{ lifecycle: "code", title: "Fix the build" }] });
  const claimed = await agent.call("claim_task", { lifecycle: "code" });
  const [task] = claimed.data.tasks as { id: string; lease_token: string }[];
  const { id: task_id, lease_token } = task!;
  expect(claimed.text).toContain(`lease_token ${lease_token}`);
  const again = await agent.call("claim_task", { lifecycle: "code" });
  expect(again.data.tasks).toMatchObject([{ id: task_id, lease_token }]);
  const without = await agent.call("act", { task_id, action: "start" });
  expect(without).toMatchObject({ refused: true, data: { code: "LEASE_TOKEN_REQUIRED" } });
  const renewed = await agent.call("act", { task_id, action: "heartbeat", lease_token });
  expect(renewed.text).toContain("The lease is yours until");
  const lost = await agent.call("act", { task_id, action: "heartbeat", lease_token: "another" });
  expect(lost).toMatchObject({ refused: true, data: { code: "LEASE_LOST" } });
  const stale = await agent.call("act", { task_id, action: "release", lease_token: "another" });
  expect(stale.text).toMatch(/^LEASE_LOST: .*Stop working on it/);
  const bare = await agent.call("act", { task_id, action: "start", lease_token });
  expect(bare.text).toMatch(/^VALIDATION_ERROR: payload\.worktree: .*payload\.branch: /);
  const payload = { worktree: "/trees/build", branch: "fix-the-build" };
  const started = await agent.call("act", { task_id, action: "start", lease_token, payload });
  expect(started.text).toContain("went from claimed to in_progress");
});
