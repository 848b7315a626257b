import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../src/core/index.ts";
import type { Reply } from "../http/test-server.ts";
import type { RunningPawl } from "../http/running-pawl.ts";

export const ADMIN = "an-admin-of-the-test";

/** A request with an idempotency key, and its first answer. */
export type Sent = { what: string; token: string; body: JsonObject; answer: Reply };
type Held = { id: string; lease_token: string };

/** The data in the database of the old version. */
export type World = {
  tokens: Record<"ann" | "lea" | "bob" | "wim" | "bot", string>;
  /** A revoked token, and that of an inactive member. */
  refused: string[];
  /** A token for the chat `c1` only. */
  callbackToken: string;
  /** Every request with an idempotency key. */
  sent: Sent[];
  board: { blocker: string; waiting: string; timed: string };
  planner: { blocker: string; waiting: string; held: string; hold_id: string };
  code: { running: Held; waiting: string };
  delivery: { streaming: Held; scheduled: string };
  botAction: { actionId: string };
};

/** Fills the database through a server of the baseline: all lifecycles, with tasks in many of their statuses. */
export async function fillBaseline(pawl: RunningPawl): Promise<World> {
  const sent: Sent[] = [];
  const post = async <T = JsonObject>(token: string, path: string, given: JsonObject = {}): Promise<T> => {
    const body = { client_event_id: randomUUID(), ...given };
    const what = `POST ${path}`;
    const answer = await pawl.ask(what, token, body);
    if (answer.status >= 300) throw new Error(`${what}: ${answer.text}`);
    sent.push({ what, token, body, answer });
    return answer.body as T;
  };
  /** Sends a request that takes no key. */
  const ask = async <T = JsonObject>(token: string, what: string, body?: JsonObject): Promise<T> => {
    const answer = await pawl.ask(what, token, body);
    if (answer.status >= 300) throw new Error(`${what}: ${answer.text}`);
    return answer.body as T;
  };
  const member = async (id: string, fields: JsonObject) => {
    await post(ADMIN, "/api/members", { id, name: id, ...fields });
    return (await ask<{ token: string }>(ADMIN, `POST /api/members/${id}/tokens`, {})).token;
  };

  // Leases outlast the test on a slow machine.
  const settings = {
    board: { status_deadlines: { NEW: 600 } },
    code: { lease_seconds: 86_400 },
    delivery: {
      stuck_after_seconds: 86_400,
      recover_after_seconds: 86_400,
      backoff_base_seconds: 1,
      backoff_cap_seconds: 1,
    },
  };
  await ask(ADMIN, "PATCH /api/projects/main", { settings });
  await post(ADMIN, "/api/projects", { id: "shop", name: "Shop" });
  const tokens = {
    ann: await member("ann", { kind: "agent", roles: ["agent"] }),
    lea: await member("lea", { roles: ["lead"] }),
    bob: await member("bob", { roles: ["executor"], skill_level: 5, specializations: ["welder"] }),
    wim: await member("wim", { kind: "worker", roles: ["worker"] }),
    bot: await member("delivery-bot", { kind: "service", roles: ["agent"] }),
  };
  const { ann, lea, bob, wim, bot } = tokens;
  const revoked = await ask<{ id: string; token: string }>(ADMIN, "POST /api/members/ann/tokens", {});
  await ask(ADMIN, `DELETE /api/tokens/${revoked.id}`);
  const gone = await member("gone", { roles: ["agent"] });
  await ask(ADMIN, "PATCH /api/members/gone", { active: false });

  type Made = { id: string; row_version: number };
  type Claim = { tasks: [Held] };

  const card = (title: string, fields: JsonObject = {}) =>
    post<Made>(ann, "/api/board/tasks", { title, description: "All of it", ...fields });
  const onBoard = (id: string, action: string) =>
    post(ann, `/api/board/tasks/${id}/transitions`, { action, comment: "because" });
  const blocker = await card("Comes first");
  const waiting = await card("Waits", { blocked_by: [blocker.id] });
  await onBoard(blocker.id, "claim");
  const done = await card("Is done", { private: true });
  await onBoard(done.id, "claim");
  await onBoard(done.id, "complete");
  const timed = await card("Runs out of time");
  await post(ann, `/api/board/tasks/${timed.id}/comments`, { comment: "Nobody wants it" });
  await card("In another project", { workspace_id: "shop" });

  const plan = (title: string, fields: JsonObject = {}) =>
    post<Made>(lea, "/api/planner/tasks", { title, ...fields });
  const onFloor = async (who: string, id: string, action: string, payload: JsonObject = {}) => {
    const { row_version } = await ask<Made>(lea, `GET /api/planner/tasks/${id}`);
    const body = { action, payload, expected_row_version: row_version };
    return post(who, `/api/planner/tasks/${id}/transitions`, body);
  };
  const frame = await plan("Weld the frame");
  const paint = await plan("Paint it", { depends_on: [frame.id] });
  await onFloor(lea, frame.id, "assign", { assign_to: "bob" });
  await onFloor(bob, frame.id, "start");
  await onFloor(bob, frame.id, "submit", { resolution: "as drawn" });
  const held = await plan("Wait for steel");
  await onFloor(lea, held.id, "assign", { assign_to: "bob" });
  const { hold } = await post<{ hold: { id: string } }>(lea, `/api/planner/tasks/${held.id}/holds`, {
    kind: "materials",
    reason: "no steel",
  });
  await onFloor(lea, (await plan("Not wanted")).id, "cancel", { reason: "no longer wanted" });
  const hour = (offset: number) => new Date(Date.now() + offset * 3_600_000).toISOString();
  await post(lea, "/api/planner/shifts", { starts_at: hour(-1), ends_at: hour(24), members: ["bob"] });
  await post(lea, "/api/planner/deliverables", { type: "frame", serial: "F-1" });

  const { tasks: parts } = await post<{ tasks: [Made, Made] }>(lea, "/api/tasks/batch", {
    tasks: [
      { lifecycle: "code", ref: "a", title: "Write a parser" },
      { lifecycle: "code", title: "Use it", blocked_by: ["a"] },
    ],
  });
  const { tasks: claimed } = await post<Claim>(wim, "/api/code/claims");
  const running = { id: claimed[0].id, lease_token: claimed[0].lease_token };
  await post(wim, `/api/code/tasks/${running.id}/transitions`, {
    action: "start",
    lease_token: running.lease_token,
    payload: { worktree: "/w", branch: "pawl/1" },
  });
  await post(lea, "/api/code/tasks", { title: "Ready to take" });

  await ask(bot, "POST /api/delivery/files", {
    folder: null,
    scan: "1",
    entries: [{ kind: "file", path: "disk:/a.txt", name: "a.txt", size: 1, revision: "r1" }],
    last: true,
  });
  const { files } = await ask<{ files: [{ id: string }] }>(bot, "GET /api/delivery/files");
  await ask(bot, "POST /api/delivery/users", { id: "7", name: "Reader" });
  await post(ADMIN, "/api/delivery/users/7/approve");
  const tap = (request_nonce: string) =>
    post<Made>(bot, "/api/delivery/jobs", {
      user_id: "7",
      chat_id: "7",
      file_id: files[0].id,
      request_nonce,
    });
  const take = async (): Promise<Held> => {
    const { tasks } = await post<Claim>(wim, "/api/claims", { lifecycle: "delivery" });
    const { id, lease_token } = tasks[0];
    for (const action of ["start_download", "start_stream"])
      await post(wim, `/api/delivery/jobs/${id}/transitions`, { action, lease_token });
    return { id, lease_token };
  };
  await tap("first");
  const failed = await take();
  await post(wim, `/api/delivery/jobs/${failed.id}/transitions`, {
    action: "fail",
    lease_token: failed.lease_token,
    payload: { error: { code: "NETWORK_RESET", retryable: true } },
  });
  await tap("second");
  const streaming = await take();

  const chat = { workspaceId: "main", chatId: "c1" };
  const start = (actionId: string) =>
    post(ann, "/api/chat/actions/start", { ...chat, actionId, actionType: "summarize" });
  await start("busy");
  await start("over");
  await post(ann, "/api/chat/actions/update", { ...chat, actionId: "over", status: "done" });
  await post(ann, "/api/chats/c1/messages", { text: "Hello" });
  const callback = await ask<{ token: string }>(ann, "POST /api/chats/c1/callback-tokens", {
    workspaceId: "main",
  });

  return {
    tokens,
    refused: [revoked.token, gone],
    callbackToken: callback.token,
    sent,
    board: { blocker: blocker.id, waiting: waiting.id, timed: timed.id },
    planner: { blocker: frame.id, waiting: paint.id, held: held.id, hold_id: hold.id },
    code: { running, waiting: parts[1].id },
    delivery: { streaming, scheduled: failed.id },
    botAction: { actionId: "busy" },
  };
}

