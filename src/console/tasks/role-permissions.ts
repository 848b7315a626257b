import type { Lifecycle } from "../data/client.ts";

/** True if one of the roles has the permission; the server checks again. */
export function isAllowed(allowed: Lifecycle["creation"]["roles"], roles: readonly string[]): boolean {
  return allowed === "anyone" ? !isReadOnly(roles) : allowed.some((role) => roles.includes(role));
}

/** True for members that may not change anything. */
export function isReadOnly(roles: readonly string[]): boolean {
  return roles.every((role) => role === "viewer");
}

/** Actions that the roles allow on at least some tasks. */
export function actionsFor({ actions, rules }: Lifecycle, roles: readonly string[]): Lifecycle["actions"] {
  const byMembers = new Set(
    rules.filter(({ who }) => who.some((one) => one !== "system")).map(({ action }) => action),
  );
  return actions.filter((action) => byMembers.has(action.name) && isAllowed(action.roles, roles));
}
