import { didYouMean } from "./nearest.ts";

/** The lifecycles that ship with Pawl. A library runs those that it lists, a server all of them unless it is configured otherwise. */
export const BUILT_IN_NAMES = ["board", "planner", "delivery", "code", "bot-actions"] as const;

/** Completes "There is no lifecycle …": how to turn on a built-in one, or the name that was probably meant; otherwise empty. */
export function lifecycleHint(name: string, known: Iterable<string>): string {
  return (BUILT_IN_NAMES as readonly string[]).includes(name)
    ? `: this built-in plugin is off. Add it to \`plugins\` of openPawl, or to PAWL_BUILT_IN_PLUGINS of the server.`
    : didYouMean(name, known);
}
