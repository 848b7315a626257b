import type { CliEnvironment, ServerTarget } from "./cli-environment.ts";
import { isTty } from "./print.ts";

type ShownTask = { id: string; row_version: number };

/** The versions of tasks that terminals have shown, by the address of their server. */
export type ShownVersions = {
  find: (url: string, id: string) => Promise<number | null>;
  save: (url: string, tasks: readonly ShownTask[]) => Promise<void>;
};

/** Saves the versions of tasks that a person sees now. Output for programs is not saved. */
export async function saveShownVersions(
  { out, shownVersions }: Pick<CliEnvironment, "out" | "shownVersions">,
  { url }: Pick<ServerTarget, "url">,
  { tasks, json }: { tasks: readonly ShownTask[]; json: true | undefined },
): Promise<void> {
  if (isTty(out) && !json) await shownVersions.save(url, tasks);
}
