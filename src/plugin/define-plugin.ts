import { didYouMean, PawlError } from "../core/index.ts";
import type { AnyInputOf, JsonObject, Lifecycle, Problem, Task } from "../core/index.ts";
import type { AddCommands } from "../cli/index.ts";
import type { DemoScript } from "../demo/index.ts";
import { STANDARD_FACT_NAMES } from "../engine/index.ts";
import type {
  CreationFactLoader,
  EffectHandler,
  EnginePlugin,
  FactLoader,
  PluginPrune,
  PluginSweep,
} from "../engine/index.ts";
import type { RouteHost, RouteSet } from "../server/index.ts";
import type { PluginUi } from "./plugin-ui.ts";
import type { PluginSettings, SettingValues } from "./setting.ts";

/** A lifecycle with everything around it. Every part is optional but the lifecycle. */
export type PluginDefinition<L extends Lifecycle, S extends PluginSettings> = {
  lifecycle: L;
  /** Refusal codes of the plugin's own, beside those in the lifecycle. */
  problems?: Readonly<Record<string, Problem>>;
  /** Settings of the process, by the names they have in `pawl.config.ts`. */
  settings?: S;
  /** Folder of the numbered SQL files that make the plugin's tables; each name starts with the lifecycle's name and `_`. */
  migrations?: URL;
  /** Loads what guards and effects read beyond the task. */
  facts?: { readonly [F in keyof FactsOf<L>]?: FactLoader<FactsOf<L>[F], TaskIn<L>, InputOf<L>> };
  /** Loads what a creation reads. */
  creationFacts?: { readonly [F in keyof FactsOf<L>]?: CreationFactLoader<FactsOf<L>[F]> };
  /** Carries out side effects, by their kind. */
  effects?: Readonly<Record<string, EffectHandler<TaskIn<L>>>>;
  /** Routes of the plugin's own. */
  routes?: (host: RouteHost & { settings: SettingValues<S> }) => readonly RouteSet[];
  /** Commands of the plugin's own, below `pawl`. */
  commands?: AddCommands;
  sweep?: PluginSweep & {
    /** Seconds between two sweeps of this lifecycle; by default those of all others. */
    intervalSeconds?: (settings: SettingValues<S>) => number;
  };
  prune?: PluginPrune;
  /** Screens and texts for the web console. */
  ui?: PluginUi;
  /** The plugin's part of the demo, loaded when the demo runs. */
  demo?: () => Promise<DemoScript>;
};

type TypesOf<L> = L extends { readonly types?: infer T } ? NonNullable<T> : never;
type FactsOf<L> = TypesOf<L> extends { facts: infer F } ? F : JsonObject;
type InputOf<L> = TypesOf<L> extends { actions: infer A } ? AnyInputOf<A> : JsonObject;
type TaskIn<L> = TypesOf<L> extends { status: infer S extends string; data: infer D } ? Task<S, D> : Task;

/** A checked plugin: its lifecycle and settings are typed, its other parts lose the types that their definition gave them. */
export type Plugin<
  S extends PluginSettings = PluginSettings,
  L extends Lifecycle = Lifecycle,
> = EnginePlugin & {
  readonly lifecycle: L;
  readonly problems: Readonly<Record<string, Problem>>;
  readonly settings: S;
  readonly migrations?: URL;
  readonly routes?: (host: RouteHost & { settings: JsonObject }) => readonly RouteSet[];
  readonly commands?: AddCommands;
  readonly sweep?: PluginSweep & { intervalSeconds?: (settings: JsonObject) => number };
  readonly ui?: PluginUi;
  readonly demo?: () => Promise<DemoScript>;
};

/**
 * Joins a lifecycle with its tables, facts, effects, routes, commands, settings and screens. The result goes wherever a
 * lifecycle goes: into `lifecycles` of `openPawl` or of `pawl.config.ts`. Throws INVALID_LIFECYCLE naming every mistake.
 */
export function definePlugin<L extends Lifecycle, const S extends PluginSettings = PluginSettings>(
  definition: PluginDefinition<L, S>,
): Plugin<S, L> {
  // The lifecycle's types are erased here: callers of the parts do not know them.
  const parts = definition as unknown as Omit<Plugin, "problems" | "settings"> & Partial<Plugin>;
  const plugin: Plugin<S, L> = {
    ...parts,
    lifecycle: definition.lifecycle,
    settings: definition.settings ?? ({} as S),
    problems: { ...parts.lifecycle.problems, ...parts.problems },
  };
  const mistakes = [...mistakesInFacts(plugin), ...mistakesInEffects(plugin)];
  if (mistakes.length > 0)
    throw new PawlError("INVALID_LIFECYCLE", `Plugin "${plugin.lifecycle.name}": ${mistakes.join(" ")}`, {
      mistakes,
    });
  return Object.freeze(plugin);
}

/** A lifecycle without further parts is a plugin, too. */
export function pluginOf(given: Lifecycle | Plugin): Plugin {
  return "lifecycle" in given ? given : definePlugin({ lifecycle: given });
}

function mistakesInFacts({ lifecycle, facts = {}, creationFacts = {} }: Plugin): string[] {
  const read = new Set(Object.values(lifecycle.actions).flatMap((action) => action.facts ?? []));
  const readAtCreation = new Set(lifecycle.creation.facts ?? []);
  return [
    ...missing(read, facts).map((fact) => `Nothing loads the fact "${fact}": add it to facts.`),
    ...missing(readAtCreation, creationFacts).map(
      (fact) => `Nothing loads the fact "${fact}" of a creation: add it to creationFacts.`,
    ),
    ...unread(facts, read).map(
      (fact) => `No action reads the fact "${fact}"${didYouMean(fact, read) || "."}`,
    ),
    ...unread(creationFacts, readAtCreation).map(
      (fact) => `No creation reads the fact "${fact}"${didYouMean(fact, readAtCreation) || "."}`,
    ),
  ];
}

function missing(read: Iterable<string>, loaders: object): string[] {
  return [...read].filter((fact) => !Object.hasOwn(loaders, fact) && !STANDARD_FACT_NAMES.has(fact));
}

function unread(loaders: object, read: ReadonlySet<string>): string[] {
  return Object.keys(loaders).filter((fact) => !read.has(fact));
}

function mistakesInEffects({ effects = {} }: Plugin): string[] {
  return Object.entries(effects)
    .filter(([, handler]) => typeof handler !== "function")
    .map(([kind]) => `The effect "${kind}" must be a function.`);
}
