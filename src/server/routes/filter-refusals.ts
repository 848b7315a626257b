import { isRefusal } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Caller, Directory } from "../../engine/index.ts";

/** Refuses a project that does not exist or that the caller may not see. Without a project, all visible ones are meant. */
export async function projectRefusal(
  directory: Directory,
  caller: Caller,
  id: string | null | undefined,
): Promise<Refusal | null> {
  if (id == null) return null;
  const project = await directory.project(caller, id);
  return isRefusal(project) ? project : null;
}

/** Refuses a member that does not exist. */
export async function memberRefusal(
  directory: Directory,
  caller: Caller,
  id: string | undefined,
): Promise<Refusal | null> {
  if (id === undefined) return null;
  const member = await directory.member(caller, id);
  return isRefusal(member) ? member : null;
}
