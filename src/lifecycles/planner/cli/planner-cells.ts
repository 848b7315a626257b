import { isTty, relativeTime, shortId } from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, Screen } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { PLANNER_ROUTES } from "../api.ts";

/** The options of every command that calls the server. */
export type Flags = ConnectFlags & { json?: true };

export function callsOf(client: Client) {
  return client.calls(PLANNER_ROUTES);
}

export type PlannerCalls = ReturnType<typeof callsOf>;

/** An id: short in a terminal, whole in a pipe. */
export function idCell(out: Screen, id: string): string {
  return isTty(out) ? shortId(id) : id;
}

/** A moment: relative in a terminal, exact in a pipe; empty for null. */
export function momentCell({ out, now }: CliEnvironment, moment: string | null): string {
  return isTty(out) ? relativeTime(now(), moment) : (moment ?? "");
}

/** Reads all pages of a list. */
export async function allPages<Row>(
  read: (cursor: string | undefined) => Promise<{ rows: readonly Row[]; cursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    rows.push(...page.rows);
    if (page.cursor === null) return rows;
    cursor = page.cursor;
  }
}
