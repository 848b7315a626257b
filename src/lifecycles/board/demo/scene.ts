import type { Client } from "../../../client/index.ts";
import { BOARD_ROUTES } from "../api.ts";
import type { ListedBoardTask } from "../api.ts";
import type { DemoLanguage, DemoScript, Stage } from "../../../plugin/index.ts";
import { BOARD_EN } from "./board-work-en.ts";
import { BOARD_RU } from "./board-work-ru.ts";
import type { BoardContent } from "./board-work.ts";

const CONTENT: Readonly<Record<DemoLanguage, BoardContent>> = { en: BOARD_EN, ru: BOARD_RU };

export const members: DemoScript["members"] = (language) => {
  const { names } = CONTENT[language];
  return [
    { id: "maya", name: names.maya, kind: "human", roles: ["agent"] },
    { id: "roman", name: names.roman, kind: "human", roles: ["agent"] },
    { id: "scout", name: names.scout, kind: "agent", roles: ["agent"] },
    { id: "quill", name: names.quill, kind: "agent", roles: ["agent"] },
    { id: "abacus", name: names.abacus, kind: "agent", roles: ["agent"] },
    { id: "relay", name: names.relay, kind: "agent", roles: ["agent"] },
  ];
};

/** The deadlines are short, so that visitors of the demo see tasks expire. */
export const projects: DemoScript["projects"] = (language) => [
  {
    id: "main",
    name: CONTENT[language].projects.main,
    settings: { board: { status_deadlines: { NEW: 12, IN_PROGRESS: 5, BLOCKED: 4 } } },
  },
  {
    id: "website",
    name: CONTENT[language].projects.website,
    settings: { board: { status_deadlines: { NEW: 15, IN_PROGRESS: 6, BLOCKED: 6 } } },
  },
];

export const visitor: DemoScript["visitor"] = { roles: ["agent"] };

const AGENTS = ["scout", "quill", "abacus", "relay"] as const;
const WORKSPACES = ["main", "website"] as const;
const MAX_OPEN = 14;
const INITIAL_TASKS = 9;

/** Two people create and manage tasks; four agents take them, get blocked, take over from each other, and finish. */
export async function play(stage: Stage): Promise<void> {
  const maya = boardOf(stage.as("maya"));
  for (let created = 0; created < INITIAL_TASKS; created++) {
    const tasks = await openTasks(maya);
    if (tasks.length < INITIAL_TASKS) await stage.attempt(() => createTask(stage, maya, tasks));
  }
  await stage.together([
    stage.keepOn([8, 18], () => manageBoard(stage, "maya")),
    stage.keepOn([10, 24], () => manageBoard(stage, "roman")),
    ...AGENTS.map((agent) => stage.keepOn([12, 28], () => workOnBoard(stage, boardOf(stage.as(agent))))),
  ]);
}

function boardOf(client: Client) {
  return client.calls(BOARD_ROUTES);
}
type Board = ReturnType<typeof boardOf>;

/** Lists the tasks of all workspaces; a request covers one workspace. */
async function listTasks(
  board: Board,
  query: Parameters<Board["listBoardTasks"]>[0],
): Promise<ListedBoardTask[]> {
  const lists = await Promise.all(
    WORKSPACES.map((workspace_id) => board.listBoardTasks({ ...query, workspace_id })),
  );
  return lists.flatMap(({ tasks }) => tasks);
}

function openTasks(board: Board): Promise<ListedBoardTask[]> {
  return listTasks(board, { status: ["NEW", "IN_PROGRESS", "BLOCKED", "STUCK"], limit: 200 });
}

async function manageBoard(stage: Stage, who: string): Promise<unknown> {
  const { chance } = stage;
  const { blockerCanceled, cancellations, escalations, remarks, returned } = CONTENT[stage.language];
  const board = boardOf(stage.as(who));
  const tasks = await openTasks(board);
  const neverStartable = findNeverStartable(tasks);
  const [mine] = neverStartable.filter(({ creator_id }) => creator_id === who);
  if (mine && chance.happens(0.5)) return cancel(board, mine, blockerCanceled);
  if (tasks.length - neverStartable.length < MAX_OPEN && chance.happens(0.8))
    return createTask(stage, board, tasks);
  const [late] = chance.some(tasks.filter(isHeld), 1);
  if (late && chance.happens(0.25))
    return board.escalateBoardTask({ ...asSeen(late), comment: chance.pick(escalations) });
  const [lost] = chance.some(
    tasks.filter(({ status, creator_id }) => /STUCK|BLOCKED/.test(status) && creator_id === who),
    1,
  );
  if (lost && chance.happens(0.3))
    return chance.happens(0.6)
      ? board.setBoardStatus({ ...asSeen(lost), status: "NEW", comment: returned })
      : cancel(board, lost, chance.pick(cancellations));
  const [some] = chance.some(tasks, 1);
  return some && board.commentBoardTask({ id: some.id, comment: chance.pick(remarks) });
}

