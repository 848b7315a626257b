import type { AnyClient } from "../../../client/index.ts";
import type { WorkerEvent } from "../../../worker/index.ts";
import type { code } from "../lifecycle.ts";
import type { AgentSettings, CodeTask, Phase } from "./attempt-context.ts";
import type { Remote } from "./publish.ts";
import type { Repository } from "./repository.ts";

/** Events of a worker. */
export type CodeWorkerEvent =
  | WorkerEvent<typeof code>
  | { kind: "phase"; task: CodeTask; phase: Phase; worktree: string | null }
  | { kind: "output"; task: CodeTask; line: string; tool: string | null }
  /** The agent has reported a cost, in US dollars, that earlier events do not include. */
  | { kind: "cost"; task: CodeTask; usd: number }
  | { kind: "retried"; task: CodeTask; error: string }
  | { kind: "merged"; task: CodeTask; commit: string }
  | { kind: "review_requested"; task: CodeTask; pull_request: string | null }
  /** A push failed; work that is merged stays merged. */
  | { kind: "push_failed"; error: Error }
  /** Worktrees and caches exceed the budget: no task is claimed until there is space. */
  | { kind: "over_budget"; error: Error };

export type CodeWorkerOptions = {
  client: AnyClient;
  repository: Repository;
  rules: AgentSettings;
  /** How many agents run at once. */
  workers: number;
  project_id?: string | undefined;
  /** Where branches that wait for review, and the target after merges, are pushed. */
  remote?: Remote | null | undefined;
  /** Maximum number of bytes of worktrees and caches; over it, no task is claimed. */
  diskBudget?: number | null | undefined;
  graceMs?: number | undefined;
  onEvent?: ((event: CodeWorkerEvent) => void) | undefined;
};
