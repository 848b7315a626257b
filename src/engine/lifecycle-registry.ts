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
  CreateTasks,
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
    const groups = new Grouped<FactLoader, Work>();
    for (const work of works) {
      const { lifecycle, command } = work;
      for (const fact of lifecycle.actions[command.action]?.facts ?? [])
        groups.add(this.loaderOf(lifecycle, fact), fact, lifecycle.name, work);
    }
    await Promise.all(
      groups.list().map(async ({ by: loader, name, owner, items }) => {
        const requests = items.map(({ task, actor, command }) => ({ task, actor, input: command.input }));
        const answers = await loader(tx, org_id, requests);
        refuseOtherLength(owner, `the fact "${name}"`, answers, items);
        for (const [index, work] of items.entries()) work.facts[name] = answers[index];
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
    const groups = new Grouped<CreationFactLoader, number>();
    for (const [index, { lifecycle }] of creations.entries()) {
      for (const fact of lifecycle.creation.facts ?? []) {
        const loader = this.plugins.get(lifecycle.name)?.creationFacts?.[fact] ?? unloaded(lifecycle, fact);
        groups.add(loader, fact, lifecycle.name, index);
      }
    }
    await Promise.all(
      groups.list().map(async ({ by: loader, name, owner, items }) => {
        const requests = items.map((index) => creations[index] as CreationFactRequest);
        const answers = await loader(tx, org_id, requests);
        refuseOtherLength(owner, `the fact "${name}" of a creation`, answers, items);
        for (const [at, index] of items.entries()) (facts[index] as JsonObject)[name] = answers[at];
      }),
    );
    return facts;
  }

  /** Runs the side effects of moves and creations, with one call per kind. */
  async runEffects(
    tx: Tx,
    requests: readonly EffectRequest[],
    now: Instant,
    makeTasks: CreateTasks,
  ): Promise<void> {
    const groups = new Grouped<EffectHandler, { item: EffectItem; made: JsonObject }>();
    for (const { lifecycle, actor, task, effects, made } of requests) {
      for (const effect of effects) {
        const { kind } = effect;
        const handler = this.plugins.get(lifecycle.name)?.effects?.[kind] ?? STANDARD_EFFECTS[kind];
        if (!handler) throw unhandled(lifecycle, kind);
        const item = { org_id: task.org_id, task, actor, effect };
        groups.add(handler, kind, lifecycle.name, { item, made });
      }
    }
    for (const { by: handler, name, owner, items } of groups.list()) {
      const carriedOut = items.map(({ item }) => item);
      const results = await handler(tx, carriedOut, now, makeTasks);
      if (!Array.isArray(results)) continue;
      refuseOtherLength(owner, `the effect "${name}"`, results, items);
      for (const [index, { made }] of items.entries()) made[name] = results[index];
    }
  }

  /** Returns the part of a lifecycle's plugin in retention; none for a lifecycle that this node does not know. */
  pruneOf(lifecycle: string): PluginPrune {
    return this.plugins.get(lifecycle)?.prune ?? {};
  }

  /** Returns the sweep functions of some lifecycles. */
  sweepsOf(lifecycles: readonly string[]): NonNullable<PluginSweep["run"]>[] {
    return lifecycles.flatMap((name) => this.plugins.get(name)?.sweep?.run ?? []);
  }
}

type Group<By, Item> = { by: By; name: string; owner: string; items: Item[] };

/** Items by the function and the name of their fact or effect: one function may serve several names and lifecycles. */
class Grouped<By, Item> {
  private readonly groups = new Map<By, Map<string, Group<By, Item>>>();

  add(by: By, name: string, owner: string, item: Item): void {
    const named = this.groups.get(by) ?? new Map<string, Group<By, Item>>();
    this.groups.set(by, named);
    const known = named.get(name);
    if (known) known.items.push(item);
    else named.set(name, { by, name, owner, items: [item] });
  }

  list(): Group<By, Item>[] {
    return [...this.groups.values()].flatMap((named) => [...named.values()]);
  }
}

function refuseOtherLength(
  owner: string,
  part: string,
  results: unknown,
  { length }: ArrayLike<unknown>,
): void {
  if (Array.isArray(results) && results.length === length) return;
  const given = Array.isArray(results) ? `${results.length} values` : "no list";
  throw new PawlError(
    "INVALID_LIFECYCLE",
    `Plugin "${owner}": ${part} must give one value for each of ${length} requests, in their order; it gave ${given}.`,
  );
}

function unloaded(lifecycle: Lifecycle, fact: string): never {
  throw new PawlError(
    "INVALID_CONFIG",
    `${lifecycle.name} reads the fact "${fact}", but its plugin has no loader for it.`,
  );
}

function unhandled({ name }: Lifecycle, kind: string): PawlError {
  return new PawlError(
    "INVALID_LIFECYCLE",
    `Plugin "${name}": no handler for the effect "${kind}": add it to effects.`,
  );
}
