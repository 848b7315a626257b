import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import type { By } from "../../src/engine/engine.ts";
import { openFrontDesk } from "./front-desk.ts";
import { listen, positionsOf } from "./listener.ts";

/** Something that is for some eyes only, and for whose eyes may change. */
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

const desk = await openFrontDesk({
  lifecycles: [letter],
  server: { live: { checkMs: 50, heartbeatMs: 50 } },
});
const { engine } = desk.desk;
for (const id of ["shed", "yard"]) await desk.ask("POST /api/projects", { body: { id } });

const roles = ["worker"];
const TOKENS = {
  ann: await desk.member({ id: "ann", roles }),
  bob: await desk.member({ id: "bob", roles }),
  cat: await desk.member({ id: "cat", roles, project_ids: ["shed"] }),
  dan: await desk.member({ id: "dan", roles, project_ids: ["shed", "yard"] }),
  eve: await desk.member({ id: "eve", roles: ["viewer"], project_ids: [] }),
  // What is private is private to an admin too.
  admin: desk.admin,
};
const other = await desk.member({ id: "ann", roles: ["admin", ...roles] }, "other");
type Name = keyof typeof TOKENS;
const NAMES = Object.keys(TOKENS) as Name[];

const byOf = async (token: string): Promise<By> => {
  const known = await desk.directory.authenticate(token);
  if (known.kind === "refused") throw new Error(known.detail);
  return known;
};
const write = async (token: string, more: object = {}): Promise<string> => {
  const { body } = await desk.ask("POST /api/tasks", { token, body: { lifecycle: "letter", ...more } });
  return String(body.id);
};
const act = (token: string, id: string, action: string, payload?: object) =>
  desk.ask(`POST /api/tasks/${id}/transitions`, { token, body: { action, ...(payload ? { payload } : {}) } });

/** Letters of all kinds: by whom, where, and for whom. */
async function muchHappens(): Promise<void> {
  for (const name of ["ann", "dan"] as const)
    for (const project_id of ["shed", "yard"])
      for (const more of [{}, { secret: true }, { secret: true, to: "bob" }, { secret: true, to: "cat" }]) {
        const id = await write(TOKENS[name], { project_id, ...more });
        await act(TOKENS[name], id, "read");
      }
  await write(other, { secret: true });
}

/** What the engine's feed shows a member. */
async function feedOf(token: string, after: number): Promise<number[]> {
  const by = await byOf(token);
  const positions: number[] = [];
  for (;;) {
    const page = await engine.feed(by, { after: positions.at(-1) ?? after });
    if (page.length === 0) return positions;
    positions.push(...page.map(({ position }) => Number(position)));
  }
}

test("every member is told afterwards what the engine's feed shows him, and nothing else", async () => {
  const after = await engine.feedPosition("main");
  await muchHappens();
  const head = await engine.feedPosition("main");
  const seen = await Promise.all(NAMES.map((name) => feedOf(TOKENS[name], after)));
  const counts = { ann: 20, bob: 16, cat: 8, dan: 20, eve: 0, admin: 8 };
  expect(Object.fromEntries(NAMES.map((name, index) => [name, seen[index]?.length]))).toEqual(counts);
  for (const [index, name] of NAMES.entries())
    for (const query of [`?after=${after}`, `?after=${after}&lifecycle=letter`]) {
      const listener = await listen(desk.url, TOKENS[name], { query });
      await listener.until(() => listener.comments.includes(`at ${head}`));
      expect(positionsOf(listener.events), `${name} ${query}`).toEqual(seen[index]);
      listener.close();
    }
});

test("every member is told the same as it happens", async () => {
  const listeners = await Promise.all(NAMES.map((name) => listen(desk.url, TOKENS[name])));
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

test("what is private is told to those whose it is at the time, whoever had it before", async () => {
  const [bob, cat] = await Promise.all([listen(desk.url, TOKENS.bob), listen(desk.url, TOKENS.cat)]);
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

test("another org's feed is another feed", async () => {
  const here = await listen(desk.url, TOKENS.ann);
  const there = await listen(desk.url, other, { query: "?after=0" });
  const id = await write(other);
  await there.until(() => there.events.at(-1)?.task_id === id);
  const mine = await write(TOKENS.ann);
  await here.until(() => here.events.length > 0);
  expect(here.events.map(({ task_id }) => task_id)).toEqual([mine]);
  expect(new Set(there.events.map(({ actor_id }) => actor_id))).toEqual(new Set(["ann"]));
  expect(there.events.length).toBe(await engine.feedPosition("other"));
  for (const listener of [here, there]) listener.close();
});

test("a filter for what one may not see shows nothing of it", async () => {
  const id = await write(TOKENS.ann, { project_id: "yard" });
  const secret = await write(TOKENS.ann, { project_id: "shed", secret: true });
  for (const filter of [`project_id=yard`, `task_id=${id}`, `task_id=${secret}`]) {
    const head = await engine.feedPosition("main");
    const listener = await listen(desk.url, TOKENS.cat, { query: `?after=0&${filter}` });
    await listener.until(() => listener.comments.length > 0);
    await act(TOKENS.ann, id, "read");
    await act(TOKENS.ann, secret, "read");
    const open = await listen(desk.url, TOKENS.ann, { query: `?after=${head}` });
    await open.until(() => open.events.length === 2);
    expect(listener.events).toEqual([]);
    for (const one of [listener, open]) one.close();
  }
});

test("a member who loses a project is told no more of it, and one who gets one is", async () => {
  const fay = await desk.member({ id: "fay", roles, project_ids: ["shed"] });
  const listener = await listen(desk.url, fay);
  await write(TOKENS.ann, { project_id: "shed" });
  await listener.until(() => listener.events.length === 1);
  await desk.ask("PATCH /api/members/fay", { body: { project_ids: ["yard"] } });
  await expect
    .poll(async () => {
      const told = listener.events.length;
      await write(TOKENS.ann, { project_id: "shed" });
      const id = await write(TOKENS.ann, { project_id: "yard" });
      await listener.until(() => listener.events.length > told);
      return [id, listener.events.slice(told).map(({ project_id }) => project_id)] as const;
    })
    .toEqual([expect.any(String), ["yard"]]);
  listener.close();
});
