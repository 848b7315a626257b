import type { Client, FeedEvent } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";
import { openCanvas } from "./canvas.ts";
import { cut, oneLine } from "./display-width.ts";
import { shortId } from "./find-task.ts";
import { count } from "./print.ts";
import type { ServerTarget, CliEnvironment } from "./cli-environment.ts";
import { moveText, taskTable } from "./task-table.ts";
import { formatDuration } from "./format-time.ts";
import { loadOpenStatuses } from "./open-statuses.ts";
import type { OpenStatuses } from "./open-statuses.ts";

const RECENT_EVENTS = 5;
const PAGE_SIZE = 200;
const MAX_PAGES = 5;
/** Minimum time between two drawings: a busy org changes faster than anyone can read. */
const DRAW_INTERVAL_MS = 100;

type Live = {
  client: Client;
  target: ServerTarget;
  watching: { lifecycle?: string; project?: string };
  environment: CliEnvironment;
  signal: AbortSignal;
};

type View = {
  tasks: Map<string, TaskOnWire>;
  more: boolean;
  recent: FeedEvent[];
  connected: boolean;
};

/** Shows open tasks and the latest events, redrawn at every change, until the signal aborts. */
export async function showLive({ client, target, watching, environment, signal }: Live): Promise<void> {
  const { out } = environment;
  const view: View = { tasks: new Map(), more: false, recent: [], connected: false };
  const open = await loadOpenStatuses(client, watching.lifecycle);
  const stale = new Set<string>();
  let allStale = true;
  const canvas = openCanvas(out);
  const draw = () => {
    canvas.draw(frame(view, target, environment));
  };
  // Relative times change without events.
  const clock = setInterval(draw, 1_000);
  const refresh = coalesced(async () => {
    const ids = [...stale];
    stale.clear();
    if (allStale) {
      allStale = false;
      await loadAll(client, watching, open, view, signal);
    } else for (const id of ids) await loadOne(client, id, open, view, signal);
    draw();
  });
  try {
    draw();
    const onConnection = (state: "open" | "lost") => {
      view.connected = state === "open";
      // Load the list after the stream is open: later changes arrive as events, so none is missed.
      allStale ||= state === "open";
      refresh.request();
    };
    const { lifecycle, project } = watching;
    for await (const event of client.events({ lifecycle, project_id: project, signal, onConnection })) {
      view.recent = [...view.recent, event].slice(-RECENT_EVENTS);
      stale.add(event.task_id);
      refresh.request();
    }
  } finally {
    clearInterval(clock);
    refresh.stop();
    canvas.close();
  }
}

async function loadAll(
  client: Client,
  { lifecycle, project }: Live["watching"],
  open: OpenStatuses,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  const tasks = new Map<string, TaskOnWire>();
  const query = { lifecycle, project_id: project, status: open.statuses, limit: PAGE_SIZE };
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
    const answer = await client.listTasks({ ...query, cursor }, { signal });
    for (const task of answer.tasks) if (open.has(task)) tasks.set(task.id, task);
    cursor = answer.cursor;
  }
  view.tasks = tasks;
  view.more = cursor !== null;
}

async function loadOne(
  client: Client,
  id: string,
  open: OpenStatuses,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  // The task was pruned, or is no longer visible to the caller.
  const task = await client.getTask({ id }, { signal }).catch(() => null);
  if (task && open.has(task)) view.tasks.set(id, task);
  else view.tasks.delete(id);
}

/** Renders the lines of one screen. */
function frame(
  { tasks, more, recent, connected }: View,
  { url }: ServerTarget,
  { out, now }: CliEnvironment,
): string[] {
  const { bold, dim, green, yellow } = out.colours;
  const state = connected ? green("live") : yellow("connecting …");
  const byStatus = new Map<string, number>();
  for (const { status } of tasks.values()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const counts = [...byStatus].sort(([, a], [, b]) => b - a).map(([status, amount]) => `${amount} ${status}`);
  const head = cut(
    `${more ? "more than " : ""}${count(tasks.size, "open task")}: ${counts.join(", ")}`,
    out.columns,
  );
  const events = recent.map((event) => eventText(event, tasks.get(event.task_id), out.columns, now()));
  // The lines above the tasks, the heads of the table, and one that stays free below.
  const room = Math.max(1, out.rows - 5 - (events.length === 0 ? 0 : events.length + 1));
  const newest = [...tasks.values()].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  const rows = newest.slice(0, newest.length > room ? room - 1 : room);
  const hidden = newest.length - rows.length;
  return [
    `${bold("Pawl")} ${cut(url, out.columns - 20)} ${state}`,
    tasks.size === 0 ? "No open tasks." : head,
    "",
    ...(rows.length === 0 ? [] : taskTable(rows, out, now()).split("\n")),
    ...(hidden === 0 ? [] : [dim(`… and ${hidden} more`)]),
    ...(events.length === 0 ? [] : ["", ...events.map(dim)]),
  ].slice(0, out.rows - 1);
}

function eventText(event: FeedEvent, task: TaskOnWire | undefined, columns: number, now: number): string {
  const ago = formatDuration(now - Date.parse(event.created_at)).padStart(6);
  const what = `${event.actor_id ?? "system"} ${event.action} ${moveText(event)}`;
  return cut(`${ago} ago  ${shortId(event.task_id)}  ${what}  ${oneLine(task?.title ?? "")}`, columns);
}

/** Runs `work` soon after a request, once for all requests that come meanwhile. */
function coalesced(work: () => Promise<void>) {
  const state = { requested: false, running: false, stopped: false };
  const run = async () => {
    state.running = true;
    while (state.requested && !state.stopped) {
      state.requested = false;
      // Errors can be ignored: a refusal also ends the stream, which reports it, and the next event retries the rest.
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, DRAW_INTERVAL_MS));
    }
    state.running = false;
  };
  return {
    request: () => {
      state.requested = true;
      if (!state.running) void run();
    },
    stop: () => {
      state.stopped = true;
    },
  };
}
