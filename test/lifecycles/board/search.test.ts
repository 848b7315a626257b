import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";
import { parseSearch, SEARCHED_TEXT } from "../../../src/lifecycles/board/sql/search-board.ts";

const server = await startBoardServer();
const { ann, bob, cat, ask, act, make } = server;

const find = async (token: string, q: string, more = "") =>
  bodyOf<{ tasks: { title: string }[] }>(
    200,
    await ask(`GET /api/board/tasks?q=${encodeURIComponent(q)}${more}`, { token }),
  ).tasks.map(({ title }) => title);

const pump = await make(cat, { title: "Repairing the pump", description: "The valves leak" });
await make(cat, { title: "Починить насосы", description: "Протекают клапаны в подвале" });
await make(cat, { title: "A secret pump", description: "Hidden", visibility: "private", assignee_id: "ann" });
await act(ann, pump.id, "comment", { comment: "Ordered gaskets from Кировский завод" });

test.each([
  ["repair", ["Repairing the pump"]],
  ["leaking valve", ["Repairing the pump"]],
  ["насос", ["Починить насосы"]],
  ["клапан протекает", ["Починить насосы"]],
  ["gasket", ["Repairing the pump"]],
  ["заводы", ["Repairing the pump"]],
  ["gasket or насос", ["Repairing the pump", "Починить насосы"]],
  ["pump -valves", []],
  ['"valves leak"', ["Repairing the pump"]],
  ['"leak valves"', []],
  ["nothing like it", []],
  [`%_'";()&|!<->`, []],
])("%s finds %o", async (words, titles) => {
  expect((await find(bob, words)).sort()).toEqual([...titles].sort());
});

test("a search finds the same tasks as PostgreSQL without the index", async () => {
  const texts = ["red pump", "pump red", "red old pump", "old pump", "red", "a red pump or an old one"];
  for (const [n, text] of texts.entries()) await make(cat, { title: `Text ${n}x`, description: text });
  const titles = texts.map((_, n) => `Text ${n}x`);
  const part = fc.constantFrom("red", "pump", "old", "or", "an", "-", '"', " ", " ");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
      const words = parts.join("");
      fc.pre(words.trim() !== "");
      const expected = await server.sql<{ title: string }[]>`
        select title from unnest(${titles}::text[], ${texts}::text[]) as t (title, text)
        where to_tsvector('pg_catalog.russian', t.text)
          @@ websearch_to_tsquery('pg_catalog.russian', ${parseSearch(words).exact})`;
      const found = (await find(bob, words)).filter((title) => title.startsWith("Text"));
      expect(found.sort(), words).toEqual(expected.map(({ title }) => title).sort());
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["pump - leak", "pump   leak"],
  ["pump-leak", "pump leak"],
  ['--pump -"old-one" "a', '  pump -"old one"  a'],
  ['"a -b" -c', '"a -b" -c'],
])("%s is searched as %s", (words, exact) => {
  expect(parseSearch(words).exact).toBe(exact);
});

test("private tasks are found only by their creator and assignee", async () => {
  expect(await find(bob, "secret")).toEqual([]);
  expect(await find(ann, "secret")).toEqual(["A secret pump"]);
  expect(await find(cat, "secret")).toEqual(["A secret pump"]);
});

test("an edited text is found by its current words only", async () => {
  const task = await make(cat, { title: "Paint the fence", description: "Green everywhere" });
  const body = { title: "Paint the gate", comment: "wrong object" };
  bodyOf(200, await ask(`PATCH /api/board/tasks/${task.id}`, { token: cat, body }));
  expect(await find(bob, "fence")).toEqual([]);
  expect(await find(bob, "gate green")).toEqual(["Paint the gate"]);
});

test("a search is combined with the other filters", async () => {
  expect(await find(bob, "repair", "&status=DONE")).toEqual([]);
  expect(await find(bob, "repair", "&status=NEW&unassigned=true")).toEqual(["Repairing the pump"]);
});

test("the longest text with the most words is accepted", async () => {
  const words = Array.from({ length: 8_000 }, (_, n) => `жук${n}-дом${n}`)
    .join(" ")
    .slice(0, 99_000);
  const task = await make(cat, { title: "A very long one", description: words });
  expect(await find(bob, "жук77")).toEqual([task.title]);
  expect(await find(bob, "жук77-дом77")).toEqual([task.title]);
});

test("the searched expression is that of the index", async () => {
  const rows = await server.sql.begin(async (tx) => {
    // The tables of a test are so small that reading them all looks cheaper.
    await tx.unsafe("set local enable_seqscan = off");
    return tx.unsafe(`explain select e.task_id from pawl.event e where e.lifecycle = 'board' and e.action <> 'expire'
      and ${SEARCHED_TEXT}
        @@ websearch_to_tsquery('pg_catalog.russian'::regconfig, 'pump')`);
  });
  expect(JSON.stringify(rows)).toContain("board_event_text");
});
