import type { SomeLifecycle } from "../client/index.ts";
import type { Caller, Directory, Engine } from "../engine/index.ts";
import type { Plugin } from "../plugin/index.ts";
import { localRoutes } from "../server/index.ts";
import { localClient } from "./local-client.ts";
import type { LocalClient } from "./local-client.ts";
import { Workers } from "./workers.ts";
import type { StartWork } from "./workers.ts";

type Host = {
  engine: Engine;
  directory: Directory;
  plugins: readonly Plugin[];
  findCaller: (member_id: string, org_id: string) => Promise<Caller>;
  onFault: ((error: unknown) => void) | undefined;
};

/** Clients and workers in the process of an engine. */
export type InProcess<Known extends SomeLifecycle> = {
  client: (caller: Caller) => LocalClient<Known>;
  work: StartWork<Known>;
  /** Stops the workers, then ends waiting claims and streams. */
  stop: (options?: { graceMs?: number }) => Promise<void>;
};

export function inProcess<Known extends SomeLifecycle>(host: Host): InProcess<Known> {
  const { engine, directory, plugins, findCaller, onFault } = host;
  const stopping = new AbortController();
  const { signal } = stopping;
  const own = Object.assign({}, ...plugins.map(({ problems }) => problems)) as Plugin["problems"];
  const routes = localRoutes({ engine, directory, own, stopping: signal });
  const clientOf = (callerOf: () => Caller | Promise<Caller>) =>
    localClient<Known>({ engine, routes, stopping: signal }, callerOf);
  const { registry } = engine;
  const workers = new Workers({ registry, clientOf, findCaller, onFault });
  return {
    client: (caller) => clientOf(() => caller),
    // The types of the lifecycle are erased here: at run time names are plain strings.
    work: ((...args: Parameters<Workers["start"]>) => workers.start(...args)) as StartWork<Known>,
    stop: async (options) => {
      await workers.stop(options);
      stopping.abort();
    },
  };
}
