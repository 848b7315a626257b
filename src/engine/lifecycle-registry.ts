import { PawlError } from "../core/index.ts";
import type { Actor, Instant, JsonObject, Lifecycle, SideEffect, Task } from "../core/index.ts";
import { STANDARD_EFFECTS } from "./standard-effects.ts";
import { STANDARD_FACTS } from "./standard-facts.ts";
import { enginePluginOf } from "./engine-plugin.ts";
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

/** Different settings of one lifecycle that are kept parsed. */
const MOST_SETTINGS = 1_000;

/** Somebody's side effects; what they make is put down in `made`, by kind. */
type Asked = {
  lifecycle: Lifecycle;
  actor: Actor;
  task: Task;
  effects: readonly SideEffect[];
  made: JsonObject;
};

/** The lifecycles that the engine serves, with their settings and what loads their facts and carries out their side effects. */
export class LifecycleRegistry {
  readonly lifecycles: ReadonlyMap<string, Lifecycle>;
  private readonly plugins: ReadonlyMap<string, EnginePlugin>;
  private readonly defaults: ReadonlyMap<string, JsonObject>;
  /** Settings as they are stored, parsed once: projects are many, different settings are few. */
  private readonly parsed = new Map<Lifecycle, Map<string, JsonObject>>();

  constructor(
    plugins: readonly (Lifecycle | EnginePlugin)[],
    defaults: Readonly<Record<string, JsonObject>> = {},
  ) {
    this.plugins = new Map(plugins.map(enginePluginOf).map((plugin) => [plugin.lifecycle.name, plugin]));
    this.lifecycles = new Map([...this.plugins].map(([name, { lifecycle }]) => [name, lifecycle]));
    this.defaults = new Map(Object.entries(defaults));
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
    await Promise.all(
      [...asked].map(async ([loader, { fact, works: some }]) => {
        const asks = some.map(({ task, actor, command }) => ({ task, actor, input: command.input }));
        const answers = await loader(tx, org_id, asks);
        for (const [index, work] of some.entries()) work.facts[fact] = answers[index];
      }),
    );
  }

  private loaderOf(lifecycle: Lifecycle, fact: string): FactLoader {
    return (
      this.plugins.get(lifecycle.name)?.facts?.[fact] ?? STANDARD_FACTS[fact] ?? unloaded(lifecycle, fact)
    );
  }

  /** The facts each creation lists, in the order of the creations. */
  async loadCreationFacts(
    tx: Tx,
    org_id: string,
    creations: readonly (CreationFactRequest & { lifecycle: Lifecycle })[],
  ): Promise<JsonObject[]> {
    const facts = creations.map((): JsonObject => ({}));
    const asked = new Map<CreationFactLoader, { fact: string; places: number[] }>();
    for (const [place, { lifecycle }] of creations.entries()) {
      for (const fact of lifecycle.creation.facts ?? []) {
        const loader = this.plugins.get(lifecycle.name)?.creationFacts?.[fact] ?? unloaded(lifecycle, fact);
        const known = asked.get(loader);
        if (known) known.places.push(place);
        else asked.set(loader, { fact, places: [place] });
      }
    }
    await Promise.all(
      [...asked].map(async ([loader, { fact, places }]) => {
        const asks = places.map((place) => creations[place] as CreationFactRequest);
        const answers = await loader(tx, org_id, asks);
        for (const [index, place] of places.entries()) (facts[place] as JsonObject)[fact] = answers[index];
      }),
    );
    return facts;
  }

  /** Carries out what moves and creations ask for beyond their rows, one call per kind. */
  async runEffects(tx: Tx, asked: readonly Asked[], now: Instant, makeTasks: MakeTasks): Promise<void> {
    const byHandler = new Map<EffectHandler, { items: EffectItem[]; asks: Asked[]; kind: string }>();
    for (const ask of asked) {
      const { lifecycle, actor, task } = ask;
      for (const effect of ask.effects) {
        const { kind } = effect;
        const handler = this.plugins.get(lifecycle.name)?.effects?.[kind] ?? STANDARD_EFFECTS[kind];
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
    for (const { prune } of this.plugins.values())
      for (const id of (await prune?.keep?.(tx, org_id, ids)) ?? []) kept.add(id);
    return ids.filter((id) => !kept.has(id));
  }

  /** Deletes the plugins' rows of tasks that were deleted. */
  async removeOfTasks(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
    for (const { prune } of this.plugins.values()) await prune?.removeOfTasks?.(tx, org_id, ids);
  }

  /** Functions of the plugins that delete their old rows. */
  get removalsOfOld(): NonNullable<PluginPrune["removeOld"]>[] {
    return [...this.plugins.values()].flatMap(({ prune }) => prune?.removeOld ?? []);
  }

  /** The sweep functions of some lifecycles. */
  sweepsOf(lifecycles: readonly string[]): NonNullable<PluginSweep["run"]>[] {
    return lifecycles.flatMap((name) => this.plugins.get(name)?.sweep?.run ?? []);
  }
}

function unloaded(lifecycle: Lifecycle, fact: string): never {
  throw new PawlError("INVALID_CONFIG", `${lifecycle.name} reads the fact "${fact}", and nothing loads it.`);
}
