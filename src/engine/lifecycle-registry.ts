import { PawlError } from "../core/index.ts";
import type { Actor, Instant, JsonObject, Lifecycle, SideEffect, Task } from "../core/index.ts";
import { STANDARD_EFFECTS } from "./standard-effects.ts";
import { STANDARD_FACTS } from "./standard-facts.ts";
import type {
  CreationFactLoader,
  CreationFactRequest,
  EffectHandler,
  EffectItem,
  EnginePlugin,
  FactLoader,
  MakeTasks,
  PluginPrune,
  PluginSweep,
} from "./engine-plugin.ts";
import type { Tx } from "./transaction.ts";
import type { Work } from "./write/work.ts";

/** Maximum number of different settings of one lifecycle in the cache. */
const MAX_PARSED_SETTINGS = 1_000;

/** The side effects of one move or creation; their results are added to `made`, by kind. */
type EffectRequest = {
  lifecycle: Lifecycle;
  actor: Actor;
  task: Task;
  effects: readonly SideEffect[];
  made: JsonObject;
};

/** The lifecycles that the engine serves, with their settings, fact loaders and effect handlers. */
export class LifecycleRegistry {
  readonly lifecycles: ReadonlyMap<string, Lifecycle>;
  private readonly plugins: ReadonlyMap<string, EnginePlugin>;
  private readonly defaults: ReadonlyMap<string, JsonObject>;
  /** Parsed settings by their stored text: many projects share few different settings. */
  private readonly parsed = new Map<Lifecycle, Map<string, JsonObject>>();

  constructor(plugins: readonly EnginePlugin[], defaults: Readonly<Record<string, JsonObject>> = {}) {
    this.plugins = new Map(plugins.map((plugin) => [plugin.lifecycle.name, plugin]));
    this.lifecycles = new Map([...this.plugins].map(([name, { lifecycle }]) => [name, lifecycle]));
    this.defaults = new Map(Object.entries(defaults));
  }

  /** Returns a project's settings for a lifecycle, completed with defaults. */
  settingsFor(lifecycle: Lifecycle, stored = "{}"): JsonObject {
    const known = this.parsed.get(lifecycle) ?? new Map<string, JsonObject>();
    this.parsed.set(lifecycle, known);
    let settings = known.get(stored);
    if (!settings) {
      const own = (JSON.parse(stored) as JsonObject)[lifecycle.name] as JsonObject | undefined;
      const defaults = this.defaults.get(lifecycle.name) ?? {};
      const parsed = lifecycle.settings.safeParse({ ...defaults, ...own });
      // Invalid settings, written to the table by hand, must not stop a lifecycle.
      settings = parsed.success ? parsed.data : lifecycle.settings.parse(defaults);
      if (known.size >= MAX_PARSED_SETTINGS) known.clear();
      known.set(stored, settings);
    }
    return settings;
  }

  /** Loads the facts that each command's action lists, with one query per fact for all commands. */
  async loadFacts(tx: Tx, org_id: string, works: readonly Work[]): Promise<void> {
    const byLoader = new Map<FactLoader, { fact: string; works: Work[] }>();
    for (const work of works) {
      const { lifecycle, command } = work;
      for (const fact of lifecycle.actions[command.action]?.facts ?? []) {
        const loader = this.loaderOf(lifecycle, fact);
        const known = byLoader.get(loader);
        if (known) known.works.push(work);
        else byLoader.set(loader, { fact, works: [work] });
      }
    }
    if (byLoader.size === 0) return;
    await Promise.all(
      [...byLoader].map(async ([loader, { fact, works: some }]) => {
        const requests = some.map(({ task, actor, command }) => ({ task, actor, input: command.input }));
        const answers = await loader(tx, org_id, requests);
        for (const [index, work] of some.entries()) work.facts[fact] = answers[index];
      }),
    );
  }

