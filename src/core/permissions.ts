import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import type { Lifecycle, Roles } from "./lifecycle.ts";
import type { Actor } from "./task.ts";

/** May this role do this at all? Data beside the rules, asked by routes, `perform` and `explain` alike. */
export function permissionRefusal(lifecycle: Lifecycle, actor: Actor, permission: string): Refusal | null {
  if (actor.id === null) return null;
  const roles: Roles = lifecycle.permissions[permission] ?? "anyone";
  const allowed =
    roles === "anyone"
      ? actor.roles.some((role) => role !== "viewer")
      : roles.some((role) => actor.roles.includes(role));
  if (allowed) return null;
  const held = actor.roles.length > 0 ? `role ${actor.roles.join(", ")} has` : "a member without roles has";
  const holders = roles === "anyone" ? "every role but viewer" : roles.join(", ") || "nobody";
  return refuse("FORBIDDEN", `${capital(held)} no permission ${permission}; it belongs to ${holders}.`, {
    roles: actor.roles,
    permission,
  });
}

/** The permission that opens an action. */
export function permissionOf(lifecycle: Lifecycle, action: string): string {
  return lifecycle.actions[action]?.permission ?? `task.${action}`;
}

/** The permission that opens a creation. */
export function creationPermission(lifecycle: Lifecycle): string {
  return lifecycle.creation.permission ?? "task.create";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
