import type { EventOnWire, TaskOnWire } from "../api/index.ts";
import { atServer } from "./at-server.ts";
import { oneLine } from "./display-width.ts";
import type { ExitCode } from "./exit-code.ts";
import { findTaskId } from "./find-task.ts";
import { isTty, print } from "./print.ts";
import type { ConnectFlags, Screen, CliEnvironment } from "./cli-environment.ts";
import { journalTable, paintStatus } from "./task-table.ts";
import { saveShownVersions } from "./shown-versions.ts";
import { relativeTime } from "./format-time.ts";
import { wrap } from "./wrap.ts";

/** `pawl tasks show <id>` */
export function showTask(
  environment: CliEnvironment,
  { id: typed, json, ...flags }: ConnectFlags & { id: string; json?: true },
): Promise<ExitCode> {
  const { out, now } = environment;
  return atServer(environment, flags, async ({ client, target }) => {
    const id = await findTaskId(client, typed);
    const [task, { events }, { actions }] = await Promise.all([
      client.getTask({ id }),
      client.listTaskEvents({ id }),
      client.explainTask({ id }),
    ]);
    await saveShownVersions(environment, target, { tasks: [task], json });
    const possible = actions.filter(({ allowed }) => allowed).map(({ action }) => action);
    return print(out, {
      json,
      value: { ...task, events, possible },
      text: () => taskPage({ task, events, possible }, out, now()),
    });
  });
}

function taskPage(
  { task, events, possible }: { task: TaskOnWire; events: EventOnWire[]; possible: string[] },
  out: Screen,
  now: number,
): string {
  const { bold } = out.colours;
  const facts = factsOf(task, out, now);
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const lines = facts.map(([name, text, paint = same]) => {
    const wrapped = wrap(oneLine(text), out.columns, width);
    return `${out.colours.dim(name.padEnd(width))}${paint(wrapped)}`;
  });
  const may =
    possible.length === 0
      ? "There is no action that you may perform now."
      : `You may: ${possible.join(", ")}`;
  return [
    bold(wrap(oneLine(task.title), out.columns, 0)),
    ...lines,
    "",
    journalTable(events, out, now),
    "",
    wrap(may, out.columns, 0),
  ].join("\n");
}

type Fact = [name: string, text: string, paint?: (text: string) => string];

function factsOf(task: TaskOnWire, out: Screen, now: number): Fact[] {
  const when = (moment: string | null) => {
    if (moment === null) return "";
    return isTty(out) ? `${relativeTime(now, moment)} (${clockText(moment)})` : moment;
  };
  const facts: Fact[] = [
    ["id", task.id, out.colours.cyan],
    ["lifecycle", `${task.lifecycle} v${task.lifecycle_version}`],
    ["project", task.project_id],
    ["status", task.status, paintStatus(task, out)],
    ["assigned to", task.assigned_to ?? ""],
    ["attention", task.needs_attention ? "needed" : "", out.colours.yellow],
    ["waits for", waitsFor(task)],
    ["lease", task.lease === null ? "" : `${task.lease.holder}, until ${when(task.lease.until)}`],
    ["due", task.due_at === null ? "" : `${task.due_action ?? ""} ${when(task.due_at)}`],
    ["not before", when(task.available_at)],
    ["priority", task.priority === 0 ? "" : String(task.priority)],
    ["attempt", task.attempt === 0 ? "" : String(task.attempt)],
    ["created", `${when(task.created_at)} by ${task.created_by ?? "the system"}`],
    ["changed", `${when(task.updated_at)}, version ${task.row_version}`],
    ...Object.entries(task.data).map(([name, value]): Fact => [
      oneLine(name),
      isMoment(name, value) ? when(new Date(value).toISOString()) : valueText(value),
    ]),
  ];
  return facts.filter(([, text]) => text !== "");
}

function waitsFor({ open_blockers, open_holds }: TaskOnWire): string {
  return [
    ...(open_blockers === 0 ? [] : [`${open_blockers} other task${open_blockers === 1 ? "" : "s"}`]),
    ...(open_holds === 0 ? [] : [`${open_holds} hold${open_holds === 1 ? "" : "s"}`]),
  ].join(", ");
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  return JSON.stringify(value, (name, part: unknown) =>
    isMoment(name, part) ? new Date(part).toISOString() : part,
  );
}

/** Returns whether a field of a lifecycle's data is a moment: by convention its name ends in `_at`. */
function isMoment(name: string, value: unknown): value is number {
  return name.endsWith("_at") && typeof value === "number" && Math.abs(value) <= MAX_MOMENT;
}

/** The last moment that a Date can hold. */
const MAX_MOMENT = 8.64e15;

/** Local date and time. */
function clockText(moment: string): string {
  return new Date(moment).toLocaleString("sv-SE");
}

function same(text: string): string {
  return text;
}
