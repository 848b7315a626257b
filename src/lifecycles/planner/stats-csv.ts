import type { PlannerStats } from "./lead-shapes.ts";

type Cell = string | number | null;

/** Formats statistics as CSV: one row per figure, so that all parts fit into one table. */
export function statsCsv(stats: PlannerStats): string {
  const whole = (figure: string, value: Cell): Cell[] => ["all", null, figure, value];
  const load = (
    part: string,
    name: string | null,
    row: PlannerStats["people"][number] | PlannerStats["trades"][number],
  ) =>
    (["done", "rejected", "worked_minutes", "open"] as const).map((figure): Cell[] => [
      part,
      name,
      figure,
      row[figure],
    ]);
  const rows: Cell[][] = [
    ["part", "name", "figure", "value"],
    whole("from", stats.from),
    whole("to", stats.to),
    whole("done", stats.done),
    whole("rejected", stats.rejected),
    whole("lead_time_minutes_p50", stats.lead_time_minutes.p50),
    whole("lead_time_minutes_p90", stats.lead_time_minutes.p90),
    whole("first_pass_yield", stats.first_pass_yield),
    whole("rework_rate", stats.rework_rate),
    ...stats.days.map(({ from, done }): Cell[] => ["day", from, "done", done]),
    ...stats.people.flatMap((row) => load("person", row.member_id, row)),
    ...stats.trades.flatMap((row) => load("trade", row.trade, row)),
  ];
  return rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
}

/** Quotes a cell. Spreadsheets run a text that begins like a formula, so such a text gets an apostrophe. */
function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
