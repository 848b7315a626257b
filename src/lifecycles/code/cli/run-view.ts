import { cut, oneLine, shortId, widthOf } from "../../../plugin/index.ts";
import type { Screen } from "../../../plugin/index.ts";
import { fitRows } from "./fit-rows.ts";
import type { ViewRow } from "./fit-rows.ts";
import type { CodeWorkerEvent } from "../worker/code-worker-options.ts";

export type Counts = {
  by_status: Readonly<Record<string, number>>;
  total: number;
  /** Ready tasks that are paused. */
  held?: number;
  /** Why no task is claimed today. */
  budget_spent?: string | null;
};

type AtWork = {
  id: string;
  title: string;
  phase: string;
  since: number;
  line: string;
  tool: string;
  attempt: number;
  worktree: string | null;
  /** US dollars, if the agent reports them. */
  cost: number | null;
};
type Recent = { at: number; mark: "done" | "again" | "failed" | "note"; id: string; text: string };

const MAX_RECENT = 6;
const MAX_LOG_LINES = 1_000;
/** Tasks whose output is kept for the log view. */
const MAX_LOGS = 50;

/** The live view of a worker: updated by its events, drawn as lines. */
export class RunView {
  counts: Counts = { by_status: {}, total: 0 };
  connected = true;
  stopping = false;
  /** The task that keys apply to; null if there are no keys. */
  selected: string | null = null;
  /** The last line of the screen, such as a list of keys. */
  footer = "";
  private readonly logs = new Map<string, string[]>();
  private readonly place: { root: string; target: string; workers: number };
  private readonly startedAt: number;
  private readonly atWork = new Map<string, AtWork>();
  private recent: Recent[] = [];

  constructor(place: RunView["place"], begunAt: number) {
    this.place = place;
    this.startedAt = begunAt;
  }

  onEvent(event: CodeWorkerEvent, now: number): void {
    if (event.kind === "unreachable" || event.kind === "reached") {
      this.connected = event.kind === "reached";
      return;
    }
    if (event.kind === "renewal_failed" || event.kind === "push_failed" || event.kind === "over_budget") {
      const text = eventLine(event) ?? "";
      this.recent = [...this.recent, { mark: "note" as const, text, at: now, id: "" }].slice(-MAX_RECENT);
      return;
    }
    if (event.kind === "claimed") return;
    this.connected = true;
    const { id, title, attempt } = event.task;
    if (event.kind === "phase" || event.kind === "output" || event.kind === "cost") {
      const known = this.atWork.get(id) ?? { ...NEW, id, title, since: now, attempt };
      if (event.kind === "output") {
        // Agents print full paths, which leave no space for the name of the file.
        const line = known.worktree === null ? event.line : event.line.replaceAll(`${known.worktree}/`, "");
        Object.assign(known, { line, tool: event.tool ?? "" });
        this.addToLog(id, line);
      } else if (event.kind === "cost") known.cost = (known.cost ?? 0) + event.usd;
      else Object.assign(known, { phase: event.phase, attempt, worktree: event.worktree });
      this.atWork.set(id, known);
      return;
    }
    const note = noteOf(event);
    if (note) this.recent = [...this.recent, { ...note, at: now, id }].slice(-MAX_RECENT);
    if (["finished", "failed", "released", "lost", "refused"].includes(event.kind)) this.atWork.delete(id);
  }

  private addToLog(id: string, line: string): void {
    const lines = this.logs.get(id) ?? [];
    lines.push(line);
    if (lines.length > MAX_LOG_LINES) lines.splice(0, lines.length - MAX_LOG_LINES);
    // The latest task is last, so that the oldest one is dropped.
    this.logs.delete(id);
    this.logs.set(id, lines);
    const [oldest] = this.logs.keys();
    if (this.logs.size > MAX_LOGS && oldest !== undefined) this.logs.delete(oldest);
  }

  /** Returns the latest lines of a task's output. */
  logOf(id: string): readonly string[] {
    return this.logs.get(id) ?? [];
  }

