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
  PluginGauge,
  PluginPrune,
  PluginSweep,
} from "../engine/index.ts";
import type { RouteHost, RouteSet } from "../server/index.ts";
import type { PluginUi } from "./plugin-ui.ts";
import type { PluginSettings, SettingValues } from "./setting.ts";

/** The argument of `definePlugin`: a lifecycle and everything around it. Only `lifecycle` is required. */
export type PluginDefinition<L extends Lifecycle, S extends PluginSettings> = {
  lifecycle: L;
  /** Refusal codes of the plugin's routes, in addition to those of the lifecycle. */
  problems?: Readonly<Record<string, Problem>>;
  /** Settings of the server process, by their keys in `pawl.config.ts`. */
  settings?: S;
  /**
   * Folder of numbered SQL files (`0001-tables.sql`) that create the plugin's tables. Names of tables, indexes and constraints begin
   * with the lifecycle's name and `_`.
   */
  migrations?: URL;
  /** Loads the facts that actions list, by name: values from outside the task that guards and effects read. */
  facts?: { readonly [F in keyof FactsOf<L>]?: FactLoader<FactsOf<L>[F], TaskIn<L>, InputOf<L>> };
  /** Loads the facts that a creation lists, by name. */
  creationFacts?: { readonly [F in keyof FactsOf<L>]?: CreationFactLoader<FactsOf<L>[F]> };
  /** Carries out the side effects that the lifecycle's effects request with `also`, by `kind`. */
  effects?: Readonly<Record<string, EffectHandler<TaskIn<L>>>>;
  /** Returns the plugin's HTTP routes; called once when the server starts. */
  routes?: (host: RouteHost & { settings: SettingValues<S> }) => readonly RouteSet[];
  /** Adds commands to `pawl`. */
  commands?: AddCommands;
  /** A job that runs regularly on every node. */
  sweep?: PluginSweep & {
    /** Seconds between two runs of the job, and between two checks of this lifecycle's timers. Default: the server's `sweepSeconds`. */
    intervalSeconds?: (settings: SettingValues<S>) => number;
  };
  /** Deletes the plugin's rows when retention deletes tasks. */
  prune?: PluginPrune;
  /** Metrics, by name: the gauge `outages` of the lifecycle `delivery` is `pawl_delivery_outages`. */
  gauges?: Readonly<Record<string, PluginGauge>>;
  /** Screens and texts for the web console. */
  ui?: PluginUi;
  /** Loads the plugin's part of the demo, when the demo runs. */
  demo?: () => Promise<DemoScript>;
};

type TypesOf<L> = L extends { readonly types?: infer T } ? NonNullable<T> : never;
type FactsOf<L> = TypesOf<L> extends { facts: infer F } ? F : JsonObject;
type InputOf<L> = TypesOf<L> extends { actions: infer A } ? AnyInputOf<A> : JsonObject;
type TaskIn<L> = TypesOf<L> extends { status: infer S extends string; data: infer D } ? Task<S, D> : Task;

/** A plugin, as `definePlugin` returns it. Its lifecycle and settings keep their types; those of the other parts are erased. */
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
  readonly gauges?: Readonly<Record<string, PluginGauge>>;
  readonly ui?: PluginUi;
  readonly demo?: () => Promise<DemoScript>;
};

/**
 * Defines a plugin: a lifecycle with its tables, facts, effects, routes, commands, settings and screens. List the plugin in
 * `lifecycles` of `pawl.config.ts` or in `plugins` of `openPawl`. Throws INVALID_LIFECYCLE if a fact has no loader or a loader has no use.
 *
 * ```ts
 * const invoices = definePlugin({
 *   lifecycle,
 *   migrations: new URL("../migrations/", import.meta.url),
 *   facts: {
 *     paid_cents: async (tx, org_id, requests) => {
 *       const paid = await sumPayments(tx, org_id, requests.map(({ task }) => task.id));
 *       return requests.map(({ task }) => paid.get(task.id) ?? 0);
 *     },
 *   },
 *   effects: { save_payment: (tx, items) => savePayments(tx, items) },
 * });
 *
 * export default invoices;
 * ```
 */
