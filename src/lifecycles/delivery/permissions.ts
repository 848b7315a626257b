import { refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";

/** Users belong to the whole org and are managed from its project main, by admins and by the bot, which is a service. */
export function keepsUsers({ kind, roles, project_ids }: Actor): Refusal | null {
  if (project_ids?.includes("main") === false)
    return refuse("FORBIDDEN", "The library is managed from the project main, which is not one of yours.", {
      project_ids,
    });
  if (kind === "service" || roles.includes("admin")) return null;
  return refuse("FORBIDDEN", "This is for admins, and for the bot (a member of the kind service).", {
    roles,
  });
}

/** Only members who read files may see where the storage has them. */
export function readsFiles(actor: Actor): Refusal | null {
  const { roles } = actor;
  if (roles.includes("worker")) return null;
  return keepsUsers(actor) && refuse("FORBIDDEN", "This is for workers, admins, and the bot.", { roles });
}
