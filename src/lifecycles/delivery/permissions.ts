import { refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";

/** Users belong to the whole org. They are managed in its project main, by admins and by the bot, which is a service. */
export function requireUserManager({ kind, roles, project_ids }: Actor): Refusal | null {
  if (project_ids?.includes("main") === false)
    return refuse(
      "FORBIDDEN",
      "The library is managed in the project main, and you are not a member of it.",
      {
        project_ids,
      },
    );
  if (kind === "service" || roles.includes("admin")) return null;
  return refuse("FORBIDDEN", "Only admins and the bot (a member of kind service) may do this.", {
    roles,
  });
}

/** Only members that read files may see their paths in the storage. */
export function requireFileReader(actor: Actor): Refusal | null {
  const { roles } = actor;
  if (roles.includes("worker")) return null;
  return (
    requireUserManager(actor) &&
    refuse("FORBIDDEN", "Only workers, admins and the bot may do this.", { roles })
  );
}
