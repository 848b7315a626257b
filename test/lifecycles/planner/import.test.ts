import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import type { PlannerImportMistake, PlannerPlannedTask } from "../../../src/lifecycles/planner/import-api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";

const { send, make, act, free, member, ask } = await startPlannerServer();

type Imported = { tasks: (PlannerTask & { line: number; ref: string })[] };
type Preview = { tasks: PlannerPlannedTask[]; mistakes: PlannerImportMistake[] };
const run = (csv: string, more: JsonObject = {}) => send("lea", "POST /imports", { csv, ...more });
const preview = async (csv: string, more: JsonObject = {}) =>
  bodyOf<Preview>(200, await send("lea", "POST /imports/preview", { csv, ...more }));
const titled = async (q: string) =>
  bodyOf<{ tasks: PlannerTask[] }>(200, await send("lea", `GET /tasks?q=${encodeURIComponent(q)}`)).tasks;

/** Semicolons, a byte order mark, CRLF, quotes, Cyrillic, and a row that names a later one. */
const FRAME = [
  "\ufeffНомер;Название;Описание;Приоритет;Специальность;Изделие;Срок;Оценка;Зависит от",
  'p;"Покрасить ""раму""; начисто";"две\r\nстроки";5;painter;R-1;31.12.2030 16:00;90;"w, c"',
  "w;Сварить раму;;;welder;R-1;2030-12-30T10:00:00+03:00;;c",
  "c;Резать раму;;;;;;;",
  "",
].join("\r\n");

test("a table becomes tasks with dependencies, after a preview that creates nothing", async () => {
  const deliverable = bodyOf<{ id: string }>(
    201,
    await send("lea", "POST /deliverables", { type: "frame", serial: "R-1" }),
  );
  const { tasks: planned, mistakes } = await preview(FRAME, { time_zone: "Europe/Moscow" });
  expect(mistakes).toEqual([]);
  expect(planned.map(({ line, ref, status }) => [line, ref, status])).toEqual([
    [2, "p", "blocked"],
    [4, "w", "blocked"],
    [5, "c", "available"],
  ]);
  expect(await titled("раму")).toEqual([]);
  const { tasks } = bodyOf<Imported>(201, await run(FRAME, { time_zone: "Europe/Moscow" }));
  const [paint, weld, cut] = tasks;
  expect(paint).toMatchObject({
    line: 2,
    title: 'Покрасить "раму"; начисто',
    description: "две\nстроки",
    priority: 5,
    required_trade: "painter",
    deliverable_id: deliverable.id,
    due_at: "2030-12-31T13:00:00.000Z",
    estimate_minutes: 90,
    status: "blocked",
    depends_on: [weld!.id, cut!.id],
  });
  expect(weld).toMatchObject({ due_at: "2030-12-30T07:00:00.000Z", depends_on: [cut!.id], priority: 0 });
  expect(cut).toMatchObject({ status: "available", deliverable_id: null, description: null });
});

test("a repeated key creates nothing, also when requests arrive together; another key creates again", async () => {
  const csv = "title\nOnce only\n";
  const together = await Promise.all([1, 2, 3].map(() => run(csv, { client_event_id: "once" })));
  const ids = together.map((reply) => bodyOf<Imported>(201, reply).tasks.map(({ id }) => id));
  expect(new Set(ids.flat()).size).toBe(1);
  expect(await titled("Once only")).toHaveLength(1);
  const changed = await run("title\nOther\n", { client_event_id: "once" });
  expect(bodyOf(409, changed)).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  bodyOf(201, await run(csv, { client_event_id: "twice" }));
  expect(await titled("Once only")).toHaveLength(2);
  expect(bodyOf(422, await run(csv, { client_event_id: null }))).toMatchObject({ code: "VALIDATION_ERROR" });
});

test("existing tasks are named by id, and only those of the project", async () => {
  const open = await make({ title: "Existing" });
  await free("cat");
  const done = await make({ title: "Finished", required_trade: "welder" });
  for (const action of ["self_assign", "start", "submit", "review_approve"])
    await act("cat", done.id, action);
  const csv = `ref,title,depends_on\na,After open,${open.id.toUpperCase()}\nb,After done,${done.id}\n`;
  expect((await preview(csv)).tasks.map(({ status }) => status)).toEqual(["blocked", "available"]);
  const { tasks } = bodyOf<Imported>(201, await run(csv));
  expect(tasks.map(({ status, depends_on }) => [status, depends_on])).toEqual([
    ["blocked", [open.id]],
    ["available", [done.id]],
  ]);
  bodyOf(201, await ask("POST /api/projects", { body: { id: "yard" } }));
  const elsewhere = await preview(csv, { project_id: "yard" });
  expect(elsewhere.mistakes.map(({ line }) => line)).toEqual([2, 3]);
});

