import type { CliEnvironment, ServerTarget, ShownTask } from "./cli-environment.ts";
import { isTty } from "./print.ts";

/** Saves the versions of tasks that a person sees now. Output for programs is not saved. */
export async function saveShownVersions(
  { out, shownVersions }: Pick<CliEnvironment, "out" | "shownVersions">,
  { url }: Pick<ServerTarget, "url">,
  { tasks, json }: { tasks: readonly ShownTask[]; json: true | undefined },
): Promise<void> {
  if (isTty(out) && !json) await shownVersions.save(url, tasks);
}
