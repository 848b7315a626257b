import { PawlError } from "../core/index.ts";
import type { Actor, Instant, JsonObject, Lifecycle, SideEffect, Task } from "../core/index.ts";
import { STANDARD_EFFECTS } from "./standard-effects.ts";
import { STANDARD_FACTS } from "./standard-facts.ts";
import { lockTasks } from "./statements/lock-tasks.ts";
import { lookAtTasks } from "./statements/look-at-tasks.ts";
import { readSurroundings } from "./statements/read-surroundings.ts";
import type { Surroundings } from "./statements/read-surroundings.ts";
import { taskOfCells } from "./task-row.ts";
import type { TaskCells } from "./task-row.ts";
import type {
  CreationAsk,
  CreationFactLoader,
  EffectHandler,
  EffectItem,
  FactLoader,
  LifecycleParts,
  MakeTasks,
} from "./lifecycle-parts.ts";
import { isAtOnce, mustHold } from "./transaction.ts";
import type { Tx } from "./transaction.ts";
import type { Locked, Work } from "./work.ts";

/** Different settings of one lifecycle that are kept parsed. */
const MOST_SETTINGS = 1_000;

/** Names of actions that are remembered: callers may send what they like. */
const MOST_ACTIONS = 1_000;

/** Somebody's side effects; what they make is put down in `made`, by kind. */
type Asked = {
  lifecycle: Lifecycle;
  actor: Actor;
  task: Task;
  effects: readonly SideEffect[];
  made: JsonObject;
};

type Gathered = { now: Instant; tasks: Map<string, Locked> };

/** Everything the engine needs at hand to settle commands: lifecycles, their facts and effects, settings. */
export class Workshop {
  readonly lifecycles: ReadonlyMap<string, Lifecycle>;
  private readonly parts: ReadonlyMap<string, LifecycleParts>;
  private readonly defaults: ReadonlyMap<string, JsonObject>;
  /** Settings as they are stored, parsed once: projects are many, different settings are few. */
  private readonly parsed = new Map<Lifecycle, Map<string, JsonObject>>();
  private readonly plain = new Map<string, boolean>();

