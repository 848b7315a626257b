import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type ToolReply = { text: string; refused: boolean; data: Record<string, unknown> };
type TaskRef = { id: string; title: string };

export type Agent = {
  name: string;
  call: (tool: string, args: Record<string, unknown>) => Promise<ToolReply>;
  disconnect: () => Promise<void>;
};

/** Connects an agent with the MCP SDK's client. */
export async function connectAgent(name: string, url: string, token: string): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name, version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return {
    name,
    call: async (tool, args) => {
      const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: args });
      const [first] = content as { text: string }[];
      return {
        text: first?.text ?? "",
        refused: isError === true,
        data: (structuredContent ?? {}) as ToolReply["data"],
      };
    },
    disconnect: () => client.close(),
  };
}

/**
 * Works until no task is left: claims free tasks, takes over abandoned ones, and waits while other agents hold the rest.
 * `work` does a task; if it returns "crashed", the agent stops without finishing it.
 */
export async function runAgent(
  { name, call, disconnect }: Agent,
  project_id: string,
  work: (task: TaskRef) => Promise<"done" | "crashed">,
  log: (line: string) => void,
): Promise<void> {
  for (;;) {
    const task = await takeNext();
    if (task) {
      log(`${name} works on "${task.title}"`);
      if ((await work(task)) === "crashed") {
        log(`${name} crashes`);
        await disconnect();
        return;
      }
      const completed = await call("act", {
        task_id: task.id,
        action: "complete",
        comment: `done by ${name}`,
      });
      // The deadline has passed: the task is stuck, or another agent has taken it over.
      if (completed.refused) log(`${name} is refused: ${completed.text}`);
      continue;
    }
    const left = await call("list_tasks", { project_id, status: ["NEW", "IN_PROGRESS", "STUCK"] });
    if ((left.data.tasks as TaskRef[]).length === 0) {
      await disconnect();
      return;
    }
    await call("wait_for_changes", { project_id, after: left.data.after, seconds: 2 });
  }

  async function takeNext(): Promise<TaskRef | null> {
    const claimed = await call("claim_task", {
      lifecycle: "board",
      project_id,
      comment: `claimed by ${name}`,
    });
    const [free] = claimed.data.tasks as TaskRef[];
    if (free) return free;
    const stuck = await call("list_tasks", { project_id, status: ["STUCK"] });
    for (const task of stuck.data.tasks as TaskRef[]) {
      const shown = await call("get_task", { task_id: task.id });
      const allowed = shown.data.may as string[] | undefined;
      const action = ["resume", "take_over"].find((one) => allowed?.includes(one));
      if (action === undefined) continue;
      const taken = await call("act", { task_id: task.id, action, comment: `continued by ${name}` });
      if (!taken.refused) return task;
    }
    return null;
  }
}
