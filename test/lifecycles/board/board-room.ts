import { openFrontDesk, wanted } from "../../http/front-desk.ts";
import type { Ask, FrontDesk } from "../../http/front-desk.ts";
import type { JsonObject } from "../../../src/core/index.ts";

type Task = JsonObject & { id: string; status: string; row_version: number };

export type BoardRoom = FrontDesk & {
  /** Tokens of ann, bob and cat, agents of every project, and of vic, who only looks. */
  ann: string;
  bob: string;
  cat: string;
  vic: string;
  /** Creates a task and gives it. */
  make: (token: string, fields?: JsonObject) => Promise<Task>;
  /** Performs by the board's own door; gives the status code's word: the new status, or the problem's code. */
  act: (
    token: string,
    id: string,
    action: string,
    how?: Ask & { comment?: string | null },
  ) => Promise<string>;
  look: (token: string, id: string) => Promise<{ task: Task; events: JsonObject[] }>;
};

/** A board with three agents and a visitor. */
export async function openBoardRoom(options: Parameters<typeof openFrontDesk>[0] = {}): Promise<BoardRoom> {
  const desk = await openFrontDesk(options);
  const agent = (id: string) => desk.member({ id, name: `Agent ${id}`, kind: "agent", roles: ["agent"] });
  const [ann, bob, cat] = [await agent("ann"), await agent("bob"), await agent("cat")];
  const vic = await desk.member({ id: "vic", kind: "human", roles: ["viewer"] });
  const { ask } = desk;
  return {
    ...desk,
    ann,
    bob,
    cat,
    vic,
    make: async (token, fields = {}) => {
      const body = { title: "Write it down", description: "All of it", ...fields };
      return wanted<Task>(201, await ask("POST /api/board/tasks", { token, body }));
    },
    act: async (token, id, action, { comment = "because", ...how } = {}) => {
      const { status, body } = await ask(`POST /api/board/tasks/${id}/transitions`, {
        token,
        body: { action, ...(comment === null ? {} : { comment }), ...(how.body as object) },
      });
      return status === 200 ? (body.task as Task).status : String(body.code);
    },
    look: async (token, id) =>
      wanted<{
        task: Task;
        events: JsonObject[];
      }>(200, await ask(`GET /api/board/tasks/${id}`, { token })),
  };
}