  private loaderOf(lifecycle: Lifecycle, fact: string): FactLoader {
    return (
      this.plugins.get(lifecycle.name)?.facts?.[fact] ?? STANDARD_FACTS[fact] ?? unloaded(lifecycle, fact)
    );
  }

  /** Loads the facts that each creation lists; returns them in the order of the creations. */
  async loadCreationFacts(
    tx: Tx,
    org_id: string,
    creations: readonly (CreationFactRequest & { lifecycle: Lifecycle })[],
  ): Promise<JsonObject[]> {
    const facts = creations.map((): JsonObject => ({}));
    const byLoader = new Map<CreationFactLoader, { fact: string; indexes: number[] }>();
    for (const [index, { lifecycle }] of creations.entries()) {
      for (const fact of lifecycle.creation.facts ?? []) {
        const loader = this.plugins.get(lifecycle.name)?.creationFacts?.[fact] ?? unloaded(lifecycle, fact);
        const known = byLoader.get(loader);
        if (known) known.indexes.push(index);
        else byLoader.set(loader, { fact, indexes: [index] });
      }
    }
    await Promise.all(
      [...byLoader].map(async ([loader, { fact, indexes }]) => {
        const requests = indexes.map((index) => creations[index] as CreationFactRequest);
        const answers = await loader(tx, org_id, requests);
        for (const [at, index] of indexes.entries()) (facts[index] as JsonObject)[fact] = answers[at];
      }),
    );
    return facts;
  }

  /** Runs the side effects of moves and creations, with one call per kind. */
  async runEffects(
    tx: Tx,
    requests: readonly EffectRequest[],
    now: Instant,
    makeTasks: MakeTasks,
  ): Promise<void> {
    const byHandler = new Map<
      EffectHandler,
      { items: EffectItem[]; requests: EffectRequest[]; kind: string }
    >();
    for (const request of requests) {
      const { lifecycle, actor, task } = request;
      for (const effect of request.effects) {
        const { kind } = effect;
        const handler = this.plugins.get(lifecycle.name)?.effects?.[kind] ?? STANDARD_EFFECTS[kind];
        if (!handler) throw new Error(`${lifecycle.name} has no handler for the effect "${kind}"`);
        const known = byHandler.get(handler) ?? { items: [], requests: [], kind };
        byHandler.set(handler, known);
        known.items.push({ org_id: task.org_id, task, actor, effect });
        known.requests.push(request);
      }
    }
    for (const [handler, { items, requests: some, kind }] of byHandler) {
      const results = await handler(tx, items, now, makeTasks);
      if (Array.isArray(results)) for (const [index, { made }] of some.entries()) made[kind] = results[index];
    }
  }

  /** Filters out finished tasks that a lifecycle still needs. */
  async prunable(tx: Tx, org_id: string, ids: readonly string[]): Promise<string[]> {
    const kept = new Set<string>();
    for (const { prune } of this.plugins.values())
      for (const id of (await prune?.keep?.(tx, org_id, ids)) ?? []) kept.add(id);
    return ids.filter((id) => !kept.has(id));
  }

  /** Deletes the plugins' rows of tasks that were deleted. */
  async removeOfTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
    for (const { prune } of this.plugins.values()) await prune?.removeOfTasks?.(tx, org_id, ids);
  }

  /** The plugins' functions that delete old rows. */
  get removalsOfOld(): NonNullable<PluginPrune["removeOld"]>[] {
    return [...this.plugins.values()].flatMap(({ prune }) => prune?.removeOld ?? []);
  }

  /** Returns the sweep functions of some lifecycles. */
  sweepsOf(lifecycles: readonly string[]): NonNullable<PluginSweep["run"]>[] {
    return lifecycles.flatMap((name) => this.plugins.get(name)?.sweep?.run ?? []);
  }
}

function unloaded(lifecycle: Lifecycle, fact: string): never {
  throw new PawlError(
    "INVALID_CONFIG",
    `${lifecycle.name} reads the fact "${fact}", but its plugin has no loader for it.`,
  );
}
