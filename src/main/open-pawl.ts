import type { Plugin } from "../plugin/index.ts";
import {
  migrationSources,
  ownIntervals,
  pluginSettings,
  projectDefaults,
  resolvePlugins,
} from "./plugins.ts";
import {
  createOrg,
  DemoOrg,
  Directory,
  Engine,
  explainRefusal,
  findActor,
  listOrgs,
  migrate,
  registerLifecycles,
  requireMigrated,
  startCommitHints,
  startInboxPoll,
  startSweeper,
  wrongField,
} from "../engine/index.ts";
import type {
  Caller,
  CommitHintOptions,
  EngineOptions,
  Member,
  PruneOptions,
  Reconciled,
  SessionTimes,
  Sweeper,
} from "../engine/index.ts";
import { checkSchemaName, isPostgresUrl, openDatabase } from "../postgres/index.ts";
import type { DatabaseConfig, Sql } from "../postgres/index.ts";
import { PawlError, SYSTEM } from "../core/index.ts";
import { MAX_TIMER_DELAY_MS } from "../std/timer-delay.ts";
import { unlessAborted } from "../std/unless-aborted.ts";
import type { JsonObject, Lifecycle } from "../core/index.ts";
import type { LifecyclesOf, SomeLifecycle } from "../client/index.ts";
import { PawlProblem } from "../client/problem.ts";
import { fieldRefusal, throwRefusal } from "./check-arguments.ts";
import { inProcess } from "./in-process.ts";
import type { LocalClient } from "./local-client.ts";
import type { Verbs } from "./typed-verbs.ts";
import { verbsOf } from "./verbs.ts";
import type { StartWork } from "./workers.ts";

type PluginList = readonly (Lifecycle | Plugin)[];

/** Options of `openPawl` and `startTestServer`. */
export type PawlOptions<List extends PluginList = PluginList> = DatabaseConfig &
  EngineOptions & {
    /**
     * The plugins that run: your own lifecycles and plugins, and built-in ones, such as `board` from `pawl/lifecycles/board`. Their
     * types are those of the returned object.
     */
    plugins?: List;
    /** Default true; false for a role without DDL rights: throws DATABASE_UNUSABLE unless `pawl migrate` has run. */
    migrate?: boolean;
    /** Values of the plugins' settings by name; missing ones have their defaults. */
    settings?: Readonly<Record<string, unknown>>;
    /** Interval between sweeps for expired timers; default 60, 0 turns them off (if another node runs them). */
    sweepSeconds?: number;
    /** Interval between checks that find and repair inconsistent tasks; default 300, 0 turns them off. */
    reconcileSeconds?: number;
    /** Interval between polls for requests of `pawl.enqueue`; default 0.5, 0 turns them off (if another node runs them). */
    inboxSeconds?: number;
    /** Interval at which new events are added to the figures of the insights; default 0, which is never: servers do it, and it costs 60 % of the changes themselves. */
    insightsSeconds?: number;
    /** Deletes finished tasks, their journals and chat messages, and refused requests of `pawl.enqueue`, after this time; by default nothing is deleted. */
    retention?: { days: number; onExport?: PruneOptions["onExport"] };
    /** How long sessions of browsers last, for a server on this engine. */
    sessionTimes?: SessionTimes | undefined;
    /** Whether, and on which connection, this node listens for notifications of commits on other nodes. */
    hints?: CommitHintOptions;
    /** Called when a sweep fails, or when a worker in this process can no longer claim. */
    onFault?: (error: unknown) => void;
    /** Called with tasks that were inconsistent and had to be repaired. */
    onRepair?: (report: Reconciled & { org_id: string }) => void;
  };

type NewMember = Partial<Member> & { id: string };
type NewProject = { id: string; name?: string; settings?: JsonObject };

/** The engine inside your own process, on the database at `url` or on the embedded one in `data`. */
export type Pawl<Known extends SomeLifecycle = SomeLifecycle> = Verbs<Known> &
  Pick<Engine, "sweep" | "reconcile" | "prune" | "verify" | "transaction"> & {
    /** The engine itself, for servers and plugins: its times are milliseconds. */
    readonly engine: Engine;
    /** A client that acts as the caller: the functions and answers of `createClient`, without HTTP. */
    client(caller: Caller): LocalClient<Known>;
    /**
     * Works on a lifecycle's pool in this process, with the leases, heartbeats, retries and shutdown of `startWorker`. `close` stops it.
     *
     * ```ts
     * await pawl.work("errand", async (task, { signal }) => ({ action: "complete", payload: { result: await fetchIt(task, signal) } }), {
     *   as: "wanda",
     *   concurrency: 4,
     *   failed: ({ message }) => ({ action: "give_up", comment: message }),
     * });
     * ```
     */
    readonly work: StartWork<Known>;
    /** Members, projects and tokens. */
    directory: Directory;
    /** The separate org of the demo, if there is one. */
    demo: DemoOrg;
    /** A caller that acts as a member. */
    as(member_id: string, org_id?: string): Promise<Caller>;
    /** A caller that acts as the system. */
    asSystem(org_id?: string): Caller;
    createOrg(id: string): Promise<void>;
    /** Does not change an existing project. */
    createProject(project: NewProject, org_id?: string): Promise<void>;
    /** Does not change an existing member. */
    createMember(member: NewMember, org_id?: string): Promise<void>;
    /** Address of the database, for psql and other tools. */
    url: string;
    /**
     * Stops the workers of this process, finishes the work in progress, then closes the database. Running tasks get `graceMs` (default
     * that of their worker, 30 s) to finish before they are aborted and given back. May be called twice.
     */
    close(options?: { graceMs?: number }): Promise<void>;
  };

