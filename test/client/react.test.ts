import { createElement } from "react";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, expectTypeOf, test, vi } from "vitest";
import { createClient } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import { PawlProvider, useActions, useClient, useTask, useTasks } from "../../src/react/index.ts";
import type { board } from "../../src/lifecycles/board/lifecycle.ts";
import { startTestServer } from "../http/test-server.ts";
import { openBadLine } from "./faulty-proxy.ts";
import { stage } from "./render-hook.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const line = await openBadLine(server.url);
const direct = createClient<typeof board>({ url: server.url, token: ann }).lifecycle("board");

let numbers = 0;
const createTask = () => direct.create({ title: `Task ${numbers++} of many`, description: "x" });

function withClient(client: Client) {
  return (children: ReactNode) => createElement(PawlProvider, { client }, children);
}
const withNewClient = () => withClient(createClient({ url: line.url, token: ann }));
const eventually = (expectation: () => void) =>
  vi.waitFor(expectation, { timeout: WAIT_LIMIT_MS, interval: 5 });

test("useTasks loads a list of tasks and keeps it current", async () => {
  const first = await createTask();
  const list = stage(() => useTasks<typeof board>({ lifecycle: "board", status: ["NEW"] }), withNewClient());
  expect(list.now).toMatchObject({ tasks: [], loading: true, problem: undefined });
  await eventually(() => {
    expect(list.now.tasks.map(({ id }) => id)).toContain(first.id);
  });
  const second = await createTask();
  await eventually(() => {
    expect(list.now.tasks.map(({ id }) => id)).toContain(second.id);
  });
  await direct.act(first.id, "claim", { comment: "mine" });
  await eventually(() => {
    expect(list.now.tasks.map(({ id }) => id)).not.toContain(first.id);
  });
  expect(list.now).toMatchObject({ loading: false, problem: undefined, cursor: null });
});

test("all hooks share one stream, which ends with the last of them", async () => {
  const { id } = await createTask();
  line.requests.length = 0;
  const both = stage(() => {
    const { tasks } = useTasks({ lifecycle: "board" });
    const { task } = useTask<typeof board>(id);
    return { count: tasks.length, status: task?.status };
  }, withNewClient());
  const streams = () => line.requests.filter(({ what }) => what.startsWith("GET /api/events"));
  await eventually(() => {
    expect(streams()).toHaveLength(1);
    expect(both.now.status).toBe("NEW");
  });
  await direct.act(id, "claim", { comment: "mine" });
  await eventually(() => {
    expect(both.now.status).toBe("IN_PROGRESS");
  });
  both.leave();
  const before = line.requests.length;
  await direct.act(id, "complete", { comment: "done" });
  expect(line.requests).toHaveLength(before);
  expect(streams()).toHaveLength(1);
});

test("a burst of events causes a few requests, not one per event", async () => {
  const { id } = await createTask();
  const list = stage(() => useTask(id), withNewClient());
  await eventually(() => {
    expect(list.now.task?.row_version).toBe(1);
  });
  line.requests.length = 0;
  await direct.actAll(
    Array.from({ length: 50 }, () => ({ id, action: "comment", comment: "well" }) as const),
  );
  await eventually(() => {
    expect(list.now.task?.row_version).toBe(51);
  });
  expect(line.requests.length).toBeLessThan(15);
});

test("useActions lists the allowed actions, runs one and lists them again; a refusal is returned, not thrown", async () => {
  const { id } = await createTask();
  const live = stage(() => useActions<typeof board>(id), withNewClient());
  const allowed = () => live.now.actions.filter((one) => one.allowed).map(({ action }) => action);
  await eventually(() => {
    expect(allowed()).toContain("claim");
  });
  const moved = await live.now.act("claim", { comment: "mine" });
  expect(moved?.task.status).toBe("IN_PROGRESS");
  expect(live.history.map(({ acting }) => acting)).toContain("claim");
  await eventually(() => {
    expect(live.now.acting).toBe(null);
    expect(allowed()).toContain("complete");
  });
  expect(await live.now.act("claim", { comment: "again" })).toBe(null);
  await eventually(() => {
    expect(live.now.refusal?.code).toBe("TASK_ALREADY_CLAIMED");
  });
});

test("useTask returns a problem, and keeps the last task beside it", async () => {
  const unknown = crypto.randomUUID();
  const missing = stage(() => useTask(unknown).problem?.code, withNewClient());
  await eventually(() => {
    expect(missing.now).toBe("TASK_NOT_FOUND");
  });
  const wrong = stage(() => useTask("").problem?.code, withNewClient());
  await eventually(() => {
    expect(wrong.now).toBe("VALIDATION_ERROR");
  });

  const { id } = await createTask();
  const shown = stage(() => useTask(id), withClient(createClient({ url: line.url, token: ann, retries: 0 })));
  await eventually(() => {
    expect(shown.now.task?.id).toBe(id);
  });
  line.fate = () => "503 before";
  shown.now.refetch();
  await eventually(() => {
    expect(shown.now).toMatchObject({ task: { id }, problem: { code: "UNAVAILABLE" } });
  });
  line.fate = () => "pass";
  shown.now.refetch();
  await eventually(() => {
    expect(shown.now).toMatchObject({ task: { id }, problem: undefined });
  });
});

test("server-side rendering sends no request", () => {
  line.requests.length = 0;
  const Page = () => {
    const { tasks, loading } = useTasks();
    return createElement("p", null, loading ? "loading" : tasks.length);
  };
  expect(renderToString(withNewClient()(createElement(Page)))).toBe("<p>loading</p>");
  expect(line.requests).toEqual([]);
  expect(() => renderToString(createElement(Page))).toThrow("no <PawlProvider>");
});

test("the types of hooks have the names of a lifecycle", () => {
  function Typed() {
    const { tasks } = useTasks<typeof board>({ lifecycle: "board", status: ["NEW"] });
    expectTypeOf(tasks[0]!.data).toEqualTypeOf<{ description: string; labels?: string[] | undefined }>();
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
