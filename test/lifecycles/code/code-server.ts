import type { JsonObject } from "../../../src/core/index.ts";
import { startTestServer, bodyOf } from "../../http/test-server.ts";
import type { TestServer } from "../../http/test-server.ts";

export type CodeTask = JsonObject & {
  id: string;
  status: string;
  title: string;
  attempts: number;
  row_version: number;
  lease_token: string;
};

export type CodeServer = TestServer & {
  /** Tokens of a lead, two workers and a viewer. */
  lea: string;
  wim: string;
  wen: string;
  vic: string;
  make: (fields?: JsonObject) => Promise<CodeTask>;
  claim: (token?: string) => Promise<CodeTask>;
  /** Claims and starts the next task. */
  begin: (token?: string) => Promise<CodeTask & { run: number }>;
  /** Performs an action; returns the new status, or the code of the problem. */
  act: (
    task: CodeTask,
    action: string,
    payload?: JsonObject,
    how?: JsonObject & { token?: string },
  ) => Promise<string>;
  getTask: (id: string) => Promise<CodeTask & { runs: JsonObject[]; log: string; blocked_by: JsonObject[] }>;
};

/** Starts a server with a lead, two workers and a viewer. */
export async function startCodeServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<CodeServer> {
  const server = await startTestServer(options);
  const { ask, member } = server;
  const lea = await member({ id: "lea", roles: ["lead"] });
  const wim = await member({ id: "wim", kind: "worker", roles: ["worker"] });
  const wen = await member({ id: "wen", kind: "worker", roles: ["worker"] });
  const vic = await member({ id: "vic", roles: ["viewer"] });
  const claim = async (token = wim) => {
    const { tasks } = bodyOf<{
      tasks: CodeTask[];
    }>(200, await ask("POST /api/code/claims", { token, body: {} }));
    if (!tasks[0]) throw new Error("nothing to claim");
    return tasks[0];
  };
  const act: CodeServer["act"] = async (task, action, payload, { token = wim, ...more } = {}) => {
    const body = { action, lease_token: task.lease_token, payload, ...more };
    const reply = await ask(`POST /api/code/tasks/${task.id}/transitions`, { token, body });
    return reply.status === 200 ? (reply.body.task as CodeTask).status : String(reply.body.code);
  };
  return {
    ...server,
    lea,
    wim,
    wen,
    vic,
    claim,
    act,
    make: async (fields = {}) =>
      bodyOf<CodeTask>(
        201,
        await ask("POST /api/code/tasks", { token: lea, body: { title: "Fix it", ...fields } }),
      ),
    begin: async (token = wim) => {
      const task = await claim(token);
      const body = {
        action: "start",
        lease_token: task.lease_token,
        payload: { worktree: "/w", branch: "pawl/1" },
      };
      const { task: started } = bodyOf<{
        task: CodeTask;
      }>(200, await ask(`POST /api/code/tasks/${task.id}/transitions`, { token, body }));
      return { ...started, lease_token: task.lease_token, run: started.row_version };
    },
    getTask: async (id) => bodyOf(200, await ask(`GET /api/code/tasks/${id}`, { token: lea })),
  };
}
