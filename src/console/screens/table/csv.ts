import type { Task } from "../../data/client.ts";
import type { Column } from "./columns.ts";

/** Spreadsheets read a value that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** The tasks as CSV (RFC 4180), a column each. */
export function csvOf(columns: readonly Pick<Column, "title" | "text">[], tasks: readonly Task[]): string {
  const rows = [
    columns.map(({ title }) => title),
    ...tasks.map((task) => columns.map(({ text }) => text(task))),
  ];
  return rows.map((row) => `${row.map(fieldOf).join(",")}\r\n`).join("");
}

function fieldOf(value: string): string {
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Saves a text as a file. The mark at its start shows spreadsheets that it is UTF-8. */
export function downloadCsv(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
