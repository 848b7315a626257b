import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";
import { listen, positionsOf } from "./listener.ts";
import type { Listener } from "./listener.ts";

const server = await startTestServer();
await server.ask("POST /api/projects", { body: { id: "shed" } });
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });

const board = { lifecycle: "board", title: "Paint the shed", description: "Both sides" };
const make = async (more: object = {}) => {
  const { body } = await server.ask("POST /api/tasks", { token: ann, body: { ...board, ...more } });
  return String(body.id);
};
const move = (id: string, action: string) =>
  server.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body: { action, comment: "so" } });
const head = () => server.testEngine.engine.feedPosition("main");
const open = (query = "", headers: Record<string, string> = {}) =>
  listen(server.url, ann, { query, headers });
const many = (listener: Listener, count: number) => listener.until(() => listener.events.length >= count);

test("an event has the task, the change, the project, the actor and the time", async () => {
  const listener = await open();
  const id = await make({ project_id: "shed" });
  await move(id, "claim");
  await many(listener, 2);
  const position = await head();
  expect(listener.events).toEqual([
    {
      position: position - 1,
      type: expect.any(String) as string,
      lifecycle: "board",
      project_id: "shed",
      task_id: id,
      row_version: 1,
      action: "create",
      from_status: null,
      to_status: "NEW",
      actor_id: "ann",
      created_at: expect.stringMatching(/Z$/) as string,
    },
    expect.objectContaining({
      position,
      row_version: 2,
      action: "claim",
      from_status: "NEW",
      to_status: "IN_PROGRESS",
    }),
  ]);
  const journal = await server.ask(`GET /api/tasks/${id}/events`, { token: ann });
  for (const [index, row] of (journal.body.events as object[]).entries()) {
    const { position: _, project_id: __, lifecycle: ___, ...same } = listener.events[index]!;
    expect(row).toMatchObject(same);
  }
  listener.close();
});

test("a stream starts at the end of the feed, and its first lines have the position", async () => {
  await make();
  const position = await head();
  const listener = await open();
  await make();
  await many(listener, 1);
  expect(positionsOf(listener.events)).toEqual([position + 1]);
  expect(listener.comments[0]).toBe(`at ${position}`);
  expect(listener.text()).toMatch(
    new RegExp(`^retry: \\d+\\n: at ${position}\\nid: ${position}\\n\\nid: ${position + 1}\\ndata: `),
  );
  listener.close();
});

test.each([
  ["?after=0", {}, 0],
  ["?after=2", {}, 2],
  ["", { "last-event-id": "3" }, 3],
  // A browser that reconnects sends both: its first position, and the last one.
  ["?after=0", { "last-event-id": "4" }, 4],
  ["?after=4", { "last-event-id": "1" }, 1],
  ["?after=2", { "last-event-id": "" }, 2],
])("%s with %j continues after %d", async (query, headers, after) => {
  while ((await head()) < 6) await make();
  const listener = await open(query, headers);
  const last = await head();
  await many(listener, last - after);
  expect(positionsOf(listener.events)).toEqual(Array.from({ length: last - after }, (_, n) => after + 1 + n));
  await make();
  await many(listener, last - after + 1);
  expect(listener.events.at(-1)?.position).toBe(last + 1);
  listener.close();
});

test("a position beyond the end of the feed means its end", async () => {
  const position = await head();
  const listener = await open(`?after=${position + 1_000}`);
  await make();
  await many(listener, 1);
  expect(positionsOf(listener.events)).toEqual([position + 1]);
  listener.close();
});

test("a reader that starts far back gets all pages of the feed in order, and then new events", async () => {
  const created = await server.testEngine.engine.create(
    { org_id: "main", actor: (await known()).actor },
    Array.from({ length: 1_100 }, () => board),
  );
  expect(created.kind).toBe("created");
  const all = await head();
  const [listener, filtered] = await Promise.all([open("?after=0"), open("?after=0&lifecycle=board")]);
  await make();
  for (const one of [listener, filtered]) {
    await many(one, all + 1);
    expect(positionsOf(one.events)).toEqual(Array.from({ length: all + 1 }, (_, n) => n + 1));
    one.close();
  }
});