  /** Lists the tasks on the screen, in order. `worktree` is null unless an agent is at work there. */
  shown(): { id: string; atWork: boolean; worktree: string | null }[] {
    const atWork = [...this.atWork.values()].map(({ id, worktree }) => ({ id, atWork: true, worktree }));
    const ids = new Set(this.recent.map(({ id }) => id).filter((id) => id !== "" && !this.atWork.has(id)));
    return [...atWork, ...[...ids].map((id) => ({ id, atWork: false, worktree: null }))];
  }

  /** Draws the lines of one screen. */
  frame({ columns, rows, colours }: Screen, now: number): string[] {
    const { bold, dim, cyan, green, red, yellow } = colours;
    const { root, target, workers } = this.place;
    const state: Piece = this.stopping
      ? ["stopping: agents may finish; press Ctrl-C again to stop them now", yellow]
      : this.connected
        ? ["live", green]
        : ["server unreachable; agents continue", yellow];
    const place = cut(root, Math.max(10, columns - 50));
    const MARK: Record<Recent["mark"], Piece> = {
      done: ["✓", green],
      again: ["↻", yellow],
      failed: ["✗", red],
      note: ["·", dim],
    };
    const idle = workers - this.atWork.size;
    const free: Piece[] = [[`  ${idle} of ${workers} free`, dim]];
    const head: Piece[][] = [
      [["Pawl", bold], " ", ["code", dim], `  ${place} `, ["→", dim], " ", [target, cyan], "  ", state],
      this.progress(columns, colours, now),
      ...(this.counts.budget_spent ? [[[this.counts.budget_spent, yellow] as Piece]] : []),
      [],
    ];
    const results = this.recent.map((one, index): ViewRow<Piece[]> => {
      const { at, mark, id, text } = one;
      // A task is selected in one row: that of its agent, or of its latest result.
      const isLatest =
        !this.atWork.has(id) && this.recent.findLastIndex((other) => other.id === id) === index;
      const pointer = isLatest ? this.pointer(id) : " ";
      const start: Piece = [`${pointer}${clock(now - at).padStart(5)}`, dim];
      const line = [start, " ", MARK[mark], " ", [shortId(id), dim] as Piece, `  ${text}`];
      return { kind: "result", id: isLatest ? id : null, line };
    });
    const body: ViewRow<Piece[]>[] = [
      ...[...this.atWork.values()].flatMap((work, slot) => this.slotRows(work, slot, now, colours)),
      ...(idle > 0 && !this.stopping ? [spaceRow(free)] : []),
      ...(results.length === 0 ? [] : [spaceRow([])]),
      ...results,
    ];
    const footer: Piece[][] = this.footer === "" ? [] : [[], [[this.footer, dim]]];
    const height = Math.max(0, rows - 1 - footer.length - head.length);
    return [...head, ...fitRows(body, height, this.selected), ...footer]
      .slice(0, Math.max(1, rows - 1))
      .map((pieces) => lineOf(pieces, columns));
  }

  private pointer(id: string): string {
    return id !== "" && id === this.selected ? "▸" : " ";
  }

  private slotRows(
    { id, title, phase, since, line, tool, attempt, cost }: AtWork,
    slot: number,
    now: number,
    { bold, dim, cyan }: Screen["colours"],
  ): ViewRow<Piece[]>[] {
    const about = `  ${phase.padEnd(9)} ${clock(now - since).padStart(7)}`;
    const again = attempt === 0 ? "" : ` try ${attempt + 1}`;
    const spent = cost === null ? "" : ` $${cost.toFixed(2)}`;
    const firstLine: Piece[] = [
      [`${this.pointer(id)} ${String(slot + 1).padStart(2)} `, dim],
      [shortId(id), cyan],
      `${about}${again}${spent}  `,
      [oneLine(title), bold],
      [phase === "working" && tool !== "" ? `  ${oneLine(tool)}` : "", dim],
    ];
    return [
      { kind: "agent", id, line: firstLine },
      { kind: "output", id: null, line: [[`     ${oneLine(line) || "…"}`, dim]] },
    ];
  }

