import {
  creationPermission,
  didYouMean,
  PawlError,
  permissionOf,
  permissionRefusal,
  refuse,
} from "../../core/index.ts";
import type { Actor, Lifecycle, Refusal } from "../../core/index.ts";
import type { Route } from "../../api/index.ts";

/** Refuses an actor that may not call a route, whatever it sends. */
export type PermissionCheck = (actor: Actor) => Refusal | null;

/** Creates the check of a row's permission; throws INVALID_CONFIG for a name that none of the lifecycles has. */
export function permissionCheck(route: Route, lifecycles: readonly Lifecycle[]): PermissionCheck {
  const { permission } = route;
  if (permission === undefined || typeof permission === "object") return () => null;
  if (typeof permission === "function") return permission;
  const lifecycle = lifecycles.find((one) => permissionsOf(one).includes(permission));
  if (lifecycle) return (actor) => permissionRefusal(lifecycle, actor, permission);
  const meant = didYouMean(permission, lifecycles.flatMap(permissionsOf));
  throw new PawlError(
    "INVALID_CONFIG",
    `${route.method} ${route.path}: there is no permission "${permission}"${meant || "."}`,
  );
}

/** Refuses an actor that has none of the permissions which a body could name: for a body that cannot be read. */
export function anyPermissionCheck(lifecycles: readonly Lifecycle[]): PermissionCheck {
  return (actor) => {
    const may = lifecycles.some((lifecycle) =>
      requiredPermissions(lifecycle).some(
        (permission) => permissionRefusal(lifecycle, actor, permission) === null,
      ),
    );
    if (may) return null;
    const { roles } = actor;
    return refuse("FORBIDDEN", `None of your roles (${roles.join(", ")}) may do this.`, {
      roles,
    });
  };
}

function requiredPermissions(lifecycle: Lifecycle): string[] {
  const ofActions = Object.keys(lifecycle.actions).map((action) => permissionOf(lifecycle, action));
  return [creationPermission(lifecycle), ...ofActions];
}

/** Returns every permission of a lifecycle: of its creation, its actions and its permission table. */
function permissionsOf(lifecycle: Lifecycle): string[] {
  return [...requiredPermissions(lifecycle), ...Object.keys(lifecycle.permissions)];
}
