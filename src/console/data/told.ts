import type { ROUTES, ReplyOf } from "../../api/index.ts";

// What the server tells, under the names by which the console speaks of it.
export type Task = ReplyOf<typeof ROUTES.getTask>;
export type Moved = ReplyOf<typeof ROUTES.moveTask>;
export type JournalEntry = ReplyOf<typeof ROUTES.listTaskEvents>["events"][number];
export type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type Overview = ReplyOf<typeof ROUTES.getOverview>;
export type LifecycleFigures = Overview["lifecycles"][number];
export type LifecycleBrief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];
export type Member = ReplyOf<typeof ROUTES.getMember>;
export type Me = ReplyOf<typeof ROUTES.getMe>;
export type Project = ReplyOf<typeof ROUTES.getProject>;
export type Links = ReplyOf<typeof ROUTES.getTaskLinks>;
export type CheckReport = ReplyOf<typeof ROUTES.checkLifecycle>;
export type ConsolePlugin = ReplyOf<typeof ROUTES.listConsolePlugins>["plugins"][number];
export type UiTexts = NonNullable<ConsolePlugin["texts"]["en"]>;
export type Schema = Record<string, unknown>;

type Described = Shut<ReplyOf<typeof ROUTES.describeLifecycle>>;
/** Without what the contract leaves open: only the fields that have names. */
type Shut<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** A lifecycle's definition: what the contract names, and more of it that is always there. */
export type Lifecycle = Omit<Described, "statuses" | "actions" | "rules" | "creation"> & {
  statuses: (Shut<Described["statuses"][number]> & { timers?: Timer[] })[];
  actions: (Shut<Described["actions"][number]> & { summary?: string | null })[];
  rules: Shut<Described["rules"][number]>[];
  creation: Shut<Described["creation"]> & { to?: { status: string }[] };
  who?: { name: string; label: string }[];
  data?: Schema;
  settings?: { schema: Schema; defaults: Schema };
  pool?: { action: string; from: string } | null;
};
export type Timer = { action: string; since: string; after: Record<string, number | string> };
