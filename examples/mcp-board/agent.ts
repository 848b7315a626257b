import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type Said = { text: string; refused: boolean; data: Record<string, unknown> };
type Seen = { id: string; title: string };

export type Agent = {
  name: string;
  call: (tool: string, given: Record<string, unknown>) => Promise<Said>;
  leave: () => Promise<void>;
};

/** Joins a board with the SDK's own client. */
export async function join(name: string, url: string, token: string): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name, version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return {
    name,
    call: async (tool, given) => {
      const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: given });
      const [first] = content as { text: string }[];
      return {
        text: first?.text ?? "",
        refused: isError === true,
        data: (structuredContent ?? {}) as Said["data"],
      };
    },
    leave: () => client.close(),
  };
}

/**
 * Works until nothing is left: takes what is free, steps in where somebody has left his work lying, and waits where all
 * that is left is in other hands. `work` does a task; when it says "dies" the agent is gone, in the middle of it.
 */
export async function workOff(
  { name, call, leave }: Agent,
  project_id: string,
  work: (task: Seen) => Promise<"done" | "dies">,
  tell: (line: string) => void,
): Promise<void> {
  for (;;) {
    const task = await takeNext();
    if (task) {
      tell(`${name} works on "${task.title}"`);
      if ((await work(task)) === "dies") {
        tell(`${name} dies`);
        await leave();
        return;
      }
      const done = await call("act", {
        task_id: task.id,
        action: "complete",
        comment: `${name} has done it`,
      });
      // Too late: the deadline has passed, and it is in other hands or waits for us to step in again.
      if (done.refused) tell(`${name} is told: ${done.text}`);
      continue;
    }
    const left = await call("list_tasks", { project_id, status: ["NEW", "IN_PROGRESS", "STUCK"] });
    if ((left.data.tasks as Seen[]).length === 0) {
      await leave();
      return;
    }
    await call("wait_for_changes", { project_id, after: left.data.after, seconds: 2 });
  }

  async function takeNext(): Promise<Seen | null> {
    const claimed = await call("claim_task", { lifecycle: "board", project_id, comment: `${name} takes it` });
    const [free] = claimed.data.tasks as Seen[];
    if (free) return free;
    const stuck = await call("list_tasks", { project_id, status: ["STUCK"] });
    for (const task of stuck.data.tasks as Seen[]) {
      const shown = await call("get_task", { task_id: task.id });
      const may = shown.data.may as string[] | undefined;
      const action = ["resume", "take_over"].find((one) => may?.includes(one));
      if (action === undefined) continue;
      const stepped = await call("act", { task_id: task.id, action, comment: `${name} steps in` });
      if (!stepped.refused) return task;
    }
    return null;
  }
}
