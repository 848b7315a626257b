import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { startCodeWorker } from "../../../src/lifecycles/code/worker/start-code-worker.ts";
import { bodyOf } from "../../http/test-server.ts";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";
import type { TestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const server = await startCodeServer();
const { getTask } = server;

describe("two repositories in one project", () => {
  test("each run takes its own tasks, and those of no repository", async () => {
    const shop = await createTestRepository(server);
    const site = await createTestRepository(server);
    const { project_id } = shop;
    const ofShop = await shop.add("For the shop", { repository: (await shop.open()).name });
    const ofSite = await shop.add("For the site", { repository: (await site.open()).name, priority: 9 });
    const shopWorker = await startWorkerOf(shop, project_id);
    await whenCompleted(ofShop);
    // The shop's worker is idle: the site's task has the higher priority, but is not for it.
    expect((await getTask(ofSite.id)).status).toBe("ready");
    const ofAny = await shop.add("For any");
    await whenCompleted(ofAny);
    await shopWorker.stop();
    const siteWorker = await startWorkerOf(site, project_id);
    await whenCompleted(ofSite);
    await siteWorker.stop();
    expect([await shop.history(), await site.history()]).toEqual([
      ["For the shop", "For any"],
      ["For the site"],
    ]);
  });
});

describe("a claim", () => {
  const claim = async (project_id: string, filter?: object) =>
    server.ask("POST /api/code/claims", { token: server.wim, body: { project_id, limit: 10, filter } });

  test("selects by repository; tasks of no repository fit every one", async () => {
    const { add, project_id } = await createTestRepository(server);
    for (const repository of ["a", "b", null]) await add(`Of ${repository}`, { repository });
    const titles = async (filter?: object) =>
      bodyOf<{ tasks: CodeTask[] }>(200, await claim(project_id, filter)).tasks.map(({ title }) => title);
    expect(await titles({ fields: { repository: ["c", "b"] } })).toEqual(["Of b", "Of null"]);
    expect(await titles({ fields: { repository: ["c"] } })).toEqual([]);
    expect(await titles()).toEqual(["Of a"]);
  });

  test("refuses a field that the pool does not declare", async () => {
    const { project_id } = await createTestRepository(server);
    expect(await claim(project_id, { fields: { worker: ["x"] } })).toMatchObject({
      status: 422,
      body: { code: "VALIDATION_ERROR", detail: expect.stringContaining('"worker"') as string },
    });
    expect(await claim(project_id, { repository: "x" })).toMatchObject({ status: 422 });
    const board = await server.ask("POST /api/claims", {
      token: server.lea,
      body: { lifecycle: "board", filter: { fields: { repository: ["x"] } } },
    });
    expect(board).toMatchObject({ status: 422 });
  });

  test("with a key repeats its answer only for the same repository", async () => {
    const { add, project_id } = await createTestRepository(server);
    await add("Of a", { repository: "a" });
    const body = { project_id, client_event_id: `k-${project_id}` };
    const once = async (repository: string) =>
      server.ask("POST /api/code/claims", {
        token: server.wim,
        body: { ...body, filter: { fields: { repository: [repository] } } },
      });
    const first = bodyOf<{ tasks: CodeTask[] }>(200, await once("a")).tasks[0];
    expect(bodyOf<{ tasks: CodeTask[] }>(200, await once("a")).tasks[0]?.lease_token).toBe(
      first?.lease_token,
    );
    expect((await once("b")).status).toBe(409);
  });
});

async function startWorkerOf(bench: TestRepository, project_id: string) {
  return startCodeWorker({
    client: createClient({ url: server.url, token: server.wim }),
    repository: await bench.open(),
    rules: {
      ...{ agent: await bench.agent('echo x > "$PAWL_TASK_ID"'), verify: null, timeoutMs: 60_000 },
      ...{ hooks: true, url: server.url, from: bench.folder },
    },
    workers: 2,
    project_id,
  });
}

function whenCompleted({ id }: CodeTask) {
  return until(async () => (await getTask(id)).status === "completed");
}