test("filters apply to past and to live events", async () => {
  const after = await head();
  const task = await make();
  const FILTERS: [query: string, fits: (event: Listener["events"][number]) => boolean][] = [
    ["lifecycle=code", ({ lifecycle }) => lifecycle === "code"],
    ["project_id=shed", ({ project_id }) => project_id === "shed"],
    [
      "lifecycle=board&project_id=shed",
      (event) => event.lifecycle === "board" && event.project_id === "shed",
    ],
    [`task_id=${task}`, ({ task_id }) => task_id === task],
    [`task_id=${task.toUpperCase()}`, ({ task_id }) => task_id === task],
    ["project_id=nowhere", () => false],
    ["", () => true],
  ];
  const act = async () => {
    await make({ project_id: "shed" });
    await make({ lifecycle: "code" });
    await make({ lifecycle: "code", project_id: "shed" });
    await make();
    await move(task, "comment");
  };
  await act();
  const listeners = await Promise.all(
    FILTERS.map(async ([query, fits]) => ({ query, fits, listener: await open(`?after=${after}&${query}`) })),
  );
  await act();
  const whole = await open(`?after=${after}`);
  await many(whole, 11);
  whole.close();
  for (const { query, fits, listener } of listeners) {
    const expected = whole.events.filter(fits);
    await many(listener, expected.length);
    expect(listener.events, query).toEqual(expected);
    listener.close();
  }
});

test("many readers get the same events, and one tail reads for all of them", async () => {
  const listeners = await Promise.all(Array.from({ length: 50 }, () => open()));
  const after = await head();
  const reads = countFeedReads();
  await Promise.all(Array.from({ length: 200 }, () => make()));
  await Promise.all(listeners.map((listener) => many(listener, 200)));
  for (const { events } of listeners)
    expect(positionsOf(events)).toEqual(Array.from({ length: 200 }, (_, n) => after + 1 + n));
  expect(reads()).toBeLessThan(250);
  for (const listener of listeners) listener.close();
});

test("the feed of an org without readers is not polled", async () => {
  const listener = await open();
  listener.close();
  await listener.ended;
  // The server notices it a moment later.
  await expect
    .poll(async () => {
      const reads = countFeedReads();
      await make();
      return reads();
    })
    .toBe(0);
});

test.each([
  ["?after=abc", {}, "422 VALIDATION_ERROR"],
  ["?after=-1", {}, "422 VALIDATION_ERROR"],
  ["?after=1.5", {}, "422 VALIDATION_ERROR"],
  ["?after=99999999999999999999", {}, "422 VALIDATION_ERROR"],
  ["?after=1&after=2", {}, "422 VALIDATION_ERROR"],
  ["", { "last-event-id": "abc" }, "422 VALIDATION_ERROR"],
  ["", { "last-event-id": "9999999999999999" }, "422 VALIDATION_ERROR"],
  ["?task_id=nonsense", {}, "422 VALIDATION_ERROR"],
  ["?lifecycle=%00", {}, "422 VALIDATION_ERROR"],
])("%s with %j gets %s, before any event", async (query, headers, answer) => {
  expect(outcomeOf(await server.ask(`GET /api/events${query}`, { token: ann, headers }))).toBe(answer);
});

test("a missing or unknown token gets a problem document, not a stream", async () => {
  for (const token of [null, "pawl_main_wrong"]) {
    const reply = await server.ask("GET /api/events", { token });
    expect(outcomeOf(reply)).toBe("401 INVALID_TOKEN");
    expect(reply.headers.get("www-authenticate")).toBe("Bearer");
  }
});

test("the headers of a stream prevent caching, buffering and sniffing; HEAD gets only them", async () => {
  const listener = await open();
  listener.close();
  const { status, headers, text } = await server.ask("HEAD /api/events", { token: ann });
  expect([status, text]).toEqual([200, ""]);
  for (const one of [listener.headers, headers])
    expect(Object.fromEntries(one)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String) as string,
    });
});

/** Counts reads of feed pages from now on. */
function countFeedReads(): () => number {
  const { engine } = server.testEngine;
  const read = engine.feedPage.bind(engine);
  let reads = 0;
  engine.feedPage = (...asked) => {
    reads++;
    return read(...asked);
  };
  return () => {
    engine.feedPage = read;
    return reads;
  };
}

async function known() {
  const found = await server.directory.authenticate(ann);
  if (found.kind === "refused") throw new Error(found.detail);
  return found;
}