  private progress(columns: number, { cyan, dim, red, green }: Screen["colours"], now: number): Piece[] {
    const of = (status: string) => this.counts.by_status[status] ?? 0;
    const { total } = this.counts;
    const done = of("completed");
    const length = Math.max(10, Math.min(30, columns - 70));
    const filled = total === 0 ? 0 : Math.round((done / total) * length);
    const failed = total === 0 ? 0 : Math.min(length - filled, Math.round((of("failed") / total) * length));
    const atWork = of("claimed") + of("in_progress");
    const many = (count: number, what: string) => (count > 0 ? ` · ${count} ${what}` : "");
    return [
      ["█".repeat(filled), green],
      ["█".repeat(failed), red],
      ["░".repeat(length - filled - failed), dim],
      `  ${done} of ${total} done · `,
      [clock(now - this.startedAt), cyan],
      many(atWork, "at work") + many(of("ready"), "ready") + many(of("blocked"), "waiting"),
      [many(of("failed"), "failed"), red],
    ];
  }
}

const NEW = { phase: "preparing", line: "", tool: "", worktree: null, cost: null };

/** A text, optionally with a color. */
type Piece = string | [text: string, color: (text: string) => string];

function spaceRow(line: Piece[]): ViewRow<Piece[]> {
  return { kind: "space", id: null, line };
}

/** Joins pieces and cuts them to the width of the screen; color codes have no width. */
function lineOf(pieces: readonly Piece[], columns: number): string {
  let left = columns;
  const shown = pieces.map((piece) => {
    const [text, color] = typeof piece === "string" ? [piece, (plain: string) => plain] : piece;
    if (left <= 0 || text === "") return "";
    const fitting = cut(text, left);
    left = fitting === text ? left - widthOf(text) : 0;
    return color(fitting);
  });
  return shown.join("");
}

function noteOf(
  event: Exclude<
    CodeWorkerEvent,
    { kind: "claimed" | "unreachable" | "reached" | "renewal_failed" | "push_failed" | "over_budget" }
  >,
): Pick<Recent, "mark" | "text"> | null {
  const title = oneLine(event.task.title);
  const first = (text: string) => oneLine(text.split("\n", 1)[0] ?? "");
  switch (event.kind) {
    case "finished": {
      const { status, data } = event.task;
      if (status === "completed")
        return { mark: "done", text: `${title}  ${(data.commit ?? "").slice(0, 10)}` };
      if (status === "failed")
        return { mark: "failed", text: `${title}: ${first(data.last_error ?? "failed")}` };
      if (status === "review") return { mark: "done", text: `${title} waits for review` };
      return { mark: "note", text: `${title} is ${status}: ${first(data.blocked_reason ?? "")}` };
    }
    case "retried":
      return { mark: "again", text: `${title}: ${first(event.error)}` };
    case "failed":
      return { mark: "failed", text: `${title}: ${first(event.failure.message)}` };
    case "released":
      return { mark: "note", text: `${title} was released` };
    case "lost":
      return { mark: "note", text: `${title}: ${first(event.why)}` };
    case "refused":
      return { mark: "failed", text: `${title}: ${first(event.problem.detail)}` };
    default:
      return null;
  }
}

/** Returns the line of an event, for output that is not a terminal; null: not printed. */
export function eventLine(event: CodeWorkerEvent): string | null {
  if (event.kind === "unreachable") return "server unreachable; agents continue";
  if (event.kind === "reached") return "server reachable again";
  if (event.kind === "renewal_failed")
    return `lease renewal failed, retrying: ${oneLine(event.error.message)}`;
  if (event.kind === "push_failed" || event.kind === "over_budget") return oneLine(event.error.message);
  if (event.kind === "claimed" || event.kind === "output" || event.kind === "cost") return null;
  const about = `${event.task.id} ${oneLine(event.task.title)}`;
  if (event.kind === "started") return `claimed ${about}`;
  if (event.kind === "phase") return event.phase === "preparing" ? null : `${event.phase} ${about}`;
  if (event.kind === "merged") return `merged ${about} ${event.commit.slice(0, 10)}`;
  if (event.kind === "review_requested")
    return `review requested ${about}${event.pull_request === null ? "" : ` ${event.pull_request}`}`;
  const note = noteOf(event);
  const word = event.kind === "finished" ? event.task.status : event.kind;
  return `${word} ${event.task.id} ${note?.text ?? ""}`.trimEnd();
}

/** Formats a duration as `0:07`, `12:34` or `1:02:03`. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