const WRONG: [
  what: string,
  csv: string,
  mistakes: [line: number, column: string | null, message: string][],
][] = [
  ["an unknown column", "title,colour\nA,red\n", [[1, "colour", "not a known column"]]],
  ["a column twice", "title,название\nA,B\n", [[1, "название", "second column title"]]],
  ["no titles", "ref,priority\na,1\n", [[1, "title", "is missing"]]],
  ["an empty text", " \n", [[1, null, "is empty"]]],
  ["no rows", "title\n", [[2, null, "no rows"]]],
  ["an open quote", 'title\nA\n"B\n', [[3, null, "not closed"]]],
  ["too many cells", "ref,title\na,Cut, then weld\n", [[2, null, "more cells than the heading"]]],
  ["an empty title", "ref,title\na,\nb,B\n", [[2, "title", "is empty"]]],
  ["a long title", `title\n${"x".repeat(201)}\n`, [[2, "title", "200"]]],
  ["no number", "title,priority\nA,high\n", [[2, "priority", "must be a whole number"]]],
  [
    "a fraction",
    "title,estimate_minutes\nA,1.5\n",
    [[2, "estimate_minutes", "must be a whole number from 1"]],
  ],
  ["a number out of range", "title,estimate_minutes\nA,0\n", [[2, "estimate_minutes", "from 1"]]],
  ["a date alone", "title,due_at\nA,2030-12-31\n", [[2, "due_at", "is not a moment"]]],
  ["local time without a zone", "title,due_at\nA,2030-12-31 16:00\n", [[2, "due_at", "+03:00"]]],
  ["an unknown deliverable", "title,deliverable\nA,R-9\n", [[2, "deliverable", 'no deliverable "R-9"']]],
  ["an unknown ref", "title,depends_on\nA,cut\n", [[2, "depends_on", 'no row has the ref "cut"']]],
  [
    "an unknown task",
    "title,depends_on\nA,01a1ee7c-dce8-7189-99bb-05fcb0662e6a\n",
    [[2, "depends_on", "there is no task"]],
  ],
  ["a ref twice", "ref,title\na,A\na,B\n", [[3, "ref", "also the ref of line 2"]]],
  [
    "a cycle",
    "ref,title,depends_on\na,A,b\nb,B,a\nc,C,\n",
    [
      [2, "depends_on", "waits for itself"],
      [3, "depends_on", "waits for itself"],
    ],
  ],
  [
    "a cycle that another row waits for",
    "ref,title,depends_on\na,A,b\nb,B,a\nc,C,a\n",
    [
      [2, "depends_on", "waits for itself"],
      [3, "depends_on", "waits for itself"],
    ],
  ],
  ["a row that waits for itself", "ref,title,depends_on\na,A,a\n", [[2, "depends_on", "waits for itself"]]],
  ["too many columns", `title${",".repeat(900_000)}\nA\n`, [[1, null, "more than 100 columns"]]],
  [
    "too many dependencies of a task",
    `title,depends_on\nA,"${Array.from({ length: 1_001 }, (_, index) => index).join()}"\n`,
    [[2, "depends_on", "at most 1000"]],
  ],
  [
    "several rows",
    'ref,title,priority\na,"two\nlines",x\nb,,y\nc,C,1\n',
    [
      [2, "priority", "whole number"],
      [4, "title", "empty"],
      [4, "priority", "whole number"],
    ],
  ],
];

test.each(WRONG)(
  "a table with %s is refused with lines and columns, and creates nothing",
  async (_what, csv, expected) => {
    const before = (await titled("")).length;
    const list = expected.map(([line, column, message]) => ({
      line,
      column,
      message: expect.stringContaining(message) as string,
    }));
    expect((await preview(csv)).mistakes).toMatchObject(list);
    const refused = bodyOf<{ errors: PlannerImportMistake[] }>(422, await run(csv));
    expect(refused).toMatchObject({ code: "INVALID_IMPORT", errors: list });
    expect(refused.errors).toHaveLength(list.length);
    expect((await titled("")).length).toBe(before);
  },
);

test("text that cannot be stored is refused", async () => {
  expect(bodyOf(422, await run("title\nA\u0000B\n"))).toMatchObject({ code: "VALIDATION_ERROR" });
});

test("the first 200 of many mistakes are listed", async () => {
  const unknown = Array.from({ length: 300 }, () => crypto.randomUUID());
  const csv = `title,depends_on\nA,"${unknown.join()}"\n`;
  expect((await preview(csv)).mistakes).toHaveLength(200);
  expect(bodyOf<{ errors: unknown[] }>(422, await run(csv)).errors).toHaveLength(200);
});

test("formulas are stored as text, and shown as such", async () => {
  const csv = `title,required_trade\n=1+2,@SUM(A1)\n"=HYPERLINK(""x"")",-2\n`;
  const { tasks } = bodyOf<Imported>(201, await run(csv));
  expect(tasks.map(({ title, required_trade }) => [title, required_trade])).toEqual([
    ["=1+2", "@SUM(A1)"],
    ['=HYPERLINK("x")', "-2"],
  ]);
});

test("a table has at most 500 rows", async () => {
  const rows = (count: number) => `title\n${"Same\n".repeat(count)}`;
  expect((await preview(rows(500))).mistakes).toEqual([]);
  for (const count of [501, 100_000])
    expect((await preview(rows(count))).mistakes).toMatchObject([{ line: 502, column: null }]);
});

test("only those who may create tasks import, and only into projects that they see", async () => {
  for (const path of ["/imports", "/imports/preview"]) {
    expect(bodyOf(403, await send("bob", `POST ${path}`, { csv: "title\nA\n" }))).toMatchObject({
      code: "FORBIDDEN",
    });
    expect((await send("lea", `POST ${path}`, { csv: "title\nA\n", project_id: "nowhere" })).status).toBe(
      404,
    );
  }
  const token = await member({ id: "yara", roles: ["lead"], project_ids: ["yard"] });
  const body = { csv: "title\nA\n", project_id: "main", client_event_id: "yara" };
  expect((await ask("POST /api/planner/imports", { token, body })).status).toBe(404);
  bodyOf(201, await ask("POST /api/planner/imports", { token, body: { ...body, project_id: "yard" } }));
});
