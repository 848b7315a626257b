import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import type { Caller } from "../../src/engine/engine.ts";
import { startTestServer } from "./test-server.ts";
import { listen, positionsOf } from "./listener.ts";

/** A lifecycle of private tasks whose assignee changes. */
const letter = defineLifecycle({
  name: "letter",
  version: 1,
  summary: "",
  statuses: { open: {}, closed: { final: true } },
  actions: { read: {}, hand_over: { input: z.object({ to: z.string().nullable() }) }, close: {} },
  creation: {
    input: z.object({ secret: z.boolean().default(false), to: z.string().nullish() }),
    to: [{ status: "open" }],
    draft: ({ input }) => ({
      title: "a letter",
      data: {},
      private: input.secret,
      assigned_to: input.to ?? null,
    }),
  },
  rules: [
    { action: "read", from: "open", who: "anyone" },
    { action: "hand_over", from: "open", who: "anyone", effects: ["pass_on"] },
    { action: "close", from: "open", to: "closed", who: "anyone" },
  ],
  effects: { pass_on: ({ input }) => ({ assigned_to: input.to ?? null }) },
});

const server = await startTestServer({
  lifecycles: [letter],
  server: { live: { checkMs: 50, heartbeatMs: 50 } },
});
const { engine } = server.testEngine;
for (const id of ["shed", "yard"]) await server.ask("POST /api/projects", { body: { id } });

const roles = ["worker"];
const TOKENS = {
  ann: await server.member({ id: "ann", roles }),
  bob: await server.member({ id: "bob", roles }),
  cat: await server.member({ id: "cat", roles, project_ids: ["shed"] }),
  dan: await server.member({ id: "dan", roles, project_ids: ["shed", "yard"] }),
  eve: await server.member({ id: "eve", roles: ["viewer"], project_ids: [] }),
  // Private tasks are hidden from admins too.
  admin: server.admin,
};
const other = await server.member({ id: "ann", roles: ["admin", ...roles] }, "other");
type Name = keyof typeof TOKENS;
const NAMES = Object.keys(TOKENS) as Name[];

const byOf = async (token: string): Promise<Caller> => {
  const known = await server.directory.authenticate(token);
  if (known.kind === "refused") throw new Error(known.detail);
  return known;
};
const write = async (token: string, more: object = {}): Promise<string> => {
  const { body } = await server.ask("POST /api/tasks", { token, body: { lifecycle: "letter", ...more } });
  return String(body.id);
};
const act = (token: string, id: string, action: string, payload?: object) =>
  server.ask(`POST /api/tasks/${id}/transitions`, {
    token,
    body: { action, ...(payload ? { payload } : {}) },
  });

/** Creates letters by different members, in different projects, for different assignees. */
async function muchHappens(): Promise<void> {
  for (const name of ["ann", "dan"] as const)
    for (const project_id of ["shed", "yard"])
      for (const more of [{}, { secret: true }, { secret: true, to: "bob" }, { secret: true, to: "cat" }]) {
        const id = await write(TOKENS[name], { project_id, ...more });
        await act(TOKENS[name], id, "read");
      }
  await write(other, { secret: true });
}

/** Returns the events that the engine's feed shows a member. */
async function feedOf(token: string, after: number): Promise<number[]> {
  const caller = await byOf(token);
  const positions: number[] = [];
  for (;;) {
    const page = await engine.feed(caller, { after: positions.at(-1) ?? after });
    if (page.length === 0) return positions;
    positions.push(...page.map(({ position }) => Number(position)));
  }
}

test("each member reads exactly the past events that the engine's feed shows that member", async () => {
  const after = await engine.feedPosition("main");
  await muchHappens();
  const head = await engine.feedPosition("main");
  const seen = await Promise.all(NAMES.map((name) => feedOf(TOKENS[name], after)));
  const counts = { ann: 20, bob: 16, cat: 8, dan: 20, eve: 0, admin: 8 };
  expect(Object.fromEntries(NAMES.map((name, index) => [name, seen[index]?.length]))).toEqual(counts);
  for (const [index, name] of NAMES.entries())
    for (const query of [`?after=${after}`, `?after=${after}&lifecycle=letter`]) {
      const listener = await listen(server.url, TOKENS[name], { query });
      await listener.until(() => listener.comments.includes(`at ${head}`));
      expect(positionsOf(listener.events), `${name} ${query}`).toEqual(seen[index]);
      listener.close();
    }
});

