import type { Task } from "./client.ts";

/** The labels of a task: the field `labels` of its data, if it is a list of texts. */
export function labelsOf({ data }: Pick<Task, "data">): string[] {
  const { labels } = data;
  return Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [];
}
