import { useEffect } from "react";
import type { Task } from "./client.ts";
import { useStoredJson } from "./stored-json.ts";

export type RecentTask = Pick<Task, "id" | "title" | "lifecycle" | "status">;

const MAX_RECENT = 8;
const NONE: RecentTask[] = [];

/** The tasks that the member opened last in this browser, newest first. */
export function useRecentTasks(): readonly RecentTask[] {
  return useStoredJson<RecentTask[]>("recent", { isValid: areTasks, otherwise: NONE })[0];
}

/** Adds an opened task to the recent ones. */
export function useRememberTask({ id, title, lifecycle, status }: RecentTask): void {
  const [recent, change] = useStoredJson<RecentTask[]>("recent", { isValid: areTasks, otherwise: NONE });
  useEffect(() => {
    const others = recent.filter((one) => one.id !== id);
    change([{ id, title, lifecycle, status }, ...others].slice(0, MAX_RECENT));
  }, [id, title, status]);
}

function areTasks(value: unknown): value is RecentTask[] {
  return Array.isArray(value) && value.every(isTask);
}

function isTask(value: unknown): value is RecentTask {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  return ["id", "title", "lifecycle", "status"].every((name) => typeof fields[name] === "string");
}
