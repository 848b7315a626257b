import { onWire } from "./api.ts";
import type { CodeRun } from "./api.ts";
import type { RunEvent } from "./sql/read-run-events.ts";
import type { RunUsage } from "./sql/usage.ts";

/** Builds a task's attempts from its journal: each begins with `start` and ends with the next event. */
export function runsOf(events: readonly RunEvent[], spent: readonly RunUsage[] = []): CodeRun[] {
  const runs: CodeRun[] = [];
  for (const { row_version, action, to_status, actor_id, payload, created_at } of events) {
    if (action === "start") {
      runs.push({
        run: row_version,
        attempt: runs.length + 1,
        worker: actor_id,
        worktree: textOf(payload?.worktree),
        branch: textOf(payload?.branch),
        started_at: onWire(created_at),
        ended_at: null,
        outcome: null,
        error: null,
        exit_code: null,
        commit: null,
        ...usageOf(row_version, spent),
      });
      continue;
    }
    const run = runs.at(-1);
    if (run?.ended_at !== null) continue;
    run.ended_at = onWire(created_at);
    run.outcome = outcomeOf(action, to_status, payload);
    run.error = textOf(payload?.error) ?? textOf(payload?.description);
    run.exit_code = typeof payload?.exit_code === "number" ? payload.exit_code : null;
    run.commit = textOf(payload?.commit);
  }
  return runs;
}

function outcomeOf(action: string, to_status: string, payload: RunEvent["payload"]): CodeRun["outcome"] {
  if (action === "retry") return payload?.interrupted === true ? "interrupted" : "retried";
  if (action === "lease_lost") return "lost";
  if (action === "interrupt") return "stopped";
  return to_status as "completed" | "failed" | "blocked" | "review";
}

function usageOf(run: number, spent: readonly RunUsage[]): Pick<CodeRun, "agent" | "model" | "usage"> {
  const found = spent.find((one) => one.run === run);
  if (!found) return { agent: null, model: null, usage: null };
  const { run: _, agent, model, ...usage } = found;
  return { agent, model, usage };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
