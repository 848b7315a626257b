import type { EventOnWire, TaskOnWire } from "../api/index.ts";
import { shortId } from "./find-task.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { isTty } from "./print.ts";
import type { Screen } from "./cli-environment.ts";
import { relativeTime, formatDuration } from "./format-time.ts";

type TableScreen = Pick<Screen, "colours" | "columns">;

/** Formats tasks, one line each. */
export function taskTable(tasks: readonly TaskOnWire[], screen: TableScreen, now: number): string {
  const { cyan, dim, yellow } = screen.colours;
  const tty = isTty(screen);
  const when = (moment: string | null) => (tty ? relativeTime(now, moment) : (moment ?? ""));
  const lifecycles = new Set(tasks.map(({ lifecycle }) => lifecycle));
  const projects = new Set(tasks.map(({ project_id }) => project_id));
  const columns: Column<TaskOnWire>[] = [
    { head: "id", of: ({ id }) => (tty ? shortId(id) : id), paint: cyan },
    // A terminal has no room for a value that all rows share; in a pipe all columns stay.
    ...(tty && lifecycles.size < 2
      ? []
      : [{ head: "lifecycle", of: (task: TaskOnWire) => task.lifecycle, spare: 4 }]),
    ...(tty && projects.size < 2
      ? []
      : [{ head: "project", of: (task: TaskOnWire) => task.project_id, cutTo: 8, spare: 2 }]),
    { head: "status", of: ({ status }) => status, paint: (text, task) => paintStatus(task, screen)(text) },
    { head: "assignee", of: ({ assigned_to }) => assigned_to ?? "", cutTo: 8, spare: 3 },
    { head: "title", of: ({ title }) => title, cutTo: 24 },
    {
      head: "due",
      spare: 1,
      of: ({ due_at }) => when(due_at),
      paint: (text, { due_at }) => (isPast(due_at, now) ? yellow(text) : text),
    },
    {
      head: "changed",
      of: ({ updated_at }) => (tty ? formatDuration(now - Date.parse(updated_at)) : updated_at),
      paint: dim,
    },
  ];
  return listTable(columns, tasks, screen);
}

/** Formats a task's journal. */
export function journalTable(events: readonly EventOnWire[], screen: TableScreen, now: number): string {
  const { bold, dim } = screen.colours;
  const columns: Column<EventOnWire>[] = [
    { head: "", of: ({ row_version }) => String(row_version), paint: dim, right: true },
    { head: "action", of: ({ action }) => action, paint: bold },
    { head: "status", of: moveText },
    { head: "by", of: ({ actor_id }) => actor_id ?? "system", cutTo: 8 },
    {
      head: "when",
      of: ({ created_at }) => (isTty(screen) ? relativeTime(now, created_at) : created_at),
      paint: dim,
    },
    { head: "comment", of: commentText, cutTo: 12 },
  ];
  return listTable(columns, events, screen);
}

/** `NEW → DONE`, or only the status if it did not change. */
export function moveText({ from_status, to_status }: Pick<EventOnWire, "from_status" | "to_status">): string {
  const to = to_status ?? "";
  return from_status === null || from_status === to_status ? to : `${from_status} → ${to}`;
}

/** Yellow if the task needs attention, green if someone works on it, else unchanged. */
export function paintStatus(
  { needs_attention, lease, assigned_to }: TaskOnWire,
  { colours }: Pick<Screen, "colours">,
): (text: string) => string {
  if (needs_attention) return colours.yellow;
  return lease !== null || assigned_to !== null ? colours.green : (text) => text;
}

function isPast(moment: string | null, now: number): boolean {
  return moment !== null && Date.parse(moment) < now;
}

/** Returns the comment of a journal row, preceded by the fields that it changed. */
function commentText({ comment, payload }: EventOnWire): string {
  const changes = changesOf(payload).map(
    ([name, change]) => `${name}: ${valueText(change.old)} → ${valueText(change.new)}`,
  );
  return [...changes, ...(comment === null ? [] : [comment])].join("; ");
}

/** Lists the fields of a payload that have an old and a new value. */
function changesOf(payload: EventOnWire["payload"]): [string, { old: unknown; new: unknown }][] {
  return Object.entries(payload ?? {}).filter((field): field is [string, { old: unknown; new: unknown }] => {
    const [, value] = field;
    return typeof value === "object" && value !== null && "old" in value && "new" in value;
  });
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return JSON.stringify(value);
}
