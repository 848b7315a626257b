"use client";
export { PawlProvider, useClient } from "./provider.ts";
export { useActions } from "./use-actions.ts";
export type { LiveActions } from "./use-actions.ts";
export { useTask } from "./use-task.ts";
export type { LiveTask } from "./use-task.ts";
export { useTasks } from "./use-tasks.ts";
export type { LiveTasks } from "./use-tasks.ts";
