import { isDeepStrictEqual } from "node:util";
import { describeLifecycle, PawlError } from "../core/index.ts";
import type { JsonObject, Lifecycle, Problem } from "../core/index.ts";
import { ENGINE_MIGRATIONS } from "../engine/index.ts";
import type { MigrationSource } from "../engine/index.ts";
import { PLUGINS } from "../lifecycles/index.ts";
import { pluginOf } from "../plugin/index.ts";
import type { Plugin } from "../plugin/index.ts";
import type { ServerPlugin } from "../server/index.ts";
import { refuseSharedSettings } from "./settings.ts";

/** The chosen built-in plugins and those of the user. */
export function withBuiltIn(own: readonly (Lifecycle | Plugin)[], chosen: readonly string[]): Plugin[] {
  return resolvePlugins([...PLUGINS.filter(({ lifecycle }) => chosen.includes(lifecycle.name)), ...own]);
}

/** Turns lifecycles into plugins, a built-in one into its own; throws INVALID_CONFIG if two of them conflict. */
export function resolvePlugins(given: readonly (Lifecycle | Plugin)[]): Plugin[] {
  if (!(given instanceof Array)) throw new PawlError("INVALID_CONFIG", "plugins must be a list.");
  const plugins = given.map((one) => builtInOf(one) ?? pluginOf(one));
  const names = plugins.map(({ lifecycle }) => lifecycle.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new PawlError("INVALID_CONFIG", `Two lifecycles are named "${twice}".`, { name: twice });
  refuseConflictingProblems(plugins);
  refuseSharedSettings(plugins);
  return plugins;
}

/** Returns the plugin of a built-in lifecycle. It is compared by its contents: a process may have loaded two copies of Pawl. */
function builtInOf(given: Lifecycle | Plugin | null | undefined): Plugin | undefined {
  if (typeof given !== "object" || given === null || "lifecycle" in given) return undefined;
  return PLUGINS.find(
    ({ lifecycle }) =>
      lifecycle === given ||
      (lifecycle.name === given.name &&
        given.rules_by_action instanceof Map &&
        isDeepStrictEqual(describeLifecycle(given), describeLifecycle(lifecycle))),
  );
}

/** Throws INVALID_CONFIG if two plugins describe the same code differently. */
function refuseConflictingProblems(plugins: readonly Plugin[]): void {
  const known = new Map<string, { name: string; problem: Problem }>();
  for (const { lifecycle, problems } of plugins) {
    for (const [code, problem] of Object.entries(problems)) {
      const other = known.get(code);
      if (other && !isDeepStrictEqual(other.problem, problem))
        throw new PawlError(
          "INVALID_CONFIG",
          `${other.name} and ${lifecycle.name} describe the problem ${code} differently: rename one of them.`,
        );
      known.set(code, { name: lifecycle.name, problem });
    }
  }
}

/** The values of all plugins' settings; throws INVALID_CONFIG for an invalid one. */
export function pluginSettings(
  plugins: readonly Plugin[],
  given: Readonly<Record<string, unknown>> = {},
): JsonObject {
  const all = plugins.flatMap(({ settings }) => Object.entries(settings));
  return Object.fromEntries(
    all.map(([name, setting]) => {
      const parsed = setting.schema.safeParse(given[name] ?? setting.default);
      if (!parsed.success)
        throw new PawlError("INVALID_CONFIG", `settings.${name} must be ${setting.expected}.`);
      return [name, parsed.data];
    }),
  );
}

/** Defaults of project settings that plugins take from settings of the process. */
export function projectDefaults(plugins: readonly Plugin[], values: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    plugins.map(({ lifecycle, settings }) => [
      lifecycle.name,
      Object.fromEntries(
        Object.entries(settings).flatMap(([name, { projectDefault }]) =>
          projectDefault === undefined ? [] : [[projectDefault, values[name]]],
        ),
      ),
    ]),
  );
}

/**
 * Seconds between the sweeps of lifecycles that have an interval or a sweep of their own. They are swept apart from all others, so that
 * a sweep which never ends stops no timer of another lifecycle.
 */
export function ownIntervals(
  plugins: readonly Plugin[],
  values: JsonObject,
  defaultSeconds: number,
): ReadonlyMap<string, number> {
  return new Map(
    plugins.flatMap(({ lifecycle, sweep }) =>
      sweep ? [[lifecycle.name, sweep.intervalSeconds?.(values) ?? defaultSeconds] as const] : [],
    ),
  );
}

/** The migrations of the engine and of the plugins, in the order in which they run. */
export function migrationSources(plugins: readonly Plugin[]): MigrationSource[] {
  const own = plugins.flatMap(({ lifecycle, migrations }) =>
    migrations ? [{ owner: lifecycle.name, folder: migrations }] : [],
  );
  const { owner } = ENGINE_MIGRATIONS;
  if (own.some((source) => source.owner === owner))
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Plugin "${owner}": its migrations would be taken for those of Pawl; rename the lifecycle.`,
    );
  return [ENGINE_MIGRATIONS, ...own];
}

/** The parts for the server; routes get the values of the settings. */
export function serverPlugins(plugins: readonly Plugin[], settings: JsonObject): ServerPlugin[] {
  return plugins.map(({ lifecycle, problems, routes, gauges = {} }) => ({
    lifecycle,
    problems,
    gauges,
    ...(routes ? { routes: (host) => routes({ ...host, settings }) } : {}),
  }));
}
