import type { Sql } from "../../postgres/index.ts";
import { touchTokens } from "../sql/sessions.ts";

/** Delay of a write, in which further uses are collected. */
const WRITE_DELAY_MS = 1_000;

/** Records when tokens were last used, in the background: a failed write delays no request, and the next use repeats it. */
export class LastUses {
  private readonly sql: Sql;
  private readonly timeoutMs: number;
  private waiting = new Map<string, Set<string>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(sql: Sql, timeoutMs: number) {
    this.sql = sql;
    this.timeoutMs = timeoutMs;
  }

  add(org_id: string, token_id: string): void {
    const ids = this.waiting.get(org_id);
    if (ids) ids.add(token_id);
    else this.waiting.set(org_id, new Set([token_id]));
    this.timer ??= setTimeout(() => void this.write(), WRITE_DELAY_MS).unref();
  }

  private async write(): Promise<void> {
    const uses = this.waiting;
    this.waiting = new Map();
    this.timer = null;
    await Promise.allSettled(
      [...uses].map(([org_id, ids]) => touchTokens(this.sql, this.timeoutMs, org_id, [...ids])),
    );
  }
}
