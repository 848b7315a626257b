import { z } from "zod";
import { MAX_NAME_LENGTH, MAX_TEXT_LENGTH, refuse } from "../../core/index.ts";
import type { Actor, Change, Guard, JsonObject, View, Who } from "../../core/index.ts";
import { PRIORITIES, PRIORITY, priorityOf } from "./priorities.ts";
import type { Priority } from "./priorities.ts";

const MAX_LABELS = 20;
const MAX_LABEL_LENGTH = 50;

export const title = z.string().trim().min(5).max(200);
export const description = z.string().max(MAX_TEXT_LENGTH).trim().min(1);
export const priority = z.enum(PRIORITIES);
const label = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LABEL_LENGTH)
  .regex(/^[^,\p{Cc}]*$/u, "must not contain commas or control characters");
export const labels = z
  .array(label)
  .max(MAX_LABELS)
  .transform((all) => [...new Set(all)])
  .describe(`at most ${MAX_LABELS} labels of at most ${MAX_LABEL_LENGTH} characters, without commas`);
const assignee_id = z.string().max(MAX_NAME_LENGTH).trim().min(1);

/** Fields that `edit` can change. */
export const editableFields = {
  title: title.optional(),
  description: description.optional(),
  priority: priority.optional(),
  labels: labels.nullish().describe("replace all labels of the task; null removes them"),
};

export const extensionActions = {
  edit: {
    event: "edited",
    summary: "Change the title, description, priority or labels",
    input: z
      .object(editableFields)
      .refine((input) => Object.values(input).some((value) => value !== undefined), {
        error: "name at least one field to change",
      }),
  },
  reassign: {
    event: "reassigned",
    summary: "Give the task to another member; its status and deadline stay the same",
    input: z.object({ assignee_id }),
    facts: ["assignee_works_here"],
  },
} as const;

const UNFINISHED = ["NEW", "IN_PROGRESS", "BLOCKED", "STUCK"] as const;
const editors = ["creator", "assignee", "operator"] as const;

export const extensionRules = [
  // A repeated edit is accepted without another journal row.
  { action: "edit", from: UNFINISHED, who: editors, guards: ["changes_nothing"], outcome: "absorbed" },
  { action: "edit", from: UNFINISHED, who: editors, effects: ["change_fields"] },
  {
    action: "reassign",
    from: UNFINISHED,
    who: editors,
    guards: ["new_assignee_differs", "new_assignee_works_here"],
    effects: ["give_to_assignee"],
  },
] as const;

type Data = { description: string; labels?: string[] | undefined };
type Input = {
  title?: string | undefined;
  description?: string | undefined;
  priority?: Priority | undefined;
  labels?: string[] | null | undefined;
  assignee_id?: string | null | undefined;
};
type Status = (typeof UNFINISHED)[number] | "DONE" | "CANCELLED";
type ExtensionView = View<Status, Data, JsonObject, { assignee_works_here?: boolean | undefined }, Input>;
/** A changed field in the journal. */
type FieldChange = { old: unknown; new: unknown };

export const extensionWho = {
  operator: { label: "lead or admin", test: ({ actor }: { actor: Actor }) => isOperator(actor) },
} as const satisfies Record<string, Who<ExtensionView>>;

function isOperator({ id, roles }: Actor): boolean {
  return id !== null && roles.some((role) => role === "lead" || role === "admin");
}

export const extensionGuards = {
  changes_nothing: (view) =>
    Object.keys(changesOf(view)).length === 0 || refuse("VALIDATION_ERROR", "The fields change."),
  new_assignee_differs: ({ task, input }) =>
    input.assignee_id !== task.assigned_to ||
    refuse("ALREADY_ASSIGNED", `The task is already assigned to ${task.assigned_to ?? ""}.`, {
      assignee_id: task.assigned_to,
    }),
  new_assignee_works_here: ({ facts, input }) =>
    facts.assignee_works_here === true || notAMember(input.assignee_id ?? ""),
} as const satisfies Record<string, Guard<ExtensionView>>;

/** Refuses an assignee that is inactive, a viewer or outside the workspace. */
export function notAMember(id: string) {
  return refuse(
    "VALIDATION_ERROR",
    `assignee_id: "${id}" is not an active member who may work in this workspace.`,
    { errors: [{ path: "assignee_id", message: "must be an active member who may work in the workspace" }] },
  );
}

export const extensionEffects = {
  change_fields: {
    change: (view: ExtensionView): Change<Data> => {
      const now = changesOf(view);
      const data: Partial<Data> = {};
      // The search reads title and description from one journal row, so that row has both.
      const text = now.title !== undefined || now.description !== undefined;
      if (text) data.description = view.input.description ?? view.task.data.description;
      if (now.labels) data.labels = view.input.labels ?? [];
      return {
        ...(text && { title: view.input.title ?? view.task.title }),
        ...(now.priority && { priority: PRIORITY[view.input.priority as Priority] }),
        ...(Object.keys(data).length > 0 && { data }),
      };
    },
    payload: (view: ExtensionView): JsonObject => changesOf(view),
  },
  give_to_assignee: {
    change: ({ input }: ExtensionView): Change<Data> => ({ assigned_to: input.assignee_id ?? null }),
    payload: ({ task, input }: ExtensionView): JsonObject => ({
      assignee_id: { old: task.assigned_to, new: input.assignee_id ?? null },
    }),
  },
};

/** Returns the fields that an edit changes, with their old and new values. */
function changesOf({ task, input }: Pick<ExtensionView, "task" | "input">): Record<string, FieldChange> {
  const { title: newTitle, description: newDescription, priority: newPriority, labels: newLabels } = input;
  const changes: Record<string, FieldChange> = {};
  const note = (name: string, before: unknown, after: unknown) => {
    if (JSON.stringify(before) !== JSON.stringify(after)) changes[name] = { old: before, new: after };
  };
  if (newTitle !== undefined) note("title", task.title, newTitle);
  if (newDescription !== undefined) note("description", task.data.description, newDescription);
  if (newPriority !== undefined) note("priority", priorityOf(task.priority), newPriority);
  if (newLabels !== undefined) note("labels", task.data.labels ?? [], newLabels ?? []);
  return changes;
}
