import type { Route, RouteTable } from "../../api/index.ts";
import { PawlError } from "../../core/index.ts";
import type { Lifecycle } from "../../core/index.ts";
import type { FastifyInstance } from "fastify";
import type { RouteSet } from "./route-set.ts";
import { serveRoutes } from "./serve-route.ts";
import type { Serving } from "./serve-route.ts";

export type PluginRoutes<Host> = { lifecycle: Lifecycle; routes?: (host: Host) => readonly RouteSet[] };

type PluginRouteSet = { set: RouteSet; lifecycle: Lifecycle };

/**
 * Gets the routes of the plugins, each set with the lifecycle whose permissions its rows name. Throws INVALID_CONFIG naming the
 * plugin if they cannot be got, or if one has the name or the address of another route.
 */
export function pluginRouteSets<Host>(
  plugins: readonly PluginRoutes<Host>[],
  host: Host,
  ofPawl: readonly RouteTable[],
): PluginRouteSet[] {
  const owners = new Map<string, string>();
  for (const table of ofPawl) for (const key of keysOf(table)) owners.set(key, "Pawl");
  const sets = plugins.flatMap(({ lifecycle, routes }) =>
    inPlugin(lifecycle.name, () => (routes?.(host) ?? []).map((set) => ({ set, lifecycle }))),
  );
  for (const { set, lifecycle } of sets) {
    for (const key of keysOf(set.table)) {
      const other = owners.get(key);
      if (other !== undefined)
        throw new PawlError(
          "INVALID_CONFIG",
          `Plugin "${lifecycle.name}": there is a route ${key} of ${other} already; rename that of the plugin.`,
        );
      owners.set(key, `the plugin "${lifecycle.name}"`);
    }
  }
  return sets;
}

/** Serves the sets; throws INVALID_CONFIG naming the plugin whose rows are wrong. */
export function servePluginRoutes(
  app: FastifyInstance,
  sets: readonly PluginRouteSet[],
  serving: Omit<Serving, "lifecycles">,
): void {
  for (const { set, lifecycle } of sets)
    inPlugin(lifecycle.name, () => {
      serveRoutes(app, set, { ...serving, lifecycles: [lifecycle] });
    });
}

/** Names the plugin in the error that its part throws. */
function inPlugin<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PawlError(
      "INVALID_CONFIG",
      `Plugin "${name}": its routes cannot be served: ${why}`,
      {},
      { cause: error },
    );
  }
}

/** The name and the address of each row; two addresses are the same if only the names of their parameters differ. */
function keysOf(table: RouteTable): string[] {
  return Object.entries<Route>(table).flatMap(([name, { method, path }]) => [
    `named ${name}`,
    `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`,
  ]);
}