test("each member receives the same events live", async () => {
  const listeners = await Promise.all(NAMES.map((name) => listen(server.url, TOKENS[name])));
  const after = await engine.feedPosition("main");
  await muchHappens();
  const head = await engine.feedPosition("main");
  for (const [index, name] of NAMES.entries()) {
    const listener = listeners[index]!;
    await listener.until(() => listener.comments.includes(`at ${head}`));
    expect(positionsOf(listener.events), name).toEqual(await feedOf(TOKENS[name], after));
    listener.close();
  }
});

test("a private event goes to those who may see the task at that time, not to earlier assignees", async () => {
  const [bob, cat] = await Promise.all([listen(server.url, TOKENS.bob), listen(server.url, TOKENS.cat)]);
  const id = await write(TOKENS.ann, { project_id: "shed", secret: true, to: "bob" });
  await bob.until(() => bob.events.length === 1);
  await act(TOKENS.ann, id, "hand_over", { to: "cat" });
  await cat.until(() => cat.events.length === 1);
  const open = await write(TOKENS.ann, { project_id: "shed" });
  await bob.until(() => bob.events.at(-1)?.task_id === open);
  expect(bob.events.map(({ action }) => action)).toEqual(["create", "create"]);
  expect(cat.events[0]).toMatchObject({ task_id: id, action: "hand_over" });
  for (const listener of [bob, cat]) listener.close();
});

test("a feed contains no events of another org", async () => {
  const here = await listen(server.url, TOKENS.ann);
  const there = await listen(server.url, other, { query: "?after=0" });
  const id = await write(other);
  await there.until(() => there.events.at(-1)?.task_id === id);
  const mine = await write(TOKENS.ann);
  await here.until(() => here.events.length > 0);
  expect(here.events.map(({ task_id }) => task_id)).toEqual([mine]);
  expect(new Set(there.events.map(({ actor_id }) => actor_id))).toEqual(new Set(["ann"]));
  expect(there.events.length).toBe(await engine.feedPosition("other"));
  for (const listener of [here, there]) listener.close();
});

test("a filter for a hidden task or project returns no events", async () => {
  const id = await write(TOKENS.ann, { project_id: "yard" });
  const secret = await write(TOKENS.ann, { project_id: "shed", secret: true });
  for (const filter of [`project_id=yard`, `task_id=${id}`, `task_id=${secret}`]) {
    const head = await engine.feedPosition("main");
    const listener = await listen(server.url, TOKENS.cat, { query: `?after=0&${filter}` });
    await listener.until(() => listener.comments.length > 0);
    await act(TOKENS.ann, id, "read");
    await act(TOKENS.ann, secret, "read");
    const open = await listen(server.url, TOKENS.ann, { query: `?after=${head}` });
    await open.until(() => open.events.length === 2);
    expect(listener.events).toEqual([]);
    for (const one of [listener, open]) one.close();
  }
});

test("a member that loses a project no longer gets its events, and one that gains it does", async () => {
  const fay = await server.member({ id: "fay", roles, project_ids: ["shed"] });
  const listener = await listen(server.url, fay);
  await write(TOKENS.ann, { project_id: "shed" });
  await listener.until(() => listener.events.length === 1);
  await server.ask("PATCH /api/members/fay", { body: { project_ids: ["yard"] } });
  await expect
    .poll(async () => {
      const countBefore = listener.events.length;
      await write(TOKENS.ann, { project_id: "shed" });
      const id = await write(TOKENS.ann, { project_id: "yard" });
      await listener.until(() => listener.events.length > countBefore);
      return [id, listener.events.slice(countBefore).map(({ project_id }) => project_id)] as const;
    })
    .toEqual([expect.any(String), ["yard"]]);
  listener.close();
});
