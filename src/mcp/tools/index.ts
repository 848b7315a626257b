import type { Tool } from "../tool.ts";
import { act } from "./act.ts";
import { claimTask } from "./claim-task.ts";
import { commentOnTask } from "./comment.ts";
import { createTasks } from "./create-tasks.ts";
import { getTask } from "./get-task.ts";
import { listTasks } from "./list-tasks.ts";
import { waitForChanges } from "./wait-for-changes.ts";

/** All tools, for all lifecycles. */
export const TOOLS: readonly Tool[] = [
  listTasks,
  getTask,
  createTasks,
  claimTask,
  act,
  commentOnTask,
  waitForChanges,
];
