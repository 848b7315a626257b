import type { Client } from "../../../client/index.ts";
import { BOARD_ROUTES } from "../api.ts";
import type { ListedBoardTask } from "../api.ts";
import type { DemoScript, Stage } from "../../../plugin/index.ts";
import {
  BOARD_WORK,
  CANCELLATIONS,
  ESCALATIONS,
  RELEASES,
  REMARKS,
  RESCUES,
  RESUMPTIONS,
} from "./board-work.ts";

export const members: DemoScript["members"] = [
  { id: "maya", name: "Maya Lindqvist", kind: "human", roles: ["agent"] },
  { id: "tomas", name: "Tomás Rivera", kind: "human", roles: ["agent"] },
  { id: "scout", name: "Scout", kind: "agent", roles: ["agent"] },
  { id: "quill", name: "Quill", kind: "agent", roles: ["agent"] },
  { id: "abacus", name: "Abacus", kind: "agent", roles: ["agent"] },
  { id: "relay", name: "Relay", kind: "agent", roles: ["agent"] },
];

/** Times are short, so that deadlines and leases end while somebody watches. */
export const projects: DemoScript["projects"] = [
  {
    id: "main",
    name: "Lumen",
    settings: { board: { status_deadlines: { NEW: 12, IN_PROGRESS: 5, BLOCKED: 4 } } },
  },
  {
    id: "website",
    name: "Website",
    settings: { board: { status_deadlines: { NEW: 15, IN_PROGRESS: 6, BLOCKED: 6 } } },
  },
];

export const visitor: DemoScript["visitor"] = { roles: ["agent"] };

const AGENTS = ["scout", "quill", "abacus", "relay"] as const;
const WORKSPACES = ["main", "website"] as const;
const ENOUGH_OPEN = 14;
const BEGUN_WITH = 9;

/** Two people think of work and look after it; four agents take it, halt, help each other out, and finish. */
export async function play(stage: Stage): Promise<void> {
  const maya = boardOf(stage.as("maya"));
  for (let made = 0; made < BEGUN_WITH; made++) {
    const tasks = await openTasks(maya);
    if (tasks.length < BEGUN_WITH) await stage.attempt(() => thinkOfWork(stage, maya, tasks));
  }
  await stage.together([
    stage.keepOn([8, 18], () => lookAfterBoard(stage, "maya")),
    stage.keepOn([10, 24], () => lookAfterBoard(stage, "tomas")),
    ...AGENTS.map((agent) => stage.keepOn([12, 28], () => workOnBoard(stage, boardOf(stage.as(agent))))),
  ]);
}

function boardOf(client: Client) {
  return client.calls(BOARD_ROUTES);
}
type Board = ReturnType<typeof boardOf>;

/** Of all workspaces: a list is of one. */
async function listed(
  board: Board,
  query: Parameters<Board["listBoardTasks"]>[0],
): Promise<ListedBoardTask[]> {
  const lists = await Promise.all(
    WORKSPACES.map((workspace_id) => board.listBoardTasks({ ...query, workspace_id })),
  );
  return lists.flatMap(({ tasks }) => tasks);
}

function openTasks(board: Board): Promise<ListedBoardTask[]> {
  return listed(board, { status: ["NEW", "IN_PROGRESS", "BLOCKED", "STUCK"], limit: 200 });
}

async function lookAfterBoard(stage: Stage, who: string): Promise<unknown> {
  const { chance } = stage;
  const board = boardOf(stage.as(who));
  const tasks = await openTasks(board);
  const hopeless = doomed(tasks);
  const [pointless] = hopeless.filter(({ creator_id }) => creator_id === who);
  if (pointless && chance.happens(0.5)) return callOff(board, pointless, "What it waited for was given up");
  if (tasks.length - hopeless.length < ENOUGH_OPEN && chance.happens(0.8))
    return thinkOfWork(stage, board, tasks);
  const [late] = chance.some(tasks.filter(isHeld), 1);
  if (late && chance.happens(0.25))
    return board.escalateBoardTask({ ...seen(late), comment: chance.pick(ESCALATIONS) });
  const [lost] = chance.some(
    tasks.filter(({ status, creator_id }) => /STUCK|BLOCKED/.test(status) && creator_id === who),
    1,
  );
  if (lost && chance.happens(0.3))
    return chance.happens(0.6)
      ? board.setBoardStatus({ ...seen(lost), status: "NEW", comment: "Back to the list: who has time?" })
      : callOff(board, lost, chance.pick(CANCELLATIONS));
  const [some] = chance.some(tasks, 1);
  return some && board.commentBoardTask({ id: some.id, comment: chance.pick(REMARKS) });
}

