import type { UnindexedLifecycle } from "./index-rules.ts";
import { didYouMean, nearest } from "./nearest.ts";

/** Permissions that routes require without an action. */
const ROUTES = ["create", "read", "update", "delete"];

/** Finds misspelt permissions. Such a mistake grants access, because an action without a row is open to every role but viewer. */
export function* validatePermissions(lifecycle: UnindexedLifecycle): Generator<string> {
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

  // A row may also belong to a route of the plugin, so only a row that resembles an action without a row is reported.
  const ofActions = Object.entries(actions).map(([action, spec]) => spec.permission ?? `task.${action}`);
  const used = [...ofActions, creation.permission, ...usual, ...ROUTES.map((word) => `task.${word}`)];
  const withoutRow = Object.keys(actions).filter((_, index) => !declared.includes(ofActions[index] ?? ""));
  for (const row of declared) {
    if (!row.startsWith("task.") || used.includes(row)) continue;
    const meant = nearest(row.slice("task.".length), withoutRow);
    if (meant !== null)
      yield `permissions list "${row}", which no action needs; did you mean "task.${meant}"?`;
  }
}
