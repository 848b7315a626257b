import { startTestServer, bodyOf } from "../../http/test-server.ts";
import type { RequestOptions, TestServer } from "../../http/test-server.ts";
import type { JsonObject } from "../../../src/core/index.ts";

type Task = JsonObject & { id: string; status: string; row_version: number };

export type BoardServer = TestServer & {
  /** Tokens of the agents ann, bob and cat, and of the viewer vic. */
  ann: string;
  bob: string;
  cat: string;
  vic: string;
  /** Creates a task. */
  make: (token: string, fields?: JsonObject) => Promise<Task>;
  /** Performs an action by the board's route; returns the new status, or the code of the problem. */
  act: (
    token: string,
    id: string,
    action: string,
    how?: RequestOptions & { comment?: string | null },
  ) => Promise<string>;
  getTask: (token: string, id: string) => Promise<{ task: Task; events: JsonObject[] }>;
};

/** Starts a server with three agents and a viewer. */
export async function startBoardServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<BoardServer> {
  const server = await startTestServer(options);
  const agent = (id: string) => server.member({ id, name: `Agent ${id}`, kind: "agent", roles: ["agent"] });
  const [ann, bob, cat] = [await agent("ann"), await agent("bob"), await agent("cat")];
  const vic = await server.member({ id: "vic", kind: "human", roles: ["viewer"] });
  const { ask } = server;
  return {
    ...server,
    ann,
    bob,
    cat,
    vic,
    make: async (token, fields = {}) => {
      const body = { title: "Write it down", description: "All of it", ...fields };
      return bodyOf<Task>(201, await ask("POST /api/board/tasks", { token, body }));
    },
    act: async (token, id, action, { comment = "because", ...how } = {}) => {
      const { status, body } = await ask(`POST /api/board/tasks/${id}/transitions`, {
        token,
        body: { action, ...(comment === null ? {} : { comment }), ...(how.body as object) },
      });
      return status === 200 ? (body.task as Task).status : String(body.code);
    },
    getTask: async (token, id) =>
      bodyOf<{
        task: Task;
        events: JsonObject[];
      }>(200, await ask(`GET /api/board/tasks/${id}`, { token })),
  };
}
