import { canSee, decideCreation, draftOf, isRefusal, refuse } from "../../core/index.ts";
import type { Actor, Created, Draft, Instant, JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import type { AdmittedCreation, AdmittedTask } from "./validate-creations.ts";
import { failedBlocker, failureAction } from "./failed-blockers.ts";
import { findCycle } from "./find-cycle.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { publicTask } from "../read/public-task.ts";
import type { PublicTask } from "../read/public-task.ts";
import { wrongField } from "../refusals.ts";
import { isUuid } from "../../std/uuid.ts";
import { lockBlockers } from "../sql/dependencies.ts";
import type { BlockerRow, NewDependency, OnFailure } from "../sql/dependencies.ts";
import { findByDedupeKey } from "../sql/find-tasks.ts";
import type { NewTaskRow } from "../sql/save-creations.ts";
import { isSuccess, taskOf } from "../task-row.ts";
import type { TaskRow } from "../task-row.ts";
import type { Tx } from "../transaction.ts";
import { Retry } from "./command-queue.ts";

/** The answer to a creation; the lists have the order of the request. */
export type CreatedTasks = {
  kind: "created";
  tasks: PublicTask[];
  /** True where a task with the same dedupe key existed already. */
  existing: boolean[];
  /** Results of their side effects, by kind; absent without side effects. */
  made?: (JsonObject | null)[];
  replayed: boolean;
};

/** A task with the lifecycle's draft and its blockers, before it is decided. */
export type Drafted = AdmittedTask & {
  settings: JsonObject;
  facts: JsonObject;
  draft: Draft;
  blockers: readonly string[];
  policies: ReadonlyMap<string, OnFailure>;
};

type EffectRequest = Parameters<LifecycleRegistry["runEffects"]>[1][number];

/** `settings` are those of the projects, as text. */
type CreationContext = {
  org_id: string;
  registry: LifecycleRegistry;
  now: Instant;
  settings: ReadonlyMap<string, string>;
};

/** Decides creations in order; each sees the tasks of the ones before it. */
export class Creations {
  readonly dependencies: NewDependency[] = [];
  readonly effectRequests: EffectRequest[] = [];
  /** Tasks that were committed by an earlier attempt whose connection was lost. */
  committed: ReadonlyMap<string, TaskRow> = new Map();
  private readonly context: CreationContext;
  private rows: NewTaskRow[] = [];
  private blockers = new Map<string, BlockerRow>();
  /** Existing tasks by lifecycle and dedupe key. */
  private duplicates = new Map<string, TaskRow>();
  /** Id of a task in the request → id of its existing duplicate. */
  private readonly existingIds = new Map<string, string>();
  private readonly facts = new Map<string, JsonObject>();
  private readonly usedKeys = new Set<string>();

  constructor(context: CreationContext) {
    this.context = context;
  }

  /** Returns the rows of the tasks decided since the last call. */
  takeRows(): NewTaskRow[] {
    const { rows } = this;
    this.rows = [];
    const awaited = new Set(
      this.dependencies.filter(({ resolved }) => !resolved).map((one) => one.blocker_id),
    );
    if (awaited.size === 0) return rows;
    return rows.map((row) => (awaited.has(row.task.id) ? { ...row, awaited: true } : row));
  }

  /** Loads the facts that the lifecycles read before they create a task. */
  async loadFacts(tx: Tx, creations: readonly AdmittedCreation[]): Promise<void> {
    const requests = creations.flatMap(({ actor, tasks }) =>
      tasks
        .filter(({ lifecycle }) => lifecycle.creation.facts !== undefined)
        .map(({ id, lifecycle, project_id, input, refs }) => ({
          id,
          lifecycle,
          project_id,
          input,
          refs,
          actor,
        })),
    );
    const facts = await this.context.registry.loadCreationFacts(tx, this.context.org_id, requests);
    for (const [index, { id }] of requests.entries()) this.facts.set(id, facts[index] ?? {});
  }

  /** Drafts the tasks of a request and resolves their refs; refuses unknown projects and cycles. */
  draft({ actor, tasks }: AdmittedCreation): Drafted[] | Refusal {
    const drafted: Drafted[] = [];
    for (const task of tasks) {
      const stored = this.context.settings.get(task.project_id);
      const isHidden = actor.project_ids !== null && !actor.project_ids.includes(task.project_id);
      if (stored === undefined || isHidden)
        return refuse("NOT_FOUND", `There is no project "${task.project_id}".`);
      const settings = this.context.registry.settingsFor(task.lifecycle, stored);
      const { id, lifecycle, project_id, input, on_failure, available_at, refs } = task;
      const facts = this.facts.get(id) ?? {};
      const draft = draftOf(lifecycle, { input, actor, settings, facts, now: this.context.now });
      const policies = policiesOf(draft, task);
      // Field by field: spreading the task cost more than drafting it.
      drafted.push({
        id,
        lifecycle,
        project_id,
        input,
        on_failure,
        available_at,
        refs,
        settings,
        facts,
        draft,
        blockers: policies.size === 0 ? NO_BLOCKERS : [...policies.keys()],
        policies,
      });
    }
    return drafted.some(({ blockers }) => blockers.length > 0) ? (cycleRefusal(drafted) ?? drafted) : drafted;
  }

  /** Locks the blockers that are not part of the requests, and finds existing tasks with the same dedupe keys. */
  async lockBlockers(tx: Tx, drafted: readonly (Drafted[] | Refusal)[]): Promise<void> {
    const all = drafted.flatMap((tasks) => (isRefusal(tasks) ? [] : tasks));
    if (all.every(isSimple)) return;
    const inside = new Set(all.map((task) => task.id));
    const outside = [...new Set(all.flatMap((task) => task.blockers))].filter(
      (id) => isUuid(id) && !inside.has(id),
    );
    const keyed = all.flatMap(({ lifecycle, draft }) =>
      draft.dedupe_key == null ? [] : [{ lifecycle: lifecycle.name, dedupe_key: draft.dedupe_key }],
    );
    const [, duplicates] = await Promise.all([
      this.lock(tx, outside),
      findByDedupeKey(tx, this.context.org_id, keyed),
    ]);
    this.duplicates = new Map(duplicates.map((row) => [duplicateKey(row.lifecycle, row.dedupe_key), row]));
    // If a blocker in the request exists already, its dependents wait for the existing task.
    for (const { id, lifecycle, draft } of all) {
      const duplicate = this.duplicates.get(duplicateKey(lifecycle.name, draft.dedupe_key));
      if (duplicate) this.existingIds.set(id, duplicate.id);
    }
    await this.lock(
      tx,
      all.flatMap(({ blockers }) => blockers.flatMap((id) => this.existingIds.get(id) ?? [])),
    );
  }

  private async lock(tx: Tx, ids: readonly string[]): Promise<void> {
    for (const row of await lockBlockers(tx, this.context.org_id, ids)) this.blockers.set(row.id, row);
  }

  /** Decides the tasks of a request: all are created, or the request is refused. */
  decide(creation: AdmittedCreation, drafted: Drafted[] | Refusal): CreatedTasks | Refusal | Retry {
    if (isRefusal(drafted)) return drafted;
    const inside = new Map(drafted.map((task) => [task.id, task.project_id]));
    const keys = new Set<string>();
    const rows: NewTaskRow[] = [];
    const dependencies: NewDependency[] = [];
    const tasks: PublicTask[] = [];
    const existing: boolean[] = [];
    const effectRequests: EffectRequest[] = [];
    const made: (JsonObject | null)[] = [];
    for (const task of drafted) {
      const key = duplicateKey(task.lifecycle.name, task.draft.dedupe_key);
      const found = this.committed.get(task.id) ?? this.duplicates.get(key);
      if (found && !canSee(creation.actor, found)) {
        // If the caller could not create it either, the answer must not reveal that it exists.
        const refused = this.decideTask(creation.actor, task, NO_EDGES);
        return isRefusal(refused) ? refused : refuse("IDEMPOTENCY_CONFLICT", "This has been created before.");
      }
      existing.push(found !== undefined && found.id !== task.id);
      if (found) {
        tasks.push(publicTask(taskOf(found, undefined)));
        made.push(null);
        continue;
      }
      // Another request of the batch creates the task with this key: retry when it is committed.
      if (task.draft.dedupe_key != null && this.usedKeys.has(key)) return new Retry({ mode: "locked" });
      if (task.draft.dedupe_key != null && keys.has(key))
        return wrongField("tasks", "two tasks of the request have the same dedupe key");
      keys.add(key);
      const edges = this.edgesOf(creation.actor, task, inside);
      if (isRefusal(edges)) return edges;
      const created = this.decideTask(creation.actor, task, edges);
      if (isRefusal(created)) return created;
      for (const edge of edges) dependencies.push(edge);
      rows.push({
        lifecycle: task.lifecycle,
        task: created.task,
        dedupe_key: task.draft.dedupe_key ?? null,
        client_event_id: creation.client_event_id,
        awaited: false,
        record: null,
      });
      tasks.push(publicTask(created.task));
      const { effects } = created;
      const results = effects.length === 0 ? null : {};
      made.push(results);
      if (results)
        effectRequests.push({
          lifecycle: task.lifecycle,
          actor: creation.actor,
          task: created.task,
          effects,
          made: results,
        });
    }
    for (const task of drafted) this.usedKeys.add(duplicateKey(task.lifecycle.name, task.draft.dedupe_key));
    // One by one: `push(...list)` puts all items on the stack, and a batch may have a hundred thousand dependencies.
    for (const dependency of dependencies) this.dependencies.push(dependency);
    for (const row of rows) this.rows.push(row);
    for (const request of effectRequests) this.effectRequests.push(request);
    return {
      kind: "created",
      tasks,
      existing,
      ...(effectRequests.length > 0 ? { made } : {}),
      replayed: false,
    };
  }

  private edgesOf(
    actor: Actor,
    task: Drafted,
    /** The project of each task of the request, by id. */
    inside: ReadonlyMap<string, string>,
  ): readonly NewDependency[] | Refusal {
    if (task.blockers.length === 0) return NO_EDGES;
    const edges: NewDependency[] = [];
    const seenIds = new Set<string>();
    for (const named of task.blockers) {
      const blocker_id = this.existingIds.get(named) ?? named;
      // Two refs of the request may be duplicates of the same existing task.
      if (seenIds.has(blocker_id)) continue;
      seenIds.add(blocker_id);
      const blocker = this.blockers.get(blocker_id);
      const visibleProject = blocker !== undefined && canSee(actor, blocker) ? blocker.project_id : undefined;
      if ((inside.get(blocker_id) ?? visibleProject) !== task.project_id) {
        const field = task.lifecycle.creation.blockers_field ?? "blocked_by";
        const name = refOf(task.refs, named) ?? named;
        return wrongField(field, `there is no task ${name} in project ${task.project_id}`);
      }
      const on_failure = task.policies.get(named) ?? task.on_failure;
      const resolved = blocker !== undefined && this.isResolved(blocker, on_failure);
      edges.push({ task_id: task.id, blocker_id, on_failure, resolved });
    }
    return edges;
  }

  /** Returns the system's action on the dependent of a blocker that ended without success. */
  private failureActions({ unblocks }: Lifecycle, { blocker_id, on_failure }: NewDependency) {
    const action = this.blockers.get(blocker_id)?.final ? failureAction(unblocks, on_failure) : undefined;
    return action === undefined ? [] : [{ action, input: failedBlocker(blocker_id) }];
  }

  private isResolved({ lifecycle, status, final }: BlockerRow, on_failure: OnFailure): boolean {
    const known = this.context.registry.lifecycles.get(lifecycle);
    return final && (on_failure === "proceed" || (known !== undefined && isSuccess(known, status)));
  }

  private decideTask(actor: Actor, task: Drafted, edges: readonly NewDependency[]): Created | Refusal {
    const { input, settings, facts } = task;
    const view = { input, actor, settings, facts, now: this.context.now };
    const open = edges.length === 0 ? NO_EDGES : edges.filter((edge) => !edge.resolved);
    const notices = open.flatMap((edge) => this.failureActions(task.lifecycle, edge));
    const { id, project_id } = task;
    const { org_id } = this.context;
    const identity = { id, org_id, project_id, open_blockers: open.length, notices };
    const { draft, available_at } = task;
    const timed = available_at === null ? draft : { available_at, ...draft };
    return decideCreation(task.lifecycle, view, timed, identity);
  }
}

const NO_EDGES: readonly NewDependency[] = Object.freeze([]);
const NO_BLOCKERS: readonly string[] = Object.freeze([]);

const NO_POLICIES: ReadonlyMap<string, OnFailure> = new Map();

/** Whether a task can be created by writing its row alone: no blockers, dedupe key or facts. */
export function isSimple({ blockers, draft, lifecycle }: Drafted): boolean {
  return blockers.length === 0 && draft.dedupe_key == null && lifecycle.creation.facts === undefined;
}

/** Returns the blockers of a draft by id, each with its failure policy. */
function policiesOf({ blocked_by = [] }: Draft, task: AdmittedTask): ReadonlyMap<string, OnFailure> {
  if (blocked_by.length === 0) return NO_POLICIES;
  const policies = new Map<string, OnFailure>();
  for (const named of blocked_by) {
    const { task: name, on_failure } =
      typeof named === "string" ? { task: named, on_failure: task.on_failure } : named;
    policies.set(task.refs.get(name) ?? name.toLowerCase(), on_failure);
  }
  return policies;
}

function cycleRefusal(tasks: readonly Drafted[]): Refusal | null {
  const cycle = findCycle(new Map(tasks.map(({ id, blockers }) => [id, blockers])));
  if (!cycle) return null;
  const refs = tasks[0]?.refs ?? new Map<string, string>();
  const path = cycle.map((id) => refOf(refs, id) ?? id);
  return refuse("CYCLIC_DEPENDENCY", `These tasks would wait for each other: ${path.join(" → ")}.`, { path });
}

/** Returns the ref that a request gave to one of its tasks. */
function refOf(refs: ReadonlyMap<string, string>, id: string): string | undefined {
  return [...refs].find(([, named]) => named === id)?.[0];
}

function duplicateKey(lifecycle: string, dedupe_key: string | null | undefined): string {
  return dedupe_key == null ? "" : `${lifecycle}\u0000${dedupe_key}`;
}