/** Opens the database, migrates it (unless `migrate` is false) and returns the engine on it; the org and the project `main` always exist. */
export async function openPawl<const List extends PluginList = PluginList>(
  options: PawlOptions<List> = {},
): Promise<Pawl<LifecyclesOf<List>>> {
  const { retryTimeoutMs, statementTimeoutMs } = options;
  checkNumbers(options);
  if ("lifecycles" in options)
    throw new PawlError("INVALID_CONFIG", "openPawl has no option lifecycles: list them in plugins.");
  if ("url" in options && options.url === undefined && options.data === undefined)
    throw new PawlError(
      "INVALID_CONFIG",
      "The option url is undefined: set the variable that it comes from, or name the folder of an embedded database with `data`.",
    );
  if (options.schema !== undefined) checkSchemaName(options.schema);
  const plugins = resolvePlugins(options.plugins ?? []);
  const settings = pluginSettings(plugins, options.settings);
  const intervals = ownIntervals(plugins, settings, options.sweepSeconds ?? SWEEP_SECONDS);
  for (const [name, seconds] of intervals)
    checkNumber(`sweep.intervalSeconds of ${name}`, seconds, INTERVAL_SECONDS_RANGE);
  const { directUrl } = options.hints ?? {};
  if (directUrl !== undefined && !isPostgresUrl(directUrl))
    throw new PawlError("INVALID_CONFIG", "hints.directUrl is not the address of a PostgreSQL server.");
  const database = await openDatabase(options);
  const { sql } = database;
  try {
    await unlessAborted(prepare(sql, plugins, options.migrate), options.signal);
  } catch (error) {
    const explained = await explainRefusal(sql, error);
    // Do not wait for statements that are still running, such as one that waits for another node's migration.
    await sql.end({ timeout: 0 });
    await database.close();
    throw explained;
  }
  const engine = new Engine(sql, plugins, {
    observer: options.observer,
    defaults: { ...projectDefaults(plugins, settings), ...options.defaults },
    ...(retryTimeoutMs === undefined ? {} : { retryTimeoutMs }),
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  const sweepers = startSweepers(engine, sql, { ...options, intervals });
  const hints = startCommitHints(engine.commits, sql, options.hints);
  const lifecycles = plugins.map(({ lifecycle }) => lifecycle);
  const directory = new Directory(sql, lifecycles, { sessionTimes: options.sessionTimes });
  const findCaller = async (member_id: string, org_id = "main") => {
    throwRefusal(fieldRefusal({ member_id, org_id }, { member_id: "id", org_id: "id" }));
    return { org_id, actor: await findActor(sql, org_id, member_id) };
  };
  const { onFault } = options;
  const local = inProcess<LifecyclesOf<List>>({ engine, directory, plugins, findCaller, onFault });
  return {
    ...verbsOf<LifecyclesOf<List>>(engine),
    engine,
    sweep: (which) => engine.sweep(which),
    reconcile: (org_id, chunks) => engine.reconcile(org_id, chunks),
    prune: (which) => engine.prune(which),
    verify: (org_id, onProgress) => engine.verify(org_id, onProgress),
    transaction: (work) => engine.transaction(work),
    client: local.client,
    work: local.work,
    directory,
    demo: new DemoOrg(sql, directory),
    url: database.url,
    as: findCaller,
    asSystem: (org_id = "main") => ({ org_id, actor: SYSTEM }),
    createOrg: (id: string) => createValidOrg(sql, id),
    createProject: (project: NewProject, org_id = "main") =>
      unlessExisting(project, () => local.client({ org_id, actor: SYSTEM }).createProject(project)),
    createMember: (member: NewMember, org_id = "main") =>
      unlessExisting(member, () => local.client({ org_id, actor: SYSTEM }).createMember(member)),
    close: async (grace) => {
      await local.stop(grace);
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
      await engine.drain();
      await hints.stop();
      await database.close();
    },
  };
}

async function createValidOrg(sql: Sql, id: string): Promise<void> {
  throwRefusal(fieldRefusal({ id }, { id: "id" }));
  await createOrg(sql, id);
}

/** Creates something by the checks of the API; accepts that its id exists already. */
async function unlessExisting(given: { id: string }, create: () => Promise<unknown>): Promise<void> {
  throwRefusal(fieldRefusal(given, { id: "id" }));
  // The API removes these spaces, and `pawl.as(id)` would find no member.
  if (given.id.trim() !== given.id) throwRefusal(wrongField("id", "must not begin or end with white space"));
  try {
    await create();
  } catch (error) {
    if (!(error instanceof PawlProblem)) throw error;
    const { code, detail, params } = error;
    if (code !== "ALREADY_EXISTS") throw new PawlError(code, detail, { ...params }, { cause: error });
  }
}

const INTERVAL_SECONDS_RANGE: [number, number] = [0, Math.floor(MAX_TIMER_DELAY_MS / 1_000)];

/** Throws INVALID_CONFIG for a number outside its range. */
function checkNumbers(options: PawlOptions): void {
  const { sweepSeconds, reconcileSeconds, inboxSeconds, insightsSeconds, connectTimeoutSeconds } = options;
  const seconds = { sweepSeconds, reconcileSeconds, inboxSeconds, insightsSeconds, connectTimeoutSeconds };
  for (const [name, value] of Object.entries(seconds)) checkNumber(name, value, INTERVAL_SECONDS_RANGE);
  checkNumber("retryTimeoutMs", options.retryTimeoutMs, [0, MAX_TIMER_DELAY_MS]);
  checkNumber("statementTimeoutMs", options.statementTimeoutMs, [1, MAX_TIMER_DELAY_MS]);
  checkWhole("maxConnections", options.maxConnections, [1, 1_000]);
  checkWhole("port", options.port, [1, 65_535]);
  if (options.retention) checkNumber("retention.days", options.retention.days, [0, 36_500], true);
}

function checkNumber(
  name: string,
  value: number | undefined,
  [min, max]: [number, number],
  required = false,
): void {
  // Check the type as well: null, for example from a settings file, would count as 0.
  if ((value === undefined && !required) || (typeof value === "number" && value >= min && value <= max))
    return;
  throw new PawlError(
    "INVALID_CONFIG",
    `${name} must be a number from ${min} to ${max}, not ${String(value)}.`,
  );
}

function checkWhole(name: string, value: number | undefined, [min, max]: [number, number]): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new PawlError(
    "INVALID_CONFIG",
    `${name} must be a whole number from ${min} to ${max}, not ${String(value)}.`,
  );
}

async function prepare(sql: Sql, plugins: readonly Plugin[], migrates = true): Promise<void> {
  const sources = migrationSources(plugins);
  if (migrates) await migrate(sql, { sources });
  else await requireMigrated(sql, sources);
  await registerLifecycles(sql, plugins);
  await createOrg(sql, "main");
}

const SWEEP_SECONDS = 60;
const PRUNE_SECONDS = 3_600;
const TIDY_SECONDS = 3_600;

function startSweepers(
  engine: Engine,
  sql: Sql,
  options: PawlOptions & { intervals: ReadonlyMap<string, number> },
): Sweeper[] {
  const {
    sweepSeconds = SWEEP_SECONDS,
    reconcileSeconds = 300,
    inboxSeconds = 0.5,
    insightsSeconds = 0,
    retention,
    onFault,
    onRepair,
    intervals,
  } = options;
  const every = (seconds: number, work: () => Promise<unknown>, firstSeconds = seconds) => {
    const times = { everyMs: seconds * 1_000, firstMs: firstSeconds * 1_000 };
    return seconds > 0 ? [startSweeper(work, { ...times, ...(onFault ? { onFault } : {}) })] : [];
  };
  // The first run is early, so that a node that restarts often still gets to it.
  const soon = (seconds: number) => Math.min(seconds, sweepSeconds || seconds);
  const lifecycles = [...engine.registry.lifecycles.keys()].filter((name) => !intervals.has(name));
  return [
    ...(inboxSeconds > 0 ? [startInboxPoll(engine.inbox, { everyMs: inboxSeconds * 1_000, onFault })] : []),
    ...every(sweepSeconds, () => engine.sweep({ lifecycles })),
    ...[...intervals].flatMap(([name, seconds]) =>
      every(sweepSeconds > 0 ? seconds : 0, () => engine.sweep({ lifecycles: [name] }), soon(seconds)),
    ),
    ...every(reconcileSeconds, async () => {
      for (const org_id of await listOrgs(sql)) {
        const report = await engine.reconcile(org_id);
        if (report.repaired.length + report.broken.length > 0) onRepair?.({ org_id, ...report });
      }
    }),
    ...every(insightsSeconds, () => engine.past.rollUp()),
    ...every(
      insightsSeconds > 0 ? TIDY_SECONDS : 0,
      async () => {
        for (const org_id of await listOrgs(sql)) await engine.past.removeOldFigures(org_id);
      },
      soon(TIDY_SECONDS),
    ),
    ...every(
      retention ? PRUNE_SECONDS : 0,
      async () => {
        const { days, onExport } = retention ?? { days: Infinity };
        const olderThanMs = days * 86_400_000;
        for (const org_id of await listOrgs(sql))
          // A plugin that fails in one org does not stop retention in the others.
          await engine
            .prune({ org_id, olderThanMs, ...(onExport ? { onExport } : {}) })
            .then(({ failed }) => {
              const [first] = failed;
              if (first)
                onFault?.(new Error(`${failed.length} tasks of org ${org_id} are kept: ${first.why}`));
            }, onFault);
      },
      soon(PRUNE_SECONDS),
    ),
  ];
}
