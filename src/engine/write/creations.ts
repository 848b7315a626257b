import { canSee, decideCreation, draftOf, isRefusal, refuse } from "../../core/index.ts";
import type { Actor, Created, Draft, Instant, JsonObject, Lifecycle, Refusal } from "../../core/index.ts";
import type { AdmittedCreation, AdmittedTask } from "./admit-creations.ts";
import { deadBlocker, onFailure } from "./dead-blockers.ts";
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
import { Again } from "./command-queue.ts";

export type CreatedTasks = {
  kind: "created";
  tasks: PublicTask[];
  /** Where the task was there already, by its dedupe key. */
  existing: boolean[];
  /** Results of their side effects, by kind; absent without side effects. */
  made?: (JsonObject | null)[];
  replayed: boolean;
};

export type Drafted = AdmittedTask & {
  settings: JsonObject;
  facts: JsonObject;
  draft: Draft;
  blockers: readonly string[];
  policies: ReadonlyMap<string, OnFailure>;
};

type Asked = Parameters<LifecycleRegistry["runEffects"]>[1][number];

/** Where creations are decided; `settings` are those of the projects, as text. */
type CreationPlace = {
  org_id: string;
  registry: LifecycleRegistry;
  now: Instant;
  settings: ReadonlyMap<string, string>;
};

/** Decides creations in order, each against what the ones before it have made. */
export class Creations {
  readonly dependencies: NewDependency[] = [];
  readonly asked: Asked[] = [];
  /** Made by a transaction of which it was not known whether it committed. */
  committed: ReadonlyMap<string, TaskRow> = new Map();
  private readonly place: CreationPlace;
  private made: NewTaskRow[] = [];
  private blockers = new Map<string, BlockerRow>();
  private twins = new Map<string, TaskRow>();
  private readonly standIns = new Map<string, string>();
  private readonly facts = new Map<string, JsonObject>();
  private readonly keysTaken = new Set<string>();

  constructor(place: CreationPlace) {
    this.place = place;
  }

  /** The rows of the tasks that were made since the last call. */
  takeRows(): NewTaskRow[] {
    const made = this.made;
    this.made = [];
    const awaited = new Set(
      this.dependencies.filter(({ resolved }) => !resolved).map((one) => one.blocker_id),
    );
    if (awaited.size === 0) return made;
    return made.map((row) => (awaited.has(row.task.id) ? { ...row, awaited: true } : row));
  }