function callOff(board: Board, task: ListedBoardTask, comment: string): Promise<unknown> {
  return board.setBoardStatus({ ...seen(task), status: "CANCELLED", comment });
}

/** A task as it was looked at: who comes too late is told that it has changed, and not that it was never his. */
function seen({ id, row_version }: ListedBoardTask) {
  return { id, expected_row_version: row_version };
}

/** Those that wait for what has ended and was not done: nobody will ever be able to begin them. */
export function doomed<Task extends Pick<ListedBoardTask, "id" | "blocked_by" | "has_unresolved_blockers">>(
  open: readonly Task[],
): Task[] {
  const ids = new Set(open.map(({ id }) => id));
  return open.filter(
    ({ blocked_by, has_unresolved_blockers }) =>
      has_unresolved_blockers && !blocked_by.some((blocker) => ids.has(blocker)),
  );
}

/** Something that nobody is at already; now and then it has to wait for something else. */
async function thinkOfWork(stage: Stage, board: Board, there: readonly ListedBoardTask[]): Promise<unknown> {
  const { chance } = stage;
  const titles = new Set(there.map(({ title }) => title));
  const { title, description, priority, workspace } =
    chance.pick(BOARD_WORK.filter((one) => !titles.has(one.title))) ?? chance.pick(BOARD_WORK);
  const [blocker] = chance.some(
    there.filter(
      (task) => task.workspace_id === workspace && task.status !== "STUCK" && !task.has_unresolved_blockers,
    ),
    1,
  );
  const blocked_by = blocker && chance.happens(0.25) ? [blocker.id] : [];
  return board.createBoardTask({ title, description, priority, workspace_id: workspace, blocked_by });
}

async function workOnBoard(stage: Stage, board: Board): Promise<unknown> {
  const { chance } = stage;
  const mine = await listed(board, { assignee: "me", status: ["IN_PROGRESS", "BLOCKED", "STUCK"] });
  const [task] = chance.some(mine, 1);
  if (!task || (mine.length === 1 && chance.happens(0.25))) return takeUp(stage, board);
  const words = BOARD_WORK.find(({ title }) => title === task.title) ?? chance.pick(BOARD_WORK);
  const mineNow = seen(task);
  if (task.status !== "IN_PROGRESS")
    return chance.happens(0.35)
      ? board.moveBoardTask({ ...mineNow, action: "resume", comment: chance.pick(RESUMPTIONS) })
      : takeUp(stage, board);
  const lot = chance.number();
  if (lot < 0.3) return board.setBoardStatus({ ...mineNow, status: "DONE", comment: words.result });
  if (lot < 0.46) return board.setBoardStatus({ ...mineNow, status: "BLOCKED", comment: words.trouble });
  if (lot < 0.5)
    return board.moveBoardTask({ ...mineNow, action: "release", comment: chance.pick(RELEASES) });
  if (lot < 0.72) return board.commentBoardTask({ id: task.id, comment: chance.pick(REMARKS) });
  // Some are slow, and some of these too slow for their deadline.
  return undefined;
}

/** What was abandoned comes first now and then; usually the best that is free. */
async function takeUp(stage: Stage, board: Board): Promise<unknown> {
  const { chance } = stage;
  const stuck = await listed(board, { status: ["STUCK"] });
  const [abandoned] = chance.some(stuck, 1);
  if (abandoned && chance.happens(0.5))
    return board.takeOverBoardTask({ ...seen(abandoned), comment: chance.pick(RESCUES) });
  const free = await listed(board, {
    status: ["NEW"],
    unassigned: true,
    has_unresolved_blockers: false,
    limit: 1,
  });
  const best = chance.pick(free);
  if (!best) return undefined;
  const { plan } = BOARD_WORK.find(({ title }) => title === best.title) ?? chance.pick(BOARD_WORK);
  return board.claimBoardTask({ id: best.id, comment: plan });
}

function isHeld({ status }: ListedBoardTask): boolean {
  return status === "IN_PROGRESS";
}
