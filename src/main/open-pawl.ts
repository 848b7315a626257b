import type { Plugin } from "../plugin/index.ts";
import { migrationSources, ownIntervals, pluginSettings, projectDefaults, withBuiltIn } from "./plugins.ts";
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
  startCommitHints,
  startSweeper,
} from "../engine/index.ts";
import type {
  By,
  CommitHintOptions,
  EngineOptions,
  Member,
  PruneOptions,
  Reconciled,
  Sweeper,
} from "../engine/index.ts";
import { isPostgresUrl, openDatabase } from "../postgres/index.ts";
import type { DatabaseConfig, Sql } from "../postgres/index.ts";
import { isRefusal, PawlError, SYSTEM } from "../core/index.ts";
import { MAX_TIMER_DELAY_MS } from "../std/timer-delay.ts";
import { unlessAborted } from "../std/unless-aborted.ts";
import type { JsonObject, Lifecycle } from "../core/index.ts";

export type PawlOptions = DatabaseConfig &
  EngineOptions & {
    /** Lifecycles and plugins of your own, beside those that ship with Pawl. */
    lifecycles?: readonly (Lifecycle | Plugin)[];
    /** Values of the plugins' settings, by their names; the others have their defaults. */
    settings?: Readonly<Record<string, unknown>>;
    /** How often timers are looked at; 60 unless told, 0 for never (another node does). */
    sweepSeconds?: number;
    /** How often what events may have missed is looked for and repaired; 300 unless told, 0 for never. */
    reconcileSeconds?: number;
    /** Finished tasks and messages of chats older than this are deleted, with their journals; nothing is unless told. */
    retention?: { days: number; onExport?: PruneOptions["onExport"] };
    /** Other nodes are told of commits; here, whether they are heard as well, and where. */
    hints?: CommitHintOptions;
    /** Hears of a sweep that failed. */
    onFault?: (error: unknown) => void;
    /** Hears of what had to be repaired: it should have been right. */
    onRepair?: (report: Reconciled & { org_id: string }) => void;
  };

type NewMember = Partial<Member> & { id: string };
type NewProject = { id: string; name?: string; settings?: JsonObject };

/** The engine inside one's own process, on the database at `url` or on the embedded one in `data`. */
export type Pawl = Engine & {
  /** Who is who: members, projects, tokens. */
  directory: Directory;
  /** The org that the demo has for itself, if there is one. */
  demo: DemoOrg;
  /** In a member's name. */
  as(member_id: string, org_id?: string): Promise<By>;
  /** In the system's name. */
  asSystem(org_id?: string): By;
  createOrg(id: string): Promise<void>;
  /** Leaves a project of this id as it is. */
  createProject(project: NewProject, org_id?: string): Promise<void>;
  /** Leaves a member of this id as it is. */
  createMember(member: NewMember, org_id?: string): Promise<void>;
  /** Where the database is; psql and other tools can connect there. */
  url: string;
  /** Answers what is under way, then lets the database go. May be called twice. */
  close(): Promise<void>;
};

/** Opens the database, brings it up to date, and gives the engine on it; org and project `main` are there from the start. */
export async function openPawl(options: PawlOptions = {}): Promise<Pawl> {
  const { lifecycles = [], patienceMs, statementTimeoutMs } = options;
  checkNumbers(options);
  const plugins = withBuiltIn(lifecycles);
  const settings = pluginSettings(plugins, options.settings);
  const intervals = ownIntervals(plugins, settings);
  for (const [name, seconds] of intervals)
    checkNumber(`sweep.intervalSeconds of ${name}`, seconds, INTERVAL_SECONDS_RANGE);
  const { directUrl } = options.hints ?? {};
  if (directUrl !== undefined && !isPostgresUrl(directUrl))
    throw new PawlError("INVALID_CONFIG", "hints.directUrl is not the address of a PostgreSQL server.");
  const database = await openDatabase(options);
  const { sql } = database;
  try {
    await unlessAborted(prepare(sql, plugins), options.signal);
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
    ...(patienceMs === undefined ? {} : { patienceMs }),
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  const sweepers = startSweepers(engine, sql, { ...options, intervals });
  const hints = startCommitHints(engine.commits, sql, options.hints);
  const directory = new Directory(
    sql,
    plugins.map(({ lifecycle }) => lifecycle),
  );
  return Object.assign(engine, {
    directory,
    demo: new DemoOrg(sql, directory),
    url: database.url,
    as: async (member_id: string, org_id = "main") => ({
      org_id,
      actor: await findActor(sql, org_id, member_id),
    }),
    asSystem: (org_id = "main") => ({ org_id, actor: SYSTEM }),
    createOrg: (id: string) => createOrg(sql, id),
    createProject: async (project: NewProject, org_id = "main") => {
      throwUnlessExisting(await directory.addProject({ org_id, actor: SYSTEM }, project));
    },
    createMember: async (member: NewMember, org_id = "main") => {
      throwUnlessExisting(await directory.addMember({ org_id, actor: SYSTEM }, member));
    },
    close: async () => {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
      await engine.drain();
      await hints.stop();
      await database.close();
    },
  });
}

/** Throws a refusal as an error, except that the id exists already. */
function throwUnlessExisting(done: object): void {
  if (isRefusal(done) && done.code !== "ALREADY_EXISTS")
    throw new PawlError(done.code, done.detail, { ...done.params });
}

const INTERVAL_SECONDS_RANGE: [number, number] = [0, Math.floor(MAX_TIMER_DELAY_MS / 1_000)];

/** Throws INVALID_CONFIG for a number outside its range. */
function checkNumbers(options: PawlOptions): void {
  const { sweepSeconds, reconcileSeconds, connectTimeoutSeconds } = options;
  for (const [name, value] of Object.entries({ sweepSeconds, reconcileSeconds, connectTimeoutSeconds }))
    checkNumber(name, value, INTERVAL_SECONDS_RANGE);
  checkNumber("patienceMs", options.patienceMs, [0, MAX_TIMER_DELAY_MS]);
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

async function prepare(sql: Sql, plugins: readonly Plugin[]): Promise<void> {
  await migrate(sql, { sources: migrationSources(plugins) });
  await registerLifecycles(sql, plugins);
  await createOrg(sql, "main");
}

const PRUNE_SECONDS = 3_600;

function startSweepers(
  engine: Engine,
  sql: Sql,
  options: PawlOptions & { intervals: ReadonlyMap<string, number> },
): Sweeper[] {
  const { sweepSeconds = 60, reconcileSeconds = 300, retention, onFault, onRepair, intervals } = options;
  const every = (seconds: number, work: () => Promise<unknown>, firstSeconds = seconds) => {
    const times = { everyMs: seconds * 1_000, firstMs: firstSeconds * 1_000 };
    return seconds > 0 ? [startSweeper(work, { ...times, ...(onFault ? { onFault } : {}) })] : [];
  };
  // A node that is started again and again must come to it, too: so soon, and then at its interval.
  const soon = (seconds: number) => Math.min(seconds, sweepSeconds || seconds);
  const lifecycles = [...engine.registry.lifecycles.keys()].filter((name) => !intervals.has(name));
  return [
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
    ...every(
      retention ? PRUNE_SECONDS : 0,
      async () => {
        const { days, onExport } = retention ?? { days: Infinity };
        const olderThanMs = days * 86_400_000;
        for (const org_id of await listOrgs(sql))
          await engine.prune({ org_id, olderThanMs, ...(onExport ? { onExport } : {}) });
      },
      soon(PRUNE_SECONDS),
    ),
  ];
}