  constructor(
    lifecycles: readonly Lifecycle[],
    parts: Readonly<Record<string, LifecycleParts>> = {},
    defaults: Readonly<Record<string, JsonObject>> = {},
  ) {
    this.lifecycles = new Map(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle]));
    this.parts = new Map(Object.entries(parts));
    this.defaults = new Map(Object.entries(defaults));
  }

  /** Locks tasks and reads, after that, the clock and all that lies beside them; tasks of unknown lifecycles are left out. */
  async lock(tx: Tx, org_id: string, ids: readonly string[]): Promise<Gathered> {
    if (isAtOnce(tx)) return this.look(tx, org_id, ids);
    // Sent together, run one after the other.
    const [rows, around] = await Promise.all([lockTasks(tx, org_id, ids), readSurroundings(tx, org_id, ids)]);
    return this.assemble(org_id, rows, around);
  }

  /** The same as of one moment and without a lock, for those who only want to know. */
  async look(tx: Tx, org_id: string, ids: readonly string[]): Promise<Gathered> {
    const rows = await lookAtTasks(tx, org_id, ids);
    const tasks = new Map<string, Locked>();
    for (const cells of rows) {
      const lifecycle = this.lifecycles.get(cells[2]);
      if (!lifecycle) continue;
      const token = cells[29];
      const beat = token === null ? undefined : { token, beat_at: cells[30] ?? 0, until: cells[31] ?? 0 };
      tasks.set(cells[0], {
        lifecycle,
        task: taskOfCells(org_id, cells, beat),
        place: cells[1],
        writer: cells[28],
        settings: this.settingsFor(lifecycle, cells[32] ?? undefined),
        hasDependents: cells[34],
        hasHeartbeat: token !== null,
      });
    }
    return { now: rows[0]?.[33] ?? 0, tasks };
  }

  /** Rows that were picked and locked, with the clock and all that lies beside them. */
  async takeIn(tx: Tx, org_id: string, rows: readonly TaskCells[]): Promise<Gathered> {
    const ids = rows.map(([id]) => id);
    return this.assemble(org_id, rows, await readSurroundings(tx, org_id, ids));
  }

  private assemble(
    org_id: string,
    rows: readonly TaskCells[],
    { now, beats, awaited, settings }: Surroundings,
  ): Gathered {
    const tasks = new Map<string, Locked>();
    for (const cells of rows) {
      const [id, place, name] = cells;
      const lifecycle = this.lifecycles.get(name);
      if (!lifecycle) continue;
      const beat = beats.get(id);
      const task = taskOfCells(org_id, cells, beat);
      tasks.set(id, {
        lifecycle,
        task,
        place,
        writer: null,
        settings: this.settingsFor(lifecycle, settings[task.project_id]),
        hasDependents: awaited.has(id),
        hasHeartbeat: beat !== undefined,
      });
    }
    return { now, tasks };
  }

  /**
   * Whether an action (of this lifecycle, or of every one that has it) only moves tasks about: then it can be tried without a
   * lock. Facts are read, touches and side effects written under one; and only there is it known who waits for a task that
   * is finished.
   */
  onlyMoves(action: string, lifecycle = ""): boolean {
    const key = `${lifecycle} ${action}`;
    let plain = this.plain.get(key);
    if (plain === undefined) {
      const named = this.lifecycles.get(lifecycle);
      plain = (named ? [named] : [...this.lifecycles.values()]).every((one) => onlyMovesIn(one, action));
      if (this.plain.size < MOST_ACTIONS) this.plain.set(key, plain);
    }
    return plain;
  }

  /** A project's settings for a lifecycle, with defaults for what it does not say. */
  settingsFor(lifecycle: Lifecycle, stored = "{}"): JsonObject {
    const known = this.parsed.get(lifecycle) ?? new Map<string, JsonObject>();
    this.parsed.set(lifecycle, known);
    let settings = known.get(stored);
    if (!settings) {
      const own = (JSON.parse(stored) as JsonObject)[lifecycle.name] as JsonObject | undefined;
      const defaults = this.defaults.get(lifecycle.name) ?? {};
      const parsed = lifecycle.settings.safeParse({ ...defaults, ...own });
      // What somebody wrote into the table by hand must not stop a lifecycle.
      settings = parsed.success ? parsed.data : lifecycle.settings.parse(defaults);
      if (known.size >= MOST_SETTINGS) known.clear();
      known.set(stored, settings);
    }
    return settings;
  }

  /** Loads the facts each command's action lists, one query per fact whatever the number of commands. */
  async loadFacts(tx: Tx, org_id: string, works: readonly Work[]): Promise<void> {
    const asked = new Map<FactLoader, { fact: string; works: Work[] }>();
    for (const work of works) {
      const { lifecycle, command } = work;
      for (const fact of lifecycle.actions[command.action]?.facts ?? []) {
        const loader = this.loaderOf(lifecycle, fact);
        const known = asked.get(loader);
        if (known) known.works.push(work);
        else asked.set(loader, { fact, works: [work] });
      }
    }
    if (asked.size === 0) return;
    mustHold(tx);
    await Promise.all(
      [...asked].map(async ([loader, { fact, works: some }]) => {
        const asks = some.map(({ task, actor, command }) => ({ task, actor, input: command.input }));
        const answers = await loader(tx, org_id, asks);
        for (const [index, work] of some.entries()) work.facts[fact] = answers[index];
      }),
    );
  }

  private loaderOf(lifecycle: Lifecycle, fact: string): FactLoader {
    return this.parts.get(lifecycle.name)?.facts?.[fact] ?? STANDARD_FACTS[fact] ?? unloaded(lifecycle, fact);
  }

  /** The facts each creation lists, in the order of the creations. */
  async loadCreationFacts(
    tx: Tx,
    org_id: string,
    creations: readonly (CreationAsk & { lifecycle: Lifecycle })[],
  ): Promise<JsonObject[]> {
    const facts = creations.map((): JsonObject => ({}));
    const asked = new Map<CreationFactLoader, { fact: string; places: number[] }>();
    for (const [place, { lifecycle }] of creations.entries()) {
      for (const fact of lifecycle.creation.facts ?? []) {
        const loader = this.parts.get(lifecycle.name)?.creation_facts?.[fact] ?? unloaded(lifecycle, fact);
        const known = asked.get(loader);
        if (known) known.places.push(place);
        else asked.set(loader, { fact, places: [place] });
      }
    }
    if (asked.size > 0) mustHold(tx);
    await Promise.all(
      [...asked].map(async ([loader, { fact, places }]) => {
        const asks = places.map((place) => creations[place] as CreationAsk);
        const answers = await loader(tx, org_id, asks);
        for (const [index, place] of places.entries()) (facts[place] as JsonObject)[fact] = answers[index];
      }),
    );
    return facts;
  }

  /** Carries out what moves and creations ask for beyond their rows, one call per kind. */
  async runEffects(tx: Tx, asked: readonly Asked[], now: Instant, makeTasks: MakeTasks): Promise<void> {
    mustHold(tx);
    const byHandler = new Map<EffectHandler, { items: EffectItem[]; asks: Asked[]; kind: string }>();
    for (const ask of asked) {
      const { lifecycle, actor, task } = ask;
      for (const effect of ask.effects) {
        const { kind } = effect;
        const handler = this.parts.get(lifecycle.name)?.effects?.[kind] ?? STANDARD_EFFECTS[kind];
        if (!handler) throw new Error(`nothing carries out the effect "${kind}" of ${lifecycle.name}`);
        const known = byHandler.get(handler) ?? { items: [], asks: [], kind };
        byHandler.set(handler, known);
        known.items.push({ org_id: task.org_id, task, actor, effect });
        known.asks.push(ask);
      }
    }
    for (const [handler, { items, asks, kind }] of byHandler) {
      const made = await handler(tx, items, now, makeTasks);
      if (Array.isArray(made)) for (const [index, { made: all }] of asks.entries()) all[kind] = made[index];
    }
  }

  /** Filters out finished tasks that a lifecycle still needs. */
  async prunable(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
    const kept = new Set<string>();
    for (const { keeps } of this.parts.values())
      for (const id of (await keeps?.(tx, org_id, ids)) ?? []) kept.add(id);
    return ids.filter((id) => !kept.has(id));
  }

  /** Deletes what the lifecycles keep beside tasks that are gone. */
  async forget(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
    for (const { forget } of this.parts.values()) await forget?.(tx, org_id, ids);
  }

  /** What lifecycles have for the deletion of what is old and no task's. */
  get prunes(): NonNullable<LifecycleParts["prune"]>[] {
    return [...this.parts.values()].flatMap(({ prune }) => prune ?? []);
  }

  /** What some lifecycles look after at every sweep. */
  sweepsOf(lifecycles: readonly string[]): NonNullable<LifecycleParts["sweep"]>[] {
    return lifecycles.flatMap((name) => this.parts.get(name)?.sweep ?? []);
  }
}

function onlyMovesIn({ actions, table, statuses }: Lifecycle, action: string): boolean {
  if ((actions[action]?.facts ?? []).length > 0) return false;
  const rules = [...(table.get(action)?.values() ?? [])].flat();
  return rules.every(
    ({ outcome, also, to }) => outcome !== "touched" && also.length === 0 && !statuses[to]?.final,
  );
}

function unloaded(lifecycle: Lifecycle, fact: string): never {
  throw new PawlError("INVALID_CONFIG", `${lifecycle.name} reads the fact "${fact}", and nothing loads it.`);
}
