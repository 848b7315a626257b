import type { Named } from "./index-rules.ts";
import { didYouMean, nearest } from "./nearest.ts";

/** What routes ask for without naming an action. */
const ROUTES = ["create", "read", "update", "delete"];

/** A misspelt permission opens what was meant to be closed: what has no row is open to every role but viewer. */
export function* mispermitted(lifecycle: Named): Generator<string> {
  const declared = Object.keys(lifecycle.permissions);
  if (declared.length === 0) return;
  const usual = Object.keys(lifecycle.actions).map((action) => `task.${action}`);
  const known = [...new Set([...declared, ...usual, "task.create"])];

  const { creation, actions } = lifecycle;
  const named = Object.entries(actions).map(([action, spec]) => [`action "${action}"`, spec.permission]);
  for (const [where, permission] of [...named, ["creation", creation.permission]]) {
    if (permission !== undefined && !known.includes(permission))
      yield `${where} names the unknown permission "${permission}"${didYouMean(permission, known)}`;
  }

  // Rows may also belong to routes of the lifecycle's own: only one that all but names an action without a row is a slip.
  const opening = Object.entries(actions).map(([action, spec]) => spec.permission ?? `task.${action}`);
  const asked = [...opening, creation.permission, ...usual, ...ROUTES.map((word) => `task.${word}`)];
  const rowless = Object.keys(actions).filter((_, index) => !declared.includes(opening[index] ?? ""));
  for (const row of declared) {
    if (!row.startsWith("task.") || asked.includes(row)) continue;
    const meant = nearest(row.slice("task.".length), rowless);
    if (meant !== null)
      yield `permissions name "${row}", which opens no action; did you mean "task.${meant}"?`;
  }
}