/** Reads everything over HTTP, by path. */
export async function readWorld(pawl: RunningPawl, { tokens }: World): Promise<Record<string, JsonObject>> {
  const answers: Record<string, JsonObject> = {};
  const read = async (path: string, token: string) => {
    const { status, body, text } = await pawl.ask(`GET ${path}`, token);
    if (status !== 200) throw new Error(`GET ${path}: ${text}`);
    return (answers[path] = body as JsonObject);
  };
  const { tasks } = await read("/api/tasks?limit=200", tokens.ann);
  for (const { id, lifecycle } of tasks as { id: string; lifecycle: string }[]) {
    for (const part of ["", "/events", "/links"]) await read(`/api/tasks/${id}${part}`, tokens.ann);
    if (lifecycle === "planner")
      for (const part of ["", "/transitions", "/holds"])
        await read(`/api/planner/tasks/${id}${part}`, tokens.lea);
    if (lifecycle === "code") await read(`/api/code/tasks/${id}`, tokens.lea);
    if (lifecycle === "delivery") await read(`/api/delivery/jobs/${id}`, tokens.wim);
  }
  for (const path of [
    "/api/members",
    "/api/members/ann/tokens",
    "/api/projects",
    "/api/delivery/users",
    "/api/delivery/files",
  ])
    await read(path, ADMIN);
  for (const path of ["/api/planner/shifts", "/api/planner/deliverables"]) await read(path, tokens.lea);
  for (const path of ["/api/chats/c1/messages", "/api/chat/actions?chatId=c1"]) await read(path, tokens.ann);
  return answers;
}
