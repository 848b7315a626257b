import { createElement } from "react";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, expectTypeOf, test, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import { PawlProvider, useActions, useClient, useTask, useTasks } from "../../src/react/index.ts";
import type { board } from "../../src/lifecycles/board/lifecycle.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import { openBadLine } from "./bad-line.ts";
import { stage } from "./react-stage.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });
const line = await openBadLine(desk.url);
const direct = createClient<typeof board>({ url: desk.url, token: ann }).lifecycle("board");

let numbers = 0;
const makeTask = () => direct.create({ title: `Task ${numbers++} of many`, description: "x" });

function within(client: Client) {
  return (children: ReactNode) => createElement(PawlProvider, { client }, children);
}
const fresh = () => within(createClient({ url: line.url, token: ann }));
const soon = (expectation: () => void) => vi.waitFor(expectation, { timeout: WAIT_LIMIT_MS, interval: 5 });

test("a list of tasks is there after a while, and follows what happens", async () => {
  const first = await makeTask();
  const list = stage(() => useTasks<typeof board>({ lifecycle: "board", status: ["NEW"] }), fresh());
  expect(list.now).toMatchObject({ tasks: [], loading: true, problem: undefined });
  await soon(() => {
    expect(list.now.tasks.map(({ id }) => id)).toContain(first.id);
  });
  const second = await makeTask();
  await soon(() => {
    expect(list.now.tasks.map(({ id }) => id)).toContain(second.id);
  });
  await direct.act(first.id, "claim", { comment: "mine" });
  await soon(() => {
    expect(list.now.tasks.map(({ id }) => id)).not.toContain(first.id);
  });
  expect(list.now).toMatchObject({ loading: false, problem: undefined, cursor: null });
});

test("all that is shown shares one stream, which ends when nobody looks any more", async () => {
  const { id } = await makeTask();
  line.requests.length = 0;
  const both = stage(() => {
    const { tasks } = useTasks({ lifecycle: "board" });
    const { task } = useTask<typeof board>(id);
    return { count: tasks.length, status: task?.status };
  }, fresh());
  const streams = () => line.requests.filter(({ what }) => what.startsWith("GET /api/events"));
  await soon(() => {
    expect(streams()).toHaveLength(1);
    expect(both.now.status).toBe("NEW");
  });
  await direct.act(id, "claim", { comment: "mine" });
  await soon(() => {
    expect(both.now.status).toBe("IN_PROGRESS");
  });
  both.leave();
  const asked = line.requests.length;
  await direct.act(id, "complete", { comment: "done" });
  expect(line.requests).toHaveLength(asked);
  expect(streams()).toHaveLength(1);
});

test("a burst of events is asked about a few times, not once for each", async () => {
  const { id } = await makeTask();
  const list = stage(() => useTask(id), fresh());
  await soon(() => {
    expect(list.now.task?.row_version).toBe(1);
  });
  line.requests.length = 0;
  await direct.actAll(
    Array.from({ length: 50 }, () => ({ id, action: "comment", comment: "well" }) as const),
  );
  await soon(() => {
    expect(list.now.task?.row_version).toBe(51);
  });
  expect(line.requests.length).toBeLessThan(15);
});

test("what may be done is known, done, and known anew; a refusal is shown and thrown at nobody", async () => {
  const { id } = await makeTask();
  const live = stage(() => useActions<typeof board>(id), fresh());
  const allowed = () => live.now.actions.filter((one) => one.allowed).map(({ action }) => action);
  await soon(() => {
    expect(allowed()).toContain("claim");
  });
  const moved = await live.now.act("claim", { comment: "mine" });
  expect(moved?.task.status).toBe("IN_PROGRESS");
  expect(live.history.map(({ acting }) => acting)).toContain("claim");
  await soon(() => {
    expect(live.now.acting).toBe(null);
    expect(allowed()).toContain("complete");
  });
  expect(await live.now.act("claim", { comment: "again" })).toBe(null);
  await soon(() => {
    expect(live.now.refusal?.code).toBe("TASK_ALREADY_CLAIMED");
  });
});

test("a problem is shown instead of an answer, and beside the last one", async () => {
  const unknown = crypto.randomUUID();
  const nowhere = stage(() => useTask(unknown).problem?.code, fresh());
  await soon(() => {
    expect(nowhere.now).toBe("TASK_NOT_FOUND");
  });
  const wrong = stage(() => useTask("").problem?.code, fresh());
  await soon(() => {
    expect(wrong.now).toBe("VALIDATION_ERROR");
  });

  const { id } = await makeTask();
  const shown = stage(() => useTask(id), within(createClient({ url: line.url, token: ann, retries: 0 })));
  await soon(() => {
    expect(shown.now.task?.id).toBe(id);
  });
  line.fate = () => "503 before";
  shown.now.refetch();
  await soon(() => {
    expect(shown.now).toMatchObject({ task: { id }, problem: { code: "UNAVAILABLE" } });
  });
  line.fate = () => "pass";
  shown.now.refetch();
  await soon(() => {
    expect(shown.now).toMatchObject({ task: { id }, problem: undefined });
  });
});

test("on a server the page is made without asking anything", () => {
  line.requests.length = 0;
  const Page = () => {
    const { tasks, loading } = useTasks();
    return createElement("p", null, loading ? "loading" : tasks.length);
  };
  expect(renderToString(fresh()(createElement(Page)))).toBe("<p>loading</p>");
  expect(line.requests).toEqual([]);
  expect(() => renderToString(createElement(Page))).toThrow("no <PawlProvider>");
});

test("hooks know the names of a lifecycle", () => {
  function Typed() {
    const { tasks } = useTasks<typeof board>({ lifecycle: "board", status: ["NEW"] });
    expectTypeOf(tasks[0]!.data).toEqualTypeOf<{ description: string }>();
    const { act } = useActions<typeof board>("id");
    void act("complete", { comment: "done" });
    // @ts-expect-error no such action
    void act("burn");
    // @ts-expect-error no such status
    useTasks<typeof board>({ status: ["BURNT"] });
    expectTypeOf(useClient()).toEqualTypeOf<Client>();
    return createElement(PawlProvider, { client: createClient<typeof board>({ url: "http://x" }) });
  }
  expect(Typed.length).toBe(0);
});