function cancel(board: Board, task: ListedBoardTask, comment: string): Promise<unknown> {
  return board.setBoardStatus({ ...asSeen(task), status: "CANCELLED", comment });
}

/** Names the version that was read, so that a late request fails with VERSION_CONFLICT instead of FORBIDDEN. */
function asSeen({ id, row_version }: ListedBoardTask) {
  return { id, expected_row_version: row_version };
}

/** Finds the tasks that can never start, because all blockers that they wait for have ended without success. */
export function findNeverStartable<
  Task extends Pick<ListedBoardTask, "id" | "blocked_by" | "has_unresolved_blockers">,
>(open: readonly Task[]): Task[] {
  const ids = new Set(open.map(({ id }) => id));
  return open.filter(
    ({ blocked_by, has_unresolved_blockers }) =>
      has_unresolved_blockers && !blocked_by.some((blocker) => ids.has(blocker)),
  );
}

/** Creates a task that is not open yet; some of them wait for another task. */
async function createTask(stage: Stage, board: Board, open: readonly ListedBoardTask[]): Promise<unknown> {
  const { chance } = stage;
  const { works } = CONTENT[stage.language];
  const titles = new Set(open.map(({ title }) => title));
  const { title, description, priority, workspace } =
    chance.pick(works.filter((one) => !titles.has(one.title))) ?? chance.pick(works);
  const [blocker] = chance.some(
    open.filter(
      (task) => task.workspace_id === workspace && task.status !== "STUCK" && !task.has_unresolved_blockers,
    ),
    1,
  );
  const blocked_by = blocker && chance.happens(0.25) ? [blocker.id] : [];
  return board.createBoardTask({ title, description, priority, workspace_id: workspace, blocked_by });
}

async function workOnBoard(stage: Stage, board: Board): Promise<unknown> {
  const { chance } = stage;
  const { releases, remarks, resumptions, works } = CONTENT[stage.language];
  const mine = await listTasks(board, { assignee: "me", status: ["IN_PROGRESS", "BLOCKED", "STUCK"] });
  const [task] = chance.some(mine, 1);
  if (!task || (mine.length === 1 && chance.happens(0.25))) return takeTask(stage, board);
  const work = works.find(({ title }) => title === task.title) ?? chance.pick(works);
  const mineNow = asSeen(task);
  if (task.status !== "IN_PROGRESS")
    return chance.happens(0.35)
      ? board.moveBoardTask({ ...mineNow, action: "resume", comment: chance.pick(resumptions) })
      : takeTask(stage, board);
  const lot = chance.number();
  if (lot < 0.3) return board.setBoardStatus({ ...mineNow, status: "DONE", comment: work.result });
  if (lot < 0.46) return board.setBoardStatus({ ...mineNow, status: "BLOCKED", comment: work.problem });
  if (lot < 0.5)
    return board.moveBoardTask({ ...mineNow, action: "release", comment: chance.pick(releases) });
  if (lot < 0.72) return board.commentBoardTask({ id: task.id, comment: chance.pick(remarks) });
  // Otherwise nothing happens, so that some tasks miss their deadline.
  return undefined;
}

/** Sometimes takes over an abandoned task, otherwise claims the best free one. */
async function takeTask(stage: Stage, board: Board): Promise<unknown> {
  const { chance } = stage;
  const { rescues, works } = CONTENT[stage.language];
  const stuck = await listTasks(board, { status: ["STUCK"] });
  const [abandoned] = chance.some(stuck, 1);
  if (abandoned && chance.happens(0.5))
    return board.takeOverBoardTask({ ...asSeen(abandoned), comment: chance.pick(rescues) });
  const free = await listTasks(board, {
    status: ["NEW"],
    unassigned: true,
    has_unresolved_blockers: false,
    limit: 1,
  });
  const best = chance.pick(free);
  if (!best) return undefined;
  const { plan } = works.find(({ title }) => title === best.title) ?? chance.pick(works);
  return board.claimBoardTask({ id: best.id, comment: plan });
}

function isHeld({ status }: ListedBoardTask): boolean {
  return status === "IN_PROGRESS";
}
