import { z } from "zod";
import { findTooDeep, isRefusal, refuse, TOO_DEEP } from "../../core/index.ts";
import type { Lifecycle, Refusal } from "../../core/index.ts";
import { wrongField } from "../refusals.ts";
import type { MemberRow } from "../sql/members.ts";
import type { InboxRequest } from "../sql/pick-inbox.ts";
import { createCommand } from "../write/create.ts";
import type { CreateCommand } from "../write/create.ts";
import { newTaskOf } from "../write/sent-creation.ts";
import { admitCreations } from "../write/validate-creations.ts";

/** Turns a request into the command that POST /api/tasks would run, as the member that the request names. */
export function commandOfRequest(
  lifecycles: ReadonlyMap<string, Lifecycle>,
  { lifecycle, input, key }: InboxRequest,
  member: MemberRow | undefined,
): CreateCommand | Refusal {
  if (!member) return refuse("NOT_FOUND", "The member of this request does not exist.");
  if (!member.active) return refuse("MEMBER_INACTIVE", `The member "${member.id}" is inactive.`);
  const invalid = invalidInput(input);
  if (invalid) return invalid;
  const { active: _, ...actor } = member;
  const { client_event_id: __, ...sent } = input;
  const tasks = [newTaskOf({ ...sent, lifecycle })];
  const admitted = admitCreations(lifecycles, { tasks, actor: actor, client_event_id: key });
  return isRefusal(admitted) ? admitted : createCommand(admitted);
}

const moment = z.iso.datetime({ offset: true }).nullish();

/** Checks that the HTTP server makes before a body reaches the engine. */
function invalidInput(input: InboxRequest["input"]): Refusal | null {
  if (findTooDeep(input)) return wrongField("input", TOO_DEEP);
  const key = findPrototypeKey(input);
  if (key !== null) return wrongField("input", `the key "${key}" is not allowed`);
  if (!moment.safeParse(input.available_at).success)
    return wrongField("available_at", "must be a time in ISO 8601, such as 2026-01-05T12:00:00Z");
  return null;
}

/** Finds a key that would change the prototype of an object to which it is copied. */
function findPrototypeKey(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    if (key === "__proto__") return key;
    const found = findPrototypeKey(part);
    if (found !== null) return found;
  }
  return null;
}
