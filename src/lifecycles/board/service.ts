import { fromOf, isRefusal, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { notFound, readClock } from "../../plugin/index.ts";
import type { Caller, Engine, Performed, PerformRequest, PublicTask, Tx } from "../../plugin/index.ts";
import { boardEvent, boardTask, listedTask } from "./board-task.ts";
import { onWire, onWireOrNull, STATUSES } from "./api.ts";
import type { BoardEvent, BoardStatus, BoardTask, ListedBoardTask } from "./api.ts";
import { board } from "./lifecycle.ts";
import { PRIORITY } from "./priorities.ts";
import type { Priority } from "./priorities.ts";
import { listBoard } from "./sql/list-board.ts";
import { readBlockedBy } from "./sql/read-blocked-by.ts";
import { readBoardEvents } from "./sql/read-board-events.ts";
import { searchBoard } from "./sql/search-board.ts";
import { countStatEvents, readCurrentCounts, readNames } from "./sql/read-stats.ts";
import { startOf, countByAgent, countWorkspace } from "./stats.ts";
import type { Period } from "./stats.ts";

type ListQuery = {
  status?: readonly BoardStatus[] | undefined;
  assignee?: string | undefined;
  unassigned?: boolean | undefined;
  visibility?: "public" | "private" | undefined;
  priority?: readonly Priority[] | undefined;
  label?: readonly string[] | undefined;
  q?: string | undefined;
  overdue?: boolean | undefined;
  has_unresolved_blockers?: boolean | undefined;
  sort?: readonly string[] | undefined;
  limit: number;
  offset: number;
};

const FINISHED = STATUSES.filter((status) => board.statuses[status]?.final === true);

/** Actions with their own route or timer; setting a status never chooses them. */
const NAMED_MOVES = new Set(["claim", "escalate", "take_over", "expire"]);

/** The operations of the board. */
export class BoardService {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async list(
    { org_id, actor }: Caller,
    workspace_id: string,
    query: ListQuery,
  ): Promise<{ tasks: ListedBoardTask[]; total: number }> {
    const statuses = query.status ?? STATUSES;
    return this.engine.transaction(async (tx) => {
      const words = query.q;
      const ids =
        words === undefined ? null : await searchBoard(tx, org_id, { workspace_id, reader: actor.id, words });
      const { rows, total } = await listBoard(tx, org_id, {
        workspace_id,
        reader: actor.id,
        statuses,
        with_finished: FINISHED.some((status) => statuses.includes(status)),
        assignee: query.assignee === "me" ? actor.id : (query.assignee ?? null),
        unassigned: query.unassigned ?? null,
        private: query.visibility === undefined ? null : query.visibility === "private",
        priorities: query.priority?.map((name) => PRIORITY[name]) ?? null,
        labels: query.label ?? null,
        ids,
        overdue: query.overdue ?? null,
        has_unresolved_blockers: query.has_unresolved_blockers ?? null,
        sort: query.sort ?? ["-priority", "created_at"],
        limit: query.limit,
        offset: query.offset,
      });
      const listed = rows.map((row) => row.id);
      const [blockers, now] = await Promise.all([readBlockedBy(tx, org_id, listed), readClock(tx)]);
      return { tasks: rows.map((row) => listedTask(row, blockers.get(row.id) ?? [], now)), total };
    });
  }

  /** Converts tasks to the board's fields. */
  present(caller: Caller, tasks: readonly PublicTask[]): Promise<BoardTask[]> {
    return this.engine.transaction((tx) => presentTasks(tx, caller, tasks));
  }

  async presentMove(
    caller: Caller,
    { task, event }: Performed,
  ): Promise<{ task: BoardTask; event: BoardEvent | null }> {
    const [presented] = (await this.present(caller, [task])) as [BoardTask];
    return { task: presented, event: event && boardEvent({ ...event, actor_name: caller.actor.name }) };
  }

  async find(caller: Caller, id: string): Promise<{ task: BoardTask; events: BoardEvent[] } | Refusal> {
    const task = await this.engine.find(caller, id);
    if (isRefusal(task)) return task;
    if (task.lifecycle !== "board") return notFound(id);
    return this.engine.transaction(async (tx) => {
      const [[presented], events] = await Promise.all([
        presentTasks(tx, caller, [task]),
        readBoardEvents(tx, caller.org_id, task.id),
      ]);
      return { task: presented as BoardTask, events: events.map(boardEvent) };
    });
  }

  /** Changes the status by the action that leads to it. */
  setStatus(
    caller: Caller,
    to: BoardStatus,
    request: Omit<PerformRequest, "action">,
  ): Promise<Performed | Refusal> {
    const choose = ({ status }: { status: string }) =>
      movesTo(to, status)[0] ??
      refuse("INVALID_TRANSITION", `No rule leads from ${status} to ${to}.`, { status, to });
    return this.engine.perform(caller, { ...request, to_status: to, choose });
  }

  async stats({ org_id, actor }: Caller, workspace_id: string, period: Period, agent_id: string | null) {
    return this.engine.transaction(async (tx) => {
      const now = await readClock(tx);
      const since = startOf(period, now);
      const scope = { workspace_id, reader: actor.id };
      const [events, present] = await Promise.all([
        countStatEvents(tx, org_id, { ...scope, since }),
        readCurrentCounts(tx, org_id, scope),
      ]);
      const agents = [...countByAgent(events, present)]
        .filter(([id]) => agent_id === null || id === agent_id)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const names = await readNames(
        tx,
        org_id,
        agents.map(([id]) => id),
      );
      return {
        period,
        period_start: onWireOrNull(since === 0 ? null : since),
        period_end: onWire(now),
        agents: agents.map(([id, counts]) => ({ agent_id: id, agent_name: names.get(id) ?? id, ...counts })),
        workspace: countWorkspace(events, present),
      };
    });
  }
}

async function presentTasks(tx: Tx, { org_id }: Caller, tasks: readonly PublicTask[]): Promise<BoardTask[]> {
  const ids = tasks.map((task) => task.id);
  const [blockers, now] = await Promise.all([readBlockedBy(tx, org_id, ids), readClock(tx)]);
  return tasks.map((task) => boardTask(task, blockers.get(task.id) ?? [], now));
}

/** Lists the actions that lead from one status to another. */
function movesTo(to: string, from: string): string[] {
  const rules = board.rules.filter(
    (rule) => rule.to === to && !NAMED_MOVES.has(rule.action) && fromOf(rule).includes(from),
  );
  return [...new Set(rules.map((rule) => rule.action))];
}
