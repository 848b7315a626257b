import { refuse } from "../../core/index.ts";
import type { Actor, Refusal } from "../../core/index.ts";
import type { MemberRow } from "../sql/members.ts";

/** Refuses actors that are not admins: any member may read the directory, but only admins may change it. */
export function adminRefusal({ id, roles }: Actor): Refusal | null {
  if (id === null || roles.includes("admin")) return null;
  return refuse("FORBIDDEN", "Only a member with the role admin may do this.", {
    roles,
    permission: "admin",
  });
}

/** Refuses an admin of some projects who would grant access to others. */
export function reachRefusal(actor: Actor, { project_ids }: Pick<MemberRow, "project_ids">): Refusal | null {
  const own = actor.project_ids;
  if (own === null) return null;
  const reached = new Set(own);
  if (project_ids?.every((id) => reached.has(id))) return null;
  return refuse("FORBIDDEN", `This would give access beyond your projects (${own.join(", ") || "none"}).`, {
    project_ids: own,
  });
}

export function lastAdmin(id: string): Refusal {
  return refuse("LAST_ADMIN", `"${id}" is the last admin of this org: make another member an admin first.`, {
    id,
  });
}

export function taken(kind: "member" | "project", id: string): Refusal {
  return refuse("ALREADY_EXISTS", `The ${kind} "${id}" already exists.`, { id });
}

export function noMember(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no member "${id}".`, { id });
}

export function noProject(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no project "${id}".`, { id });
}

export function noToken(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no token ${id}.`, { id });
}
