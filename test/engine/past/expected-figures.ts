import { BIN_BOUNDS_MS } from "../../../src/engine/read/histogram.ts";
import { FIRST_MONDAY, GRAINS } from "../../../src/engine/sql/roll-up-events.ts";

export type JournalRow = {
  task_id: string;
  row_version: number;
  lifecycle: string;
  project_id: string;
  type: string;
  from_status: string | null;
  to_status: string;
  private: boolean;
  assigned_to: string | null | undefined;
  created_at: number;
};

/** Figures by a key that joins the columns of a row. */
export type Figures = Record<"flow" | "stay" | "finish" | "level", Map<string, number>>;

const FINAL = new Set(["left", "sent_away"]);

/** Adds up the figures of journals in the plain way: task by task, with everything in memory. */
export function expectedFigures(journals: readonly (readonly JournalRow[])[]): Figures {
  const figures: Figures = { flow: new Map(), stay: new Map(), finish: new Map(), level: new Map() };
  for (const journal of journals) addJournal(figures, journal);
  return figures;
}

function addJournal(figures: Figures, journal: readonly JournalRow[]): void {
  const [first] = journal;
  let status: string | null = null;
  let entered = 0;
  let seen = false;
  let person: string | null = null;
  for (const row of journal) {
    const isNew = row.row_version === 1;
    const removed = row.type === "deleted";
    const came = isNew ? "+" : seen ? status! : "-";
    const went = row.private || removed ? "-" : row.to_status;
    if ((seen || !row.private) && came !== went) {
      add(figures.flow, row, [row.project_id, came, went], { most: 604_800 });
      if (came !== "+" && came !== "-") addLevel(figures, row, came, -1);
      if (went !== "-") addLevel(figures, row, went, 1);
      if (came !== "+" && came !== "-" && went !== "-")
        for (const who of person === null ? [""] : ["", person])
          add(figures.stay, row, [who, row.project_id, came, binOf(row.created_at - entered)]);
      if (came !== "-" && FINAL.has(went))
        add(figures.finish, row, [row.project_id, person ?? "", binOf(row.created_at - first!.created_at)]);
    }
    if (row.to_status !== status) entered = row.created_at;
    status = row.to_status;
    seen = !row.private;
    if (row.assigned_to !== undefined) person = row.assigned_to;
  }
}

function addLevel({ level }: Figures, row: JournalRow, status: string, change: number): void {
  const key = [row.lifecycle, row.project_id, status].join(" ");
  level.set(key, (level.get(key) ?? 0) + change);
}

function add(
  figures: Map<string, number>,
  row: JournalRow,
  columns: readonly (string | number)[],
  { most = Infinity } = {},
): void {
  for (const { seconds } of GRAINS.filter((grain) => grain.seconds <= most)) {
    const [length, monday] = [seconds * 1_000, FIRST_MONDAY * 1_000];
    const start = Math.floor((row.created_at - monday) / length) * length + monday;
    const key = [seconds, start, row.lifecycle, ...columns].join(" ");
    figures.set(key, (figures.get(key) ?? 0) + 1);
  }
}

function binOf(ms: number): number {
  const bin = BIN_BOUNDS_MS.findIndex((bound) => ms < bound);
  return bin < 0 ? BIN_BOUNDS_MS.length : bin;
}

/** Leaves out empty rows, and periods that the job may or may not have counted, because they were about to be deleted. */
export function comparable({ level, ...periods }: Figures, now: number): Record<string, string[]> {
  const sorted = (rows: Map<string, number>, keep: (key: string) => boolean) =>
    [...rows].flatMap(([key, count]) => (count !== 0 && keep(key) ? [`${key}: ${count}`] : [])).sort();
  const isKept = (key: string) => {
    const [seconds = 0, start = 0] = key.split(" ").map(Number);
    const kept = GRAINS.find((grain) => grain.seconds === seconds)?.kept ?? 0;
    return start > now - kept * 1_000 + 120_000;
  };
  return {
    ...Object.fromEntries(Object.entries(periods).map(([name, rows]) => [name, sorted(rows, isKept)])),
    level: sorted(level, () => true),
  };
}
