import type { JsonObject } from "../../../src/core/index.ts";
import { openFrontDesk, wanted } from "../../http/front-desk.ts";
import type { FrontDesk } from "../../http/front-desk.ts";

export type CodeTask = JsonObject & {
  id: string;
  status: string;
  title: string;
  attempts: number;
  row_version: number;
  lease_token: string;
};

export type CodeShop = FrontDesk & {
  /** Tokens of a lead, two workers, and one who only looks. */
  lea: string;
  wim: string;
  wen: string;
  vic: string;
  make: (fields?: JsonObject) => Promise<CodeTask>;
  claim: (token?: string) => Promise<CodeTask>;
  /** Claims and starts a task: the next one. */
  begin: (token?: string) => Promise<CodeTask & { run: number }>;
  /** The new status, or the problem's code. */
  act: (
    task: CodeTask,
    action: string,
    payload?: JsonObject,
    how?: JsonObject & { token?: string },
  ) => Promise<string>;
  look: (id: string) => Promise<CodeTask & { runs: JsonObject[]; log: string; blocked_by: JsonObject[] }>;
};

/** A queue of coding tasks, with those who use it. */
export async function openCodeShop(options: Parameters<typeof openFrontDesk>[0] = {}): Promise<CodeShop> {
  const desk = await openFrontDesk(options);
  const { ask, member } = desk;
  const lea = await member({ id: "lea", roles: ["lead"] });
  const wim = await member({ id: "wim", kind: "worker", roles: ["worker"] });
  const wen = await member({ id: "wen", kind: "worker", roles: ["worker"] });
  const vic = await member({ id: "vic", roles: ["viewer"] });
  const claim = async (token = wim) => {
    const { tasks } = wanted<{
      tasks: CodeTask[];
    }>(200, await ask("POST /api/code/claims", { token, body: {} }));
    if (!tasks[0]) throw new Error("nothing to claim");
    return tasks[0];
  };
  const act: CodeShop["act"] = async (task, action, payload, { token = wim, ...more } = {}) => {
    const body = { action, lease_token: task.lease_token, payload, ...more };
    const heard = await ask(`POST /api/code/tasks/${task.id}/transitions`, { token, body });
    return heard.status === 200 ? (heard.body.task as CodeTask).status : String(heard.body.code);
  };
  return {
    ...desk,
    lea,
    wim,
    wen,
    vic,
    claim,
    act,
    make: async (fields = {}) =>
      wanted<CodeTask>(
        201,
        await ask("POST /api/code/tasks", { token: lea, body: { title: "Mend it", ...fields } }),
      ),
    begin: async (token = wim) => {
      const task = await claim(token);
      const body = {
        action: "start",
        lease_token: task.lease_token,
        payload: { worktree: "/w", branch: "pawl/1" },
      };
      const { task: begun } = wanted<{
        task: CodeTask;
      }>(200, await ask(`POST /api/code/tasks/${task.id}/transitions`, { token, body }));
      return { ...begun, lease_token: task.lease_token, run: begun.row_version };
    },
    look: async (id) => wanted(200, await ask(`GET /api/code/tasks/${id}`, { token: lea })),
  };
}
