import { isStorable, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { adminRefusal, noMember, reachRefusal } from "../directory/directory-refusals.ts";
import type { Caller } from "../caller.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import type { EngineObserver } from "../observer.ts";
import { countInbox, discardFromInbox, findInInbox, listInbox, restoreInInbox } from "../sql/list-inbox.ts";
import type { InboxCounts, InboxQuery, InboxRow } from "../sql/list-inbox.ts";
import { findMember } from "../sql/members.ts";
import { listInboxGroups, pickChosen, pickInbox } from "../sql/pick-inbox.ts";
import type { InboxGroup, InboxRequest } from "../sql/pick-inbox.ts";
import { addBinding, hasSqlRole, listBindings, removeBinding } from "../sql/sql-bindings.ts";
import type { BindingRow } from "../sql/sql-bindings.ts";
import { isUuid } from "../../std/uuid.ts";
import type { Tx } from "../transaction.ts";
import type { Writer } from "../write/writer.ts";
import { admitRequests } from "./admit-requests.ts";
import type { Admission } from "./admit-requests.ts";

/** A request that waits or was refused. */
export type InboxEntry = InboxRow;
/** A SQL role and a member that it may act as. */
export type Binding = BindingRow;

/** The result of another attempt; `entry` is null if the task was created. */
export type InboxRetry = {
  kind: "retried";
  outcome: "created" | "refused" | "waiting";
  task_id: string | null;
  entry: InboxEntry | null;
};

type InboxPage = { kind: "page"; entries: InboxEntry[]; cursor: string | null } & InboxCounts;

type InboxDeps = {
  registry: LifecycleRegistry;
  writer: Writer;
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  observer: EngineObserver | undefined;
};

const MAX_BINDINGS = 1_000;

/** The requests that `pawl.enqueue` stored: nodes create their tasks; admins see and repeat the refused ones. */
export class Inbox {
  private readonly deps: InboxDeps;

  constructor(deps: InboxDeps) {
    this.deps = deps;
  }

  /** Lists the groups with due requests that this node can decide. */
  groups(): Promise<InboxGroup[]> {
    const { registry, transaction } = this.deps;
    return transaction((tx) => listInboxGroups(tx, [...registry.lifecycles.keys()]));
  }

  /** Creates the tasks of the oldest due requests of a group. */
  admit(group: InboxGroup, limit: number): Promise<Admission[]> {
    return this.admitPicked(group.org_id, (tx) => pickInbox(tx, group, { limit }));
  }

  private async admitPicked(org_id: string, pick: (tx: Tx) => Promise<InboxRequest[]>): Promise<Admission[]> {
    const { writer, observer } = this.deps;
    const begun = performance.now();
    const admissions = await admitRequests(writer, org_id, pick);
    const answered = admissions.flatMap((one) =>
      one.command && one.kind !== "later" ? [{ command: one.command, outcome: one.answer }] : [],
    );
    if (answered.length > 0) observer?.settled?.({ verb: "create", answered, ms: performance.now() - begun });
    return admissions;
  }

  /** Lists the requests of the caller's projects, newest first. */
  async list(
    { org_id, actor }: Caller,
    { state = null, cursor = null, limit = 50 }: Partial<Omit<InboxQuery, "projects">> = {},
  ): Promise<InboxPage | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    const projects = actor.project_ids;
    const [rows, counts] = await this.deps.transaction((tx) =>
      Promise.all([
        listInbox(tx, org_id, { state, cursor, projects, limit: limit + 1 }),
        countInbox(tx, org_id, projects),
      ]),
    );
    const entries = rows.slice(0, limit);
    const next = rows.length > limit ? (entries.at(-1)?.id ?? null) : null;
    return { kind: "page", entries, cursor: next, ...counts };
  }

  /** Tries a request again at once, or leaves it to another node if this one does not serve its lifecycle. */
  async retry({ org_id, actor }: Caller, id: string): Promise<InboxRetry | Refusal> {
    const { registry, transaction } = this.deps;
    const entry = await this.change({ org_id, actor }, id, (tx) => restoreInInbox(tx, org_id, id));
    if ("code" in entry) return entry;
    const admissions = registry.lifecycles.has(entry.lifecycle)
      ? await this.admitPicked(org_id, (tx) => pickChosen(tx, org_id, [id]))
      : [];
    const created = admissions.find((one) => one.kind === "created");
    if (created)
      return {
        kind: "retried",
        outcome: "created",
        task_id: created.answer.tasks[0]?.id ?? null,
        entry: null,
      };
    const after = await transaction((tx) => findInInbox(tx, org_id, id, actor.project_ids));
    // Another node was faster.
    if (!after) return { kind: "retried", outcome: "created", task_id: null, entry: null };
    return {
      kind: "retried",
      outcome: after.refused_at === null ? "waiting" : "refused",
      task_id: null,
      entry: after,
    };
  }

  /** Deletes a request. */
  async discard({ org_id, actor }: Caller, id: string): Promise<{ kind: "discarded" } | Refusal> {
    const entry = await this.change({ org_id, actor }, id, (tx) => discardFromInbox(tx, org_id, id));
    return "code" in entry ? entry : { kind: "discarded" };
  }

  private async change(
    { org_id, actor }: Caller,
    id: string,
    work: (tx: Tx) => Promise<void>,
  ): Promise<InboxEntry | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isUuid(id)) return noRequest(id);
    return this.deps.transaction(async (tx) => {
      const entry = await findInInbox(tx, org_id, id, actor.project_ids);
      if (!entry) return noRequest(id);
      await work(tx);
      return entry;
    });
  }

  /** Lists the SQL roles that may act as members of the org. */
  async bindings({ org_id, actor }: Caller): Promise<{ kind: "bindings"; bindings: Binding[] } | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    const bindings = await this.deps.transaction((tx) => listBindings(tx, org_id, MAX_BINDINGS));
    return { kind: "bindings", bindings };
  }

  /** Lets a SQL role act as a member; has no effect if it already may. */
  bind(
    caller: Caller,
    role_name: string,
    member_id: string,
  ): Promise<{ kind: "bound"; binding: Binding } | Refusal> {
    const { org_id, actor } = caller;
    return this.changeBinding(caller, role_name, member_id, async (tx) => {
      if (!(await hasSqlRole(tx, role_name))) return noRole(role_name);
      const binding = await addBinding(tx, org_id, { role_name, member_id, created_by: actor.id });
      return { kind: "bound" as const, binding };
    });
  }

  unbind(caller: Caller, role_name: string, member_id: string): Promise<{ kind: "unbound" } | Refusal> {
    return this.changeBinding(caller, role_name, member_id, async (tx) =>
      (await removeBinding(tx, caller.org_id, { role_name, member_id }))
        ? { kind: "unbound" as const }
        : refuse("NOT_FOUND", `The role "${role_name}" is not bound to the member "${member_id}".`),
    );
  }

  private async changeBinding<T>(
    { org_id, actor }: Caller,
    role_name: string,
    member_id: string,
    work: (tx: Tx) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    const forbidden = adminRefusal(actor);
    if (forbidden) return forbidden;
    if (!isStorable(member_id)) return noMember(member_id);
    if (!isStorable(role_name)) return noRole(role_name);
    return this.deps.transaction(async (tx) => {
      const member = await findMember(tx, org_id, member_id);
      return member ? (reachRefusal(actor, member) ?? work(tx)) : noMember(member_id);
    });
  }
}

function noRequest(id: string): Refusal {
  return refuse("NOT_FOUND", `There is no request ${id} in the inbox.`, { id });
}

function noRole(role_name: string): Refusal {
  return refuse("NOT_FOUND", `The database has no role "${role_name}".`, { id: role_name });
}
