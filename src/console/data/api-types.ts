import type { ROUTES, ReplyOf } from "../../api/index.ts";

// Reply types of the API under the console's names.
export type Task = ReplyOf<typeof ROUTES.getTask>;
export type Moved = ReplyOf<typeof ROUTES.moveTask>;
export type JournalEntry = ReplyOf<typeof ROUTES.listTaskEvents>["events"][number];
export type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type Overview = ReplyOf<typeof ROUTES.getOverview>;
export type Insights = ReplyOf<typeof ROUTES.getInsights>;
export type InboxRequest = ReplyOf<typeof ROUTES.listInbox>["requests"][number];
export type LifecycleFigures = Overview["lifecycles"][number];
export type LifecycleBrief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];
/** A member, as the API returns it. */
export type Member = ReplyOf<typeof ROUTES.getMember>;
/** The signed-in member, with its org. */
export type Me = ReplyOf<typeof ROUTES.getMe>;
export type Project = ReplyOf<typeof ROUTES.getProject>;
export type Links = ReplyOf<typeof ROUTES.getTaskLinks>;
export type CheckReport = ReplyOf<typeof ROUTES.checkLifecycle>;
export type ConsolePlugin = ReplyOf<typeof ROUTES.listConsolePlugins>["plugins"][number];
export type FieldUi = ConsolePlugin["fields"][string];
export type FieldList = Exclude<NonNullable<FieldUi["pick"]>, string>;
export type UiTexts = NonNullable<ConsolePlugin["texts"]["en"]>;
export type Schema = Record<string, unknown>;

type Described = NamedFields<ReplyOf<typeof ROUTES.describeLifecycle>>;
/** Drops the index signature, leaving the named fields. */
type NamedFields<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** A lifecycle's definition: the fields of the API schema, and further fields that the server sends. */
export type Lifecycle = Omit<Described, "statuses" | "actions" | "rules" | "creation"> & {
  statuses: (NamedFields<Described["statuses"][number]> & { timers?: Timer[] })[];
  actions: (NamedFields<Described["actions"][number]> & { summary?: string | null })[];
  rules: NamedFields<Described["rules"][number]>[];
  creation: NamedFields<Described["creation"]> & { to?: { status: string }[] };
  who?: { name: string; label: string }[];
  data?: Schema;
  settings?: { schema: Schema; defaults: Schema };
  pool?: { action: string; from: string } | null;
};
export type Timer = { action: string; since: string; after: Record<string, number | string> };
