import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import type { Lifecycle, Roles } from "./lifecycle.ts";
import type { Actor } from "./task.ts";

/** Refuses an actor whose roles lack a permission. Routes, `perform` and `explain` all use it. */
export function permissionRefusal(lifecycle: Lifecycle, actor: Actor, permission: string): Refusal | null {
  if (actor.id === null) return null;
  const roles: Roles = lifecycle.permissions[permission] ?? "anyone";
  const allowed =
    roles === "anyone"
      ? actor.roles.some((role) => role !== "viewer")
      : roles.some((role) => actor.roles.includes(role));
  if (allowed) return null;
  const held = actor.roles.length > 0 ? `role ${actor.roles.join(", ")} has` : "a member without roles has";
  const holders = roles === "anyone" ? "every role but viewer" : roles.join(", ") || "no role";
  return refuse("FORBIDDEN", `${capital(held)} no permission ${permission}; it belongs to ${holders}.`, {
    roles: actor.roles,
    permission,
  });
}

/** Returns the permission that an action needs. */
export function permissionOf(lifecycle: Lifecycle, action: string): string {
  return lifecycle.actions[action]?.permission ?? `task.${action}`;
}

/** Refuses an action that a token confined to one task can never perform, such as the approval of the token's own work. */
export function confinementRefusal(
  lifecycle: Lifecycle,
  action: string,
  isConfined: boolean,
): Refusal | null {
  if (!isConfined || lifecycle.actions[action]?.unconfined !== true) return null;
  return refuse("TOKEN_CONFINED", `A token that is confined to one task cannot be used for "${action}".`, {
    action,
  });
}

/** Returns the permission that a creation needs. */
export function creationPermission(lifecycle: Lifecycle): string {
  return lifecycle.creation.permission ?? "task.create";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