  /** Loads what the lifecycles want to know before they make a task. */
  async loadFacts(tx: Tx, creations: readonly AdmittedCreation[]): Promise<void> {
    const asks = creations.flatMap(({ actor, tasks }) =>
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
    const facts = await this.place.registry.loadCreationFacts(tx, this.place.org_id, asks);
    for (const [index, { id }] of asks.entries()) this.facts.set(id, facts[index] ?? {});
  }

  /** The lifecycle's reading of each input, references resolved. */
  draft({ actor, tasks }: AdmittedCreation): Drafted[] | Refusal {
    const drafted: Drafted[] = [];
    for (const task of tasks) {
      const stored = this.place.settings.get(task.project_id);
      const unseen = actor.project_ids !== null && !actor.project_ids.includes(task.project_id);
      if (stored === undefined || unseen)
        return refuse("NOT_FOUND", `There is no project "${task.project_id}".`);
      const settings = this.place.registry.settingsFor(task.lifecycle, stored);
      const { id, lifecycle, project_id, input, on_failure, available_at, refs } = task;
      const facts = this.facts.get(id) ?? {};
      const draft = draftOf(lifecycle, { input, actor, settings, facts, now: this.place.now });
      const policies = policiesOf(draft, task);
      // Field by field: a spread of the task's part cost more than drafting it.
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
        blockers: policies.size === 0 ? NOBODY : [...policies.keys()],
        policies,
      });
    }
    return drafted.some(({ blockers }) => blockers.length > 0) ? (cycleRefusal(drafted) ?? drafted) : drafted;
  }

  /** Locks the blockers outside of the requests, and finds tasks that were made before with the same keys. */
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
    const [, twins] = await Promise.all([
      this.lock(tx, outside),
      findByDedupeKey(tx, this.place.org_id, keyed),
    ]);
    this.twins = new Map(twins.map((row) => [twinKey(row.lifecycle, row.dedupe_key), row]));
    // Who waits for a task of the request that was there already waits for that one.
    for (const { id, lifecycle, draft } of all) {
      const twin = this.twins.get(twinKey(lifecycle.name, draft.dedupe_key));
      if (twin) this.standIns.set(id, twin.id);
    }
    await this.lock(
      tx,
      all.flatMap(({ blockers }) => blockers.flatMap((id) => this.standIns.get(id) ?? [])),
    );
  }

  private async lock(tx: Tx, ids: readonly string[]): Promise<void> {
    for (const row of await lockBlockers(tx, this.place.org_id, ids)) this.blockers.set(row.id, row);
  }

  decide(creation: AdmittedCreation, drafted: Drafted[] | Refusal): CreatedTasks | Refusal | Again {
    if (isRefusal(drafted)) return drafted;
    const inside = new Map(drafted.map((task) => [task.id, task.project_id]));
    const keys = new Set<string>();
    const rows: NewTaskRow[] = [];
    const dependencies: NewDependency[] = [];
    const tasks: PublicTask[] = [];
    const existing: boolean[] = [];
    const asked: Asked[] = [];
    const made: (JsonObject | null)[] = [];
    for (const task of drafted) {
      const key = twinKey(task.lifecycle.name, task.draft.dedupe_key);
      const there = this.committed.get(task.id) ?? this.twins.get(key);
      if (there && !canSee(creation.actor, there))
        return refuse("IDEMPOTENCY_CONFLICT", "This has been created before.");
      existing.push(there !== undefined && there.id !== task.id);
      if (there) {
        tasks.push(publicTask(taskOf(there, undefined)));
        made.push(null);
        continue;
      }
      // Decided anew when the neighbour that has the key is there.
      if (task.draft.dedupe_key != null && this.keysTaken.has(key)) return new Again({ mode: "locked" });
      if (task.draft.dedupe_key != null && keys.has(key))
        return wrongField("tasks", "two of the request are the same task");
      keys.add(key);
      const edges = this.edgesOf(creation.actor, task, inside);
      if (isRefusal(edges)) return edges;
      const born = this.born(creation.actor, task, edges);
      if (isRefusal(born)) return born;
      for (const edge of edges) dependencies.push(edge);
      rows.push({
        lifecycle: task.lifecycle,
        task: born.task,
        dedupe_key: task.draft.dedupe_key ?? null,
        client_event_id: creation.client_event_id,
        awaited: false,
        record: null,
      });
      tasks.push(publicTask(born.task));
      const { effects } = born;
      const things = effects.length === 0 ? null : {};
      made.push(things);
      if (things)
        asked.push({
          lifecycle: task.lifecycle,
          actor: creation.actor,
          task: born.task,
          effects,
          made: things,
        });
    }
    for (const task of drafted) this.keysTaken.add(twinKey(task.lifecycle.name, task.draft.dedupe_key));
    // One by one: `push(...list)` puts all items on the stack, and a batch may have a hundred thousand dependencies.
    for (const dependency of dependencies) this.dependencies.push(dependency);
    for (const row of rows) this.made.push(row);
    for (const one of asked) this.asked.push(one);
    return {
      kind: "created",
      tasks,
      existing,
      ...(asked.length > 0 ? { made } : {}),
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
      const blocker_id = this.standIns.get(named) ?? named;
      // Two refs of the request may name the same existing task.
      if (seenIds.has(blocker_id)) continue;
      seenIds.add(blocker_id);
      const blocker = this.blockers.get(blocker_id);
      const seen = blocker !== undefined && canSee(actor, blocker) ? blocker.project_id : undefined;
      if ((inside.get(blocker_id) ?? seen) !== task.project_id) {
        const field = task.lifecycle.creation.waits_for ?? "blocked_by";
        const name = refOf(task.refs, named) ?? named;
        return wrongField(field, `there is no task ${name} in project ${task.project_id}`);
      }
      const on_failure = task.policies.get(named) ?? task.on_failure;
      const resolved = blocker !== undefined && this.isOver(blocker, on_failure);
      edges.push({ task_id: task.id, blocker_id, on_failure, resolved });
    }
    return edges;
  }

  /** The action for a dependent whose blocker has ended without success. */
  private toldOf({ unblocks }: Lifecycle, { blocker_id, on_failure }: NewDependency) {
    const action = this.blockers.get(blocker_id)?.final ? onFailure(unblocks, on_failure) : undefined;
    return action === undefined ? [] : [{ action, input: deadBlocker(blocker_id) }];
  }

  private isOver({ lifecycle, status, final }: BlockerRow, on_failure: OnFailure): boolean {
    const known = this.place.registry.lifecycles.get(lifecycle);
    return final && (on_failure === "proceed" || (known !== undefined && isSuccess(known, status)));
  }

  private born(actor: Actor, task: Drafted, edges: readonly NewDependency[]): Created | Refusal {
    const { input, settings, facts } = task;
    const view = { input, actor, settings, facts, now: this.place.now };
    const open = edges.length === 0 ? NO_EDGES : edges.filter((edge) => !edge.resolved);
    const notices = open.flatMap((edge) => this.toldOf(task.lifecycle, edge));
    const { id, project_id } = task;
    const place = { id, org_id: this.place.org_id, project_id, open_blockers: open.length, notices };
    const { draft, available_at } = task;
    const timed = available_at === null ? draft : { available_at, ...draft };
    return decideCreation(task.lifecycle, view, timed, place);
  }
}

const NO_EDGES: readonly NewDependency[] = Object.freeze([]);
const NOBODY: readonly string[] = Object.freeze([]);

const NO_POLICIES: ReadonlyMap<string, OnFailure> = new Map();

/** A task that needs nothing but its row. */
export function isSimple({ blockers, draft, lifecycle }: Drafted): boolean {
  return blockers.length === 0 && draft.dedupe_key == null && lifecycle.creation.facts === undefined;
}

/** The blockers of a draft by id, each with the policy for its failure. */
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

function twinKey(lifecycle: string, dedupe_key: string | null | undefined): string {
  return dedupe_key == null ? "" : `${lifecycle}\u0000${dedupe_key}`;
}
