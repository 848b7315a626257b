import type { Lifecycle } from "../data/client.ts";

/** Whether somebody with these roles is among those whom a permission is for; the server has the last word. */
export function isFor(allowed: Lifecycle["creation"]["roles"], roles: readonly string[]): boolean {
  return allowed === "anyone" ? !isReadOnly(roles) : allowed.some((role) => roles.includes(role));
}

/** Who only looks. */
export function isReadOnly(roles: readonly string[]): boolean {
  return roles.every((role) => role === "viewer");
}

/** What somebody with these roles may do to tasks at all, be it to all of them or to a few. */
export function actionsFor({ actions, rules }: Lifecycle, roles: readonly string[]): Lifecycle["actions"] {
  const byMembers = new Set(
    rules.filter(({ who }) => who.some((one) => one !== "system")).map(({ action }) => action),
  );
  return actions.filter((action) => byMembers.has(action.name) && isFor(action.roles, roles));
}
