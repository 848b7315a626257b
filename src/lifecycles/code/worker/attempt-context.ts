import type { TaskOf } from "../../../client/index.ts";
import type { code } from "../lifecycle.ts";
import type { MergeStrategy } from "./merge-work.ts";
import type { OutputUploader } from "./output-uploader.ts";
import type { Repository } from "./repository.ts";
import type { WorktreeSetup } from "./set-up-worktree.ts";
import type { Note } from "./task-notes.ts";
import type { UsageRecorder } from "./usage-recorder.ts";
import type { Worktree } from "./worktree.ts";

export type CodeTask = TaskOf<typeof code>;

export type Phase = "preparing" | "set-up" | "working" | "verifying" | "merging";

export type AgentSettings = {
  /** The name of a preset, or the agent's command with placeholders. */
  agent: string;
  /** Runs the agent of a preset without sandbox and permission checks. */
  allowEverything?: boolean | undefined;
  /** Shell command that must succeed after the work is rebased onto the target. */
  verify: string | null;
  /** How each worktree is prepared and cleaned up. */
  setup?: WorktreeSetup | null | undefined;
  /** How work is merged; default: as in the project. */
  merge?: MergeStrategy | undefined;
  timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. */
  killAfterMs?: number;
  /** Whether the repository's hooks run on commits. */
  hooks: boolean;
  /** The server's URL, for the agent. */
  url: string;
  /** The folder that a relative path in the agent's command starts from. */
  from: string;
};

/** Work that passed `verify` and waits for a person's approval. */
export type ReviewedResult = { base: string; commit: string };

/** Everything that the steps of one attempt use. */
export type Attempt = {
  repository: Repository;
  rules: AgentSettings;
  task: CodeTask;
  worktree: Worktree;
  /** The task's row_version at the start of the attempt. */
  run: number;
  token: string;
  signal: AbortSignal;
  output: OutputUploader;
  usage: UsageRecorder;
  onPhase: (phase: Phase) => void;
  /** Reads the task again: its agent may have reported an obstacle. */
  readTask: () => Promise<CodeTask>;
  /** Reads what people wrote on the task. */
  readNotes: () => Promise<Note[]>;
  /** Returns whether a person must approve the work. */
  needsReview: () => Promise<boolean>;
  /** Stores the changes on the server, for people who look at the task. */
  uploadDiff: (result: ReviewedResult) => Promise<void>;
  /** Records on the server the commit that the target is about to move to; throws if the lease is lost. */
  recordMerge: (commit: string) => Promise<void>;
};