export function definePlugin<L extends Lifecycle, const S extends PluginSettings = PluginSettings>(
  definition: PluginDefinition<L, S>,
): Plugin<S, L> {
  if (!isLifecycle((definition as Partial<typeof definition> | undefined)?.lifecycle))
    throw new PawlError("INVALID_LIFECYCLE", "definePlugin needs a lifecycle made by defineLifecycle.");
  // The lifecycle's types are erased here: callers of the parts do not know them.
  const parts = definition as unknown as Omit<Plugin, "problems" | "settings"> & Partial<Plugin>;
  const plugin: Plugin<S, L> = {
    ...parts,
    lifecycle: definition.lifecycle,
    settings: definition.settings ?? ({} as S),
    problems: { ...parts.lifecycle.problems, ...parts.problems },
  };
  const inParts = mistakesInParts(parts);
  const mistakes =
    inParts.length > 0
      ? inParts
      : [
          ...mistakesInSettings(plugin),
          ...mistakesInFacts(plugin),
          ...mistakesInEffects(plugin),
          ...mistakesInGauges(plugin),
        ];
  if (mistakes.length > 0)
    throw new PawlError("INVALID_LIFECYCLE", `Plugin "${plugin.lifecycle.name}": ${mistakes.join(" ")}`, {
      mistakes,
    });
  return Object.freeze(plugin);
}

/** Returns a plugin as it is, and a lifecycle as a plugin without other parts. */
export function pluginOf(given: Lifecycle | Plugin): Plugin {
  if (isLifecycle(given)) return definePlugin({ lifecycle: given });
  if (isLifecycle((given as Partial<Plugin> | null | undefined)?.lifecycle)) return given;
  throw new PawlError(
    "INVALID_CONFIG",
    "plugins must be a list of what defineLifecycle or definePlugin returns.",
  );
}

/** Without types: users of JavaScript, and imports that are undefined. */
function isLifecycle(value: unknown): value is Lifecycle {
  return (value as Partial<Lifecycle> | null | undefined)?.rules_by_action instanceof Map;
}

const isFunction = (value: unknown) => typeof value === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null;
const isFileUrl = (value: unknown) => String((value as Partial<URL> | null)?.href).startsWith("file:");

/** The parts beside the lifecycle, with a description of a valid one. */
const PARTS: Record<Exclude<keyof PluginDefinition<Lifecycle, PluginSettings>, "lifecycle">, Part> = {
  problems: [isObject, "an object"],
  settings: [isObject, "an object"],
  migrations: [isFileUrl, 'the URL of a folder, like new URL("./migrations/", import.meta.url)'],
  facts: [isObject, "an object"],
  creationFacts: [isObject, "an object"],
  effects: [isObject, "an object"],
  routes: [isFunction, "a function"],
  commands: [isFunction, "a function"],
  sweep: [isObject, "an object"],
  prune: [isObject, "an object"],
  gauges: [isObject, "an object"],
  ui: [isObject, "an object"],
  demo: [isFunction, "a function"],
};
type Part = [isValid: (value: unknown) => boolean, expected: string];

function mistakesInParts({ lifecycle: _, ...parts }: object & { lifecycle?: unknown }): string[] {
  const known = Object.keys(PARTS);
  return Object.entries(parts).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(PARTS, name)) return [`There is no part "${name}"${didYouMean(name, known) || "."}`];
    const [isValid, expected] = PARTS[name as keyof typeof PARTS];
    return isValid(value) ? [] : [`${name} must be ${expected}.`];
  });
}

function mistakesInFacts({ lifecycle, facts = {}, creationFacts = {} }: Plugin): string[] {
  const read = new Set(Object.values(lifecycle.actions).flatMap((action) => action.facts ?? []));
  const readAtCreation = new Set(lifecycle.creation.facts ?? []);
  return [
    ...missing(read, facts).map((fact) => `Nothing loads the fact "${fact}": add it to facts.`),
    ...missing(readAtCreation, creationFacts).map(
      (fact) => `Nothing loads the fact "${fact}" of a creation: add it to creationFacts.`,
    ),
    ...notFunctions({ ...facts, ...creationFacts }).map((fact) => `The fact "${fact}" must be a function.`),
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

function mistakesInSettings({ settings }: Plugin): string[] {
  return Object.entries<Partial<PluginSettings[string]>>(settings).flatMap(([name, { env, schema }]) =>
    typeof env === "string" && schema && "safeParse" in schema
      ? []
      : `The setting "${name}" needs env, schema, default, expected and description.`,
  );
}

function mistakesInEffects({ effects = {} }: Plugin): string[] {
  return notFunctions(effects).map((kind) => `The effect "${kind}" must be a function.`);
}

/** The client for Prometheus refuses wrong names only when the server starts. */
function mistakesInGauges({ gauges = {} }: Plugin): string[] {
  const isName = (name: unknown) => /^[a-z][a-z0-9_]*$/.test(String(name));
  return Object.entries<Partial<PluginGauge>>(gauges).flatMap(([name, { help, labels, read }]) =>
    isName(name) &&
    typeof help === "string" &&
    Array.isArray(labels) &&
    labels.every(isName) &&
    isFunction(read)
      ? []
      : `The gauge "${name}" needs help, labels and read; names have lower-case letters, digits and _.`,
  );
}

function notFunctions(table: object): string[] {
  return Object.entries(table).flatMap(([name, value]) => (isFunction(value) ? [] : name));
}
