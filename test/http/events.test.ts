import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";
import { listen, positionsOf } from "./listener.ts";
import type { Listener } from "./listener.ts";

const desk = await openFrontDesk();
await desk.ask("POST /api/projects", { body: { id: "shed" } });
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });

const board = { lifecycle: "board", title: "Paint the shed", description: "Both sides" };
const make = async (more: object = {}) => {
  const { body } = await desk.ask("POST /api/tasks", { token: ann, body: { ...board, ...more } });
  return String(body.id);
};
const move = (id: string, action: string) =>
  desk.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body: { action, comment: "so" } });
const head = () => desk.desk.engine.feedPosition("main");
const open = (query = "", headers: Record<string, string> = {}) => listen(desk.url, ann, { query, headers });
const many = (listener: Listener, count: number) => listener.until(() => listener.events.length >= count);

test("an event says what happened to which task, where, by whom and when", async () => {
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
  const journal = await desk.ask(`GET /api/tasks/${id}/events`, { token: ann });
  for (const [index, told] of (journal.body.events as object[]).entries()) {
    const { position: _, project_id: __, lifecycle: ___, ...same } = listener.events[index]!;
    expect(told).toMatchObject(same);
  }
  listener.close();
});

test("a stream starts at now: what was before is not told, and it says where it stands", async () => {
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
  // A browser that connects again sends both: where it began, and how far it came.
  ["?after=0", { "last-event-id": "4" }, 4],
  ["?after=4", { "last-event-id": "1" }, 1],
  ["?after=2", { "last-event-id": "" }, 2],
])("%s with %j goes on after %d", async (query, headers, after) => {
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

test("a position that the feed has not reached is now", async () => {
  const position = await head();
  const listener = await open(`?after=${position + 1_000}`);
  await make();
  await many(listener, 1);
  expect(positionsOf(listener.events)).toEqual([position + 1]);
  listener.close();
});

test("a reader who begins far back gets all pages of the feed, in order, and then what is new", async () => {
  const made = await desk.desk.engine.create(
    { org_id: "main", actor: (await known()).actor },
    Array.from({ length: 1_100 }, () => board),
  );
  expect(made.kind).toBe("created");
  const all = await head();
  const [listener, filtered] = await Promise.all([open("?after=0"), open("?after=0&lifecycle=board")]);
  await make();
  for (const one of [listener, filtered]) {
    await many(one, all + 1);
    expect(positionsOf(one.events)).toEqual(Array.from({ length: all + 1 }, (_, n) => n + 1));
    one.close();
  }
});

test("filters narrow what is told, of what was and of what comes", async () => {
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
    const wanted = whole.events.filter(fits);
    await many(listener, wanted.length);
    expect(listener.events, query).toEqual(wanted);
    listener.close();
  }
});

test("many readers hear the same, and one tail reads for all of them", async () => {
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

test("nobody looks at the feed of an org that nobody reads", async () => {
  const listener = await open();
  listener.close();
  await listener.ended;
  // The server hears of it a moment later.
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
])("%s with %j is %s, before anything is told", async (query, headers, answer) => {
  expect(wordOf(await desk.ask(`GET /api/events${query}`, { token: ann, headers }))).toBe(answer);
});

test("who is not known is told so in a problem, and not in a stream", async () => {
  for (const token of [null, "pawl_main_wrong"]) {
    const heard = await desk.ask("GET /api/events", { token });
    expect(wordOf(heard)).toBe("401 INVALID_TOKEN");
    expect(heard.headers.get("www-authenticate")).toBe("Bearer");
  }
});

test("the head of a stream keeps it from being stored, gathered or guessed at; HEAD gets that alone", async () => {
  const listener = await open();
  listener.close();
  const { status, headers, text } = await desk.ask("HEAD /api/events", { token: ann });
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

/** Counts how often a page of a feed is asked for, from now on. */
function countFeedReads(): () => number {
  const { engine } = desk.desk;
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
  const found = await desk.directory.authenticate(ann);
  if (found.kind === "refused") throw new Error(found.detail);
  return found;
}
