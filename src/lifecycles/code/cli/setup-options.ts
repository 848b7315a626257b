import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import { numberBetween } from "../../../plugin/index.ts";
import { parseSize } from "../worker/disk-usage.ts";

export type SetupOptions = {
  setup?: string;
  copy?: string[];
  setupCache?: string[];
  setupTimeout?: number;
  cleanup?: string;
  cleanupTimeout?: number;
  setupFile: boolean;
  /** Bytes. */
  diskBudget?: number;
};

export const SETUP_TIMEOUT_MINUTES = 15;
export const CLEANUP_TIMEOUT_MINUTES = 1;

export function withSetupOptions(command: Command): Command {
  return command
    .option("--setup <command>", 'prepares each new worktree before its agent, such as "npm ci"')
    .option("--copy <patterns...>", "ignored files to copy from your checkout to worktrees, such as .env")
    .option(
      "--setup-cache <lock:folder...>",
      "keep what --setup made, by the contents of lock files: package-lock.json:node_modules",
    )
    .option(
      "--setup-timeout <minutes>",
      `how long --setup may run (default: ${SETUP_TIMEOUT_MINUTES})`,
      numberBetween(0.01, 10_080),
    )
    .option("--cleanup <command>", "runs in the worktree after each attempt, also a failed one")
    .option(
      "--cleanup-timeout <minutes>",
      `how long --cleanup may run (default: ${CLEANUP_TIMEOUT_MINUTES})`,
      numberBetween(0.01, 10_080),
    )
    .option(
      "--disk-budget <size>",
      "claim no tasks while worktrees and caches use more than this, such as 20GB",
      sizeOf,
    )
    .option("--no-setup-file", "ignore the file pawl.code.yaml of the target branch");
}

function sizeOf(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new InvalidArgumentError("It must be a size, such as 20GB or 500MB.");
  return bytes;
}
