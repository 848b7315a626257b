import type { Client, FeedEvent } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";
import { openCanvas } from "./canvas.ts";
import { cut, oneLine } from "./display-width.ts";
import { shortId } from "./find-task.ts";
import { count } from "./print.ts";
import type { ServerPlace, Surroundings } from "./surroundings.ts";
import { moveText, taskTable } from "./task-table.ts";
import { stretch } from "./tell-time.ts";
import { unfinishedOf } from "./unfinished.ts";
import type { Unfinished } from "./unfinished.ts";

const RECENT = 5;
const PAGE = 200;
const MOST_PAGES = 5;
/** A busy org changes faster than anybody reads. */
const DRAW_EVERY_MS = 100;

type Live = {
  client: Client;
  place: ServerPlace;
  watching: { lifecycle?: string; project?: string };
  surroundings: Surroundings;
  signal: AbortSignal;
};

type View = {
  tasks: Map<string, TaskOnWire>;
  more: boolean;
  recent: FeedEvent[];
  connected: boolean;
};

/** Tasks that are under way and what happened last, drawn anew whenever something has, until the signal. */
export async function showLive({ client, place, watching, surroundings, signal }: Live): Promise<void> {
  const { out } = surroundings;
  const view: View = { tasks: new Map(), more: false, recent: [], connected: false };
  const unfinished = await unfinishedOf(client, watching.lifecycle);
  const stale = new Set<string>();
  let everythingIsStale = true;
  const canvas = openCanvas(out);
  const draw = () => {
    canvas.draw(frame(view, place, surroundings));
  };
  // Relative times grow older by themselves.
  const clock = setInterval(draw, 1_000);
  const refresher = refreshes(async () => {
    const ids = [...stale];
    stale.clear();
    if (everythingIsStale) {
      everythingIsStale = false;
      await loadAll(client, watching, unfinished, view, signal);
    } else for (const id of ids) await loadOne(client, id, unfinished, view, signal);
    draw();
  });
  try {
    draw();
    const onConnection = (state: "open" | "lost") => {
      view.connected = state === "open";
      // What happened before the stream stood is in the list, and what happens from now on is told.
      everythingIsStale ||= state === "open";
      refresher.ask();
    };
    const { lifecycle, project } = watching;
    for await (const event of client.events({ lifecycle, project_id: project, signal, onConnection })) {
      view.recent = [...view.recent, event].slice(-RECENT);
      stale.add(event.task_id);
      refresher.ask();
    }
  } finally {
    clearInterval(clock);
    refresher.stop();
    canvas.close();
  }
}

async function loadAll(
  client: Client,
  { lifecycle, project }: Live["watching"],
  unfinished: Unfinished,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  const tasks = new Map<string, TaskOnWire>();
  const query = { lifecycle, project_id: project, status: unfinished.statuses, limit: PAGE };
  let cursor: string | null | undefined;
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const answer = await client.listTasks({ ...query, cursor }, { signal });
    for (const task of answer.tasks) if (unfinished.has(task)) tasks.set(task.id, task);
    cursor = answer.cursor;
  }
  view.tasks = tasks;
  view.more = cursor !== null;
}

async function loadOne(
  client: Client,
  id: string,
  unfinished: Unfinished,
  view: View,
  signal: AbortSignal,
): Promise<void> {
  // Pruned, or not ours to see any more.
  const task = await client.getTask({ id }, { signal }).catch(() => null);
  if (task && unfinished.has(task)) view.tasks.set(id, task);
  else view.tasks.delete(id);
}

/** The lines of a screenful. */
function frame(
  { tasks, more, recent, connected }: View,
  { url }: ServerPlace,
  { out, now }: Surroundings,
): string[] {
  const { bold, dim, green, yellow } = out.colours;
  const state = connected ? green("live") : yellow("connecting …");
  const byStatus = new Map<string, number>();
  for (const { status } of tasks.values()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const counts = [...byStatus].sort(([, a], [, b]) => b - a).map(([status, amount]) => `${amount} ${status}`);
  const head = cut(
    `${count(tasks.size, "task")}${more ? " and more" : ""} under way: ${counts.join(", ")}`,
    out.columns,
  );
  const events = recent.map((event) => eventText(event, tasks.get(event.task_id), out.columns, now()));
  const room = Math.max(1, out.rows - 4 - (events.length === 0 ? 0 : events.length + 1));
  const newest = [...tasks.values()].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  const rows = newest.slice(0, newest.length > room ? room - 1 : room);
  const hidden = newest.length - rows.length;
  return [
    `${bold("Pawl")} ${cut(url, out.columns - 20)} ${state}`,
    tasks.size === 0 ? "Nothing is under way." : head,
    "",
    ...(rows.length === 0 ? [] : taskTable(rows, out, now()).split("\n")),
    ...(hidden === 0 ? [] : [dim(`… and ${hidden} more`)]),
    ...(events.length === 0 ? [] : ["", ...events.map(dim)]),
  ].slice(0, out.rows - 1);
}

function eventText(event: FeedEvent, task: TaskOnWire | undefined, columns: number, now: number): string {
  const ago = stretch(now - Date.parse(event.created_at)).padStart(6);
  const what = `${event.actor_id ?? "system"} ${event.action} ${moveText(event)}`;
  return cut(`${ago} ago  ${shortId(event.task_id)}  ${what}  ${oneLine(task?.title ?? "")}`, columns);
}

/** Does something soon after it was asked to, once for all who asked meanwhile. */
function refreshes(work: () => Promise<void>) {
  const state = { asked: false, running: false, stopped: false };
  const run = async () => {
    state.running = true;
    while (state.asked && !state.stopped) {
      state.asked = false;
      // A refusal ends the stream, which tells it; what passes is asked for again with the next event.
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, DRAW_EVERY_MS));
    }
    state.running = false;
  };
  return {
    ask: () => {
      state.asked = true;
      if (!state.running) void run();
    },
    stop: () => {
      state.stopped = true;
    },
  };
}
