import { MAX_DIFF_LENGTH } from "../code-shapes.ts";
import type { Repository } from "./repository.ts";

export type WorkDiff = {
  base: string;
  commit: string;
  files: number;
  added: number;
  removed: number;
  diff: string;
  truncated: boolean;
};

// External programs and filters of the repository must not run: agents can write their settings.
const SAFE = ["--no-ext-diff", "--no-textconv", "--no-color", "--find-renames"];

/** Reads the changes between two commits, cut to the length that the server stores. */
export async function diffOf({ git }: Repository, base: string, commit: string): Promise<WorkDiff> {
  const [text, numbers] = await Promise.all([
    git(["diff", ...SAFE, base, commit]),
    git(["diff", ...SAFE, "--numstat", base, commit]),
  ]);
  const rows = numbers.split("\n").filter((line) => line !== "");
  // Binary files have "-" instead of numbers.
  const sum = (column: number) =>
    rows.reduce((total, row) => total + (Number(row.split("\t")[column]) || 0), 0);
  return { base, commit, files: rows.length, added: sum(0), removed: sum(1), ...cutDiff(text) };
}

/** Cuts a diff after a whole line. The database cannot store NUL. */
function cutDiff(text: string, max = MAX_DIFF_LENGTH): { diff: string; truncated: boolean } {
  const storable = text.replaceAll("\u0000", "\ufffd");
  if (storable.length <= max) return { diff: storable, truncated: false };
  return { diff: storable.slice(0, storable.lastIndexOf("\n", max) + 1), truncated: true };
}
